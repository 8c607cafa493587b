import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../free-port.ts";
import { TEST_LIMIT_MS } from "../limits.ts";
import { start } from "./berth-process.ts";
import { langGraphBundle } from "./tiny-agent.ts";

const GRAPH = `
import { Annotation, StateGraph } from "./langgraph.js";
const atLoad = process.env.PORT;
const State = Annotation.Root({ said: Annotation });
const ask = async () => {
  const answer = await fetch("http://localhost:" + atLoad + "/assistants/search", { method: "POST" });
  return { said: (await answer.json()).map(({ graph_id }) => graph_id).join() };
};
export const graph = new StateGraph(State).addNode("ask", ask).addEdge("__start__", "ask").compile();
`;

test.each([
  ["start", "--port", freePort],
  ["dev", "--port", freePort],
  ["start", "at any free port", (): number => 0],
] as const)(
  "a graph calls its own server by process.env.PORT under berth %s %s",
  async (command, _where, portFor) => {
    const project = mkdtempSync(join(tmpdir(), "berth-own-port-"));
    writeFileSync(join(project, "graph.json"), JSON.stringify({ graphs: { agent: "./agent.ts:graph" } }));
    writeFileSync(join(project, "langgraph.js"), await langGraphBundle());
    writeFileSync(join(project, "agent.ts"), GRAPH);
    // Whatever the environment of the caller says, the flag counts.
    const berth = await start({ command, project, port: portFor(), env: { PORT: "1" } });
    try {
      const answer = await fetch(`${berth.url}/runs/wait`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ assistant_id: "agent", input: { said: "" } }),
      });
      expect(await answer.json()).toEqual({ said: "agent" });
    } finally {
      await berth.stop();
      rmSync(project, { recursive: true, force: true });
    }
  },
  TEST_LIMIT_MS,
);
