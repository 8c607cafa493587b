import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@langchain/langgraph-sdk";
import { TEST_LIMIT_MS } from "../limits.ts";
import { noPython, testPython } from "../python-here.ts";
import { describeUnless } from "../skips.ts";
import { ROOT } from "../smoke/program.ts";
import { start } from "./berth-process.ts";
import { DeploymentApi } from "./deployment-api.ts";
import { langGraphBundle } from "./tiny-agent.ts";

const KEY = "the-key-of-this-test";
const scratch = mkdtempSync(join(tmpdir(), "berth-project-environment-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** What the project sets for itself; as Berth's settings, each of them would stop the start or move the database. */
const OWN = {
  DATABASE_URL: "sqlite:///nowhere/app.db",
  HOST: "not.a.host.example",
  ROLE: "boss",
  LOG_LEVEL: "verbose",
  DATA_DIR: "/proc/data",
  GATEWAY_TOKEN: "short",
  MY_WORD: "hello",
  LANGSMITH_PROJECT: "mine",
};

/** What Berth itself is set by, in both forms. */
const BERTHS = {
  WEBHOOK_ALLOW: "10.0.0.0/8",
  CHAT_TOKEN: "a-token-of-the-operator",
  BERTH_RUN_CONCURRENCY: "7",
  BERTH_CHAT_API_URL: "https://chat.example.com",
};
/** What the project relies on in Berth's environment. */
const SHARED = { OPENAI_API_KEY: "a-key-of-a-model", LANGSMITH_API_KEY: "a-key-for-traces" };

const SEEN = [...Object.keys(OWN), ...Object.keys(BERTHS), ...Object.keys(SHARED), "PORT", "SERVICE_API_KEY"];

const SCRIPT = `
const seen = () => Object.fromEntries(${JSON.stringify(SEEN)}.map((name) => [name, process.env[name] ?? null]));
const State = Annotation.Root({ seen: Annotation });
export const graph = new StateGraph(State)
  .addNode("look", () => ({ seen: seen() })).addEdge("__start__", "look").compile();
`;
const PYTHON = `
import os
from typing import TypedDict
from langgraph.graph import START, StateGraph
class State(TypedDict):
    seen: dict
def look(state: State):
    return {"seen": {name: os.environ.get(name) for name in ${JSON.stringify(SEEN)}}}
graph = StateGraph(State).add_node("look", look).add_edge(START, "look").compile()
`;

const DOTENV = Object.entries(OWN)
  .map(([name, value]) => `${name}=${value}\n`)
  .join("");

/** A project's folder, with its values in `.env`. */
function folder(name: string, files: Record<string, string>): string {
  const path = join(scratch, name);
  mkdirSync(path);
  for (const [file, text] of Object.entries({ ...files, ".env": DOTENV }))
    writeFileSync(join(path, file), text);
  symlinkSync(join(ROOT, "node_modules"), join(path, "node_modules"));
  return path;
}

const config = (path: string) =>
  JSON.stringify({ graphs: { agent: path }, env: ".env", dependencies: ["."] });
const inScript = {
  "langgraph.json": config("./agent.ts:graph"),
  "agent.ts": `import { Annotation, StateGraph } from "@langchain/langgraph";\n${SCRIPT}`,
};
const inPython = { "langgraph.json": config("./agent.py:graph"), "agent.py": PYTHON };

/** Starts Berth in the folder of the project, as `cd project; berth start` does. */
async function seenIn(project: string, env: Record<string, string>) {
  const berth = await start({ project, env: { ...BERTHS, ...SHARED, ...env } });
  try {
    const client = new Client({ apiUrl: berth.url });
    const { seen } = (await client.runs.wait(null, "agent", { input: {} })) as { seen: object };
    return { seen, port: new URL(berth.url).port, output: berth.output() };
  } finally {
    await berth.stop();
  }
}

const HIDDEN = {
  ...Object.fromEntries(Object.keys(BERTHS).map((name) => [name, null])),
  SERVICE_API_KEY: null,
};

const expectOwn = ({ seen, port, output }: Awaited<ReturnType<typeof seenIn>>) => {
  expect(seen).toEqual({ ...OWN, ...HIDDEN, ...SHARED, PORT: port });
  const [told] = output.split("\n").filter((line) => line.includes("for the project only"));
  expect(told).toContain(".env of the project sets ");
  for (const name of ["DATABASE_URL", "HOST", "ROLE", "LOG_LEVEL", "DATA_DIR", "BERTH_DATABASE_URL"])
    expect(told).toContain(name);
  expect(told).not.toContain("MY_WORD");
  expect(told).not.toContain("sqlite:");
};

describe("a project's .env sets nothing of Berth, and Berth's settings are not seen, with", () => {
  test.each(["", "process:1", "0"])(
    "EXECUTORS=%s",
    async (EXECUTORS) => {
      const project = folder(`script-${EXECUTORS.replace(":", "")}`, inScript);
      expectOwn(await seenIn(project, { EXECUTORS }));
    },
    TEST_LIMIT_MS,
  );
});

describeUnless(noPython)("a project in Python", () => {
  test(
    "has its own .env, and sees nothing of Berth's settings",
    async () => {
      expectOwn(await seenIn(folder("python", inPython), { PYTHON: testPython() ?? "" }));
    },
    TEST_LIMIT_MS,
  );
});

test(
  "a deployment's secrets and the env of its project are its own, and Berth's settings stay with Berth",
  async () => {
    const berth = await start({
      env: { SERVICE_API_KEY: KEY, DEPLOY_SETTLE_SECONDS: "0", ...BERTHS, ...SHARED },
    });
    const api = new DeploymentApi(() => berth.url, KEY);
    try {
      const { DATABASE_URL, ...others } = OWN;
      const own = Object.entries(others).map(([name, value]) => ({ name, value }));
      const { id } = await api.fromSource("own");
      const secrets = [...own, { name: "BERTH_RUN_CONCURRENCY", value: "3" }].filter(
        ({ name }) => name !== "LANGSMITH_PROJECT",
      );
      await api.ask("PATCH", `/v2/deployments/${id}`, { secrets });
      const revision = await api.push(id, {
        "graph.json": JSON.stringify({ graphs: { agent: "./agent.ts:graph" }, env: { DATABASE_URL } }),
        "langgraph.js": await langGraphBundle(),
        "agent.ts": `import { Annotation, StateGraph } from "./langgraph.js";\n${SCRIPT}`,
        // Not what the commands send, but what an archive may hold.
        ".env": "BERTH_HOST=not.a.host.example\n",
      });
      expect(await api.settled(id, revision)).toMatchObject({ status: "DEPLOYED", status_message: null });
      const { seen } = await api.ask<{ seen: Record<string, string> }>("POST", `/d/${id}/runs/wait`, {
        assistant_id: "agent",
        input: {},
      });
      const models = { OPENAI_API_KEY: null, LANGSMITH_API_KEY: null };
      expect(seen).toMatchObject({ ...OWN, LANGSMITH_PROJECT: "own", ...HIDDEN, ...models });
      const logs = await api.ask<{ logs: { message: string }[] }>(
        "POST",
        `/v1/projects/${id}/revisions/${revision}/deploy_logs`,
        { limit: 100 },
      );
      const lines = JSON.stringify(logs);
      expect(lines).toContain("The deployment sets ");
      expect(lines).toContain("BERTH_LOG_LEVEL");
    } finally {
      expect(await berth.stop()).toBe(0);
    }
  },
  TEST_LIMIT_MS,
);
