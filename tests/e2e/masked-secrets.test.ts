import { afterAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TEST_LIMIT_MS } from "../limits.ts";
import { ROOT } from "../smoke/program.ts";
import { start } from "./berth-process.ts";
import { until } from "./condition.ts";

const scratch = mkdtempSync(join(tmpdir(), "berth-masked-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** Credentials of the four kinds: of a known format, of the environment, of the project's file, of a setting. */
const KNOWN = `sk-proj-${"a1B2".repeat(8)}`;
const OWN = "the-key-of-the-database";
const OF_FILE = "the-secret-of-the-file";
const ACME = "acme_0123456789";
const ALL = [KNOWN, OWN, OF_FILE, ACME];

const AGENT = `
import { Annotation, StateGraph } from "@langchain/langgraph";
const State = Annotation.Root({ said: Annotation, kept: Annotation });
const secrets = [${JSON.stringify(KNOWN)}, process.env.DB_API_KEY, process.env.FILE_SECRET, ${JSON.stringify(ACME)}];
const keep = () => ({ kept: secrets.join(" ") });
const fail = () => {
  console.error("rejected: " + secrets.join(" "));
  throw new Error("401 for " + secrets.join(", ") + ": look at your account");
};
export const graph = new StateGraph(State).addNode("keep", keep).addNode("fail", fail)
  .addEdge("__start__", "keep").addEdge("keep", "fail").compile();
`;

function projectFolder(): string {
  const project = join(scratch, "project");
  mkdirSync(project);
  const config = { graphs: { agent: "./agent.ts:graph" }, env: { FILE_SECRET: OF_FILE } };
  writeFileSync(join(project, "graph.json"), JSON.stringify(config));
  writeFileSync(join(project, "agent.ts"), AGENT);
  symlinkSync(join(ROOT, "node_modules"), join(project, "node_modules"));
  return project;
}

test.each(["", "0"])(
  "credentials in an error are in no run, trace, issue, event or log line; the state keeps them (EXECUTORS=%s)",
  async (EXECUTORS) => {
    const env = { DB_API_KEY: OWN, SECRET_PREFIXES: "acme_", ENGINE_INTERVAL: "0", ENGINE_MIN_TRACES: "1" };
    const project = EXECUTORS === "" ? projectFolder() : join(scratch, "project");
    const berth = await start({ project, env: { ...env, EXECUTORS } });
    const ask = async (method: string, path: string, body?: object): Promise<string> => {
      const headers = { "content-type": "application/json" };
      const sent = { method, headers, ...(body && { body: JSON.stringify(body) }) };
      return (await fetch(berth.url + path, sent)).text();
    };
    try {
      const { thread_id } = JSON.parse(await ask("POST", "/threads", {}));
      const run = { assistant_id: "agent", input: { said: "x" }, stream_mode: ["values"] };
      const streamed = await ask("POST", `/threads/${thread_id}/runs/stream`, run);
      const traces = await until(
        "the trace to be there",
        () => ask("GET", `/v1/traces?thread_id=${thread_id}`),
        (text) => text.includes('"error"'),
      );
      const [{ id }] = JSON.parse(traces).resources;
      await ask("POST", "/v1/engine/scan", {});
      const stored: Record<string, string> = {
        runs: await ask("GET", `/threads/${thread_id}/runs`),
        thread: JSON.stringify(JSON.parse(await ask("GET", `/threads/${thread_id}`)).error),
        trace: await ask("GET", `/v1/traces/${id}`),
        issues: await ask("GET", "/v1/issues"),
        error: streamed.slice(streamed.indexOf("event: error")),
        log: berth.output(),
      };
      for (const [name, text] of Object.entries(stored))
        for (const secret of ALL) expect([name, text.includes(secret)]).toEqual([name, false]);
      for (const name of ["thread", "trace", "error", "log"])
        expect([name, stored[name]]).toEqual([name, expect.stringContaining("***")]);
      expect(stored.error).toContain("look at your account");
      expect(stored.log).toContain("rejected: ");
      const state = await ask("GET", `/threads/${thread_id}/state`);
      for (const secret of ALL) expect(state).toContain(secret);
    } finally {
      expect(await berth.stop()).toBe(0);
    }
  },
  TEST_LIMIT_MS,
);
