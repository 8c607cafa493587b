import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BerthProcess, start } from "../berth-process.ts";
import { until } from "../condition.ts";
import { langGraphBundle } from "../tiny-agent.ts";

const SOURCE = `
import { Annotation, StateGraph } from "../langgraph.js";
type State = { ask: string };
const Fields = Annotation.Root({ ask: Annotation });

interface Hotel { name: string }

function lookUp(ask: string): Hotel[] {
  throw new TypeError("no table " + ask);
}
const book = (state: State) => {
  try {
    return { hotels: lookUp(state.ask) };
  } catch (error) {
    throw new Error("cannot book", { cause: error });
  }
};
export const graph = new StateGraph(Fields).addNode("book", book).addEdge("__start__", "book").compile();
`;

const lineOf = (text: string) => SOURCE.split("\n").findIndex((line) => line.includes(text)) + 1;

let project: string;
let berth: BerthProcess;

beforeAll(async () => {
  project = mkdtempSync(join(tmpdir(), "berth-exceptions-"));
  mkdirSync(join(project, "src"));
  writeFileSync(join(project, "graph.json"), JSON.stringify({ graphs: { agent: "./dist/agent.js:graph" } }));
  writeFileSync(join(project, "langgraph.js"), await langGraphBundle());
  writeFileSync(join(project, "src", "agent.ts"), SOURCE);
  // As `tsc` and esbuild leave it: Bun itself reads maps of its own only.
  const built = await Bun.build({
    ...{ entrypoints: [join(project, "src", "agent.ts")], outdir: join(project, "dist") },
    ...{ target: "node", sourcemap: "linked", external: ["../langgraph.js"] },
  });
  if (!built.success) throw new Error(built.logs.join("\n"));
  berth = await start({ project, env: { LOG_FORMAT: "json", LOG_LEVEL: "info" } });
});

afterAll(async () => {
  await berth.stop();
  rmSync(project, { recursive: true, force: true });
});

type LogLine = { message: string; level: string; run_id?: string; error?: Record<string, string> };
type ErrorFacts = { error_stack: string; error_cause: { type: string; message: string; stack: string }[] };

test("a run that fails says where and why, in the source: in the log as an error, and in its trace", async () => {
  const answer = await fetch(`${berth.url}/runs/wait`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ assistant_id: "agent", input: { ask: "Lisbon" } }),
  });
  expect(await answer.json()).toEqual({ __error__: { error: "Error", message: "cannot book" } });
  const ended = await until(
    "the end of the run in the log",
    async () =>
      berth
        .output()
        .split("\n")
        .flatMap((line) => (line.startsWith("{") ? [JSON.parse(line) as LogLine] : []))
        .find(({ message }) => message === "run.ended"),
    (line) => line !== undefined,
  );
  const place = (text: string) => `${join(project, "src", "agent.ts")}:${lineOf(text)}:`;
  expect(ended).toMatchObject({ level: "error", error: { name: "Error", message: "cannot book" } });
  const stack = ended?.error?.stack ?? "";
  expect(stack).toStartWith("Error: cannot book\n");
  expect(stack).toContain(place("throw new Error"));
  expect(stack).toContain("\ncaused by TypeError: no table Lisbon\n");
  expect(stack).toContain(place("throw new TypeError"));

  const root = await until(
    "the trace",
    async () => {
      const found = await fetch(`${berth.url}/v1/traces/${ended?.run_id}`);
      return found.ok ? ((await found.json()) as { metadata: ErrorFacts }) : undefined;
    },
    (trace) => trace?.metadata.error_stack !== undefined,
  );
  expect(root?.metadata.error_stack).toContain(place("throw new Error"));
  expect(root?.metadata.error_cause).toMatchObject([{ type: "TypeError", message: "no table Lisbon" }]);
  expect(root?.metadata.error_cause[0]?.stack).toContain(place("throw new TypeError"));
});
