import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { messagesIn, patternOf } from "../docs/messages.ts";
import { berthCommand } from "../e2e/command.ts";
import { type ProjectFiles, tinyAgent } from "../e2e/tiny-agent.ts";
import { WAIT_LIMIT_MS } from "../limits.ts";
import { type Berth, berthProgram, post, ROOT, startBerth, temporaryFolder } from "./program.ts";

const KEY = "a-key-for-deployments";
const folder = temporaryFolder();
const json = JSON.stringify;
let berth: Berth;
let registry: Bun.Server<undefined>;
let agent: ProjectFiles = {};
let count = 0;

beforeAll(async () => {
  agent = await tinyAgent("hello");
  registry = Bun.serve({
    ...{ port: 0, hostname: "127.0.0.1" },
    fetch: () => new Response("{}", { status: 404 }),
  });
  const config = { graphs: { agent: "./agent.ts:graph" }, ui: { agent: "./ui.js" } };
  const served = project({ "graph.json": json(config), "ui.js": 'import "./none.css";' });
  berth = await startBerth(berthProgram(), {
    env: {
      SERVICE_API_KEY: KEY,
      DATA_DIR: join(folder.path, "data"),
      npm_config_registry: `${registry.url}`,
    },
    args: ["--project", served],
  });
});
afterAll(async () => {
  await berth?.[Symbol.asyncDispose]();
  await registry.stop(true);
  folder.remove();
});

/** A folder with an agent that needs no packages, and these files. */
function project(files: ProjectFiles = {}): string {
  count += 1;
  const path = join(folder.path, `p${count}`);
  for (const [name, text] of Object.entries({ ...agent, ...files })) {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), text);
  }
  return path;
}

/** What `berth start` says of a project that it cannot serve. */
async function started(path: string, ...more: string[]): Promise<string> {
  const place = ["--project", path, "--port", "0", "--data", join(path, "data")];
  const { code, stderr } = await berthCommand(["start", ...place, ...more]);
  expect(code).toBe(1);
  return stderr;
}
const startedWith = (files: ProjectFiles) => started(project(files));
const startedAs = (agentTs: string, files: ProjectFiles = {}) =>
  startedWith({ "agent.ts": agentTs, ...files });

/** What it says of one that it serves. */
async function warned(config: object): Promise<string> {
  const graphs = { agent: "./agent.ts:graph" };
  const files = { "graph.json": json({ graphs, ...config }), ".env.example": "A=1" };
  await using running = await startBerth([...berthProgram()], {
    env: { DATA_DIR: join(folder.path, `data${count}`), LOG_FORMAT: "json" },
    args: ["--project", project(files)],
  });
  return JSON.parse(
    `[${running
      .printed()
      .match(/^\{.*\}$/gm)
      ?.join(",")}]`,
  )
    .map(({ message }: { message: string }) => message)
    .join("\n");
}

/** What `berth deploy` says when it fails. */
async function deployed(files: ProjectFiles, args: string[] = [], env: Record<string, string> = {}) {
  const cwd = project(files);
  const given = { SERVICE_API_KEY: KEY, SERVICE_ENDPOINT: berth.url, LANGSMITH_API_KEY: "", ...env };
  const { code, stderr } = await berthCommand(
    ["deploy", "--no-input", ...args],
    { cwd, env: given },
    2 * WAIT_LIMIT_MS,
  );
  expect(code).not.toBe(0);
  return stderr;
}

const LANGGRAPH = `
export class Command {}
export class Send {}
export class MemorySaver { serde = {} }
export const messagesStateReducer = () => [];`;
/** A project with a LangGraph that is none, of this version, and a core that it does not load with. */
const langGraph = (version: string): ProjectFiles => ({
  "node_modules/@langchain/langgraph/package.json": json({ name: "@langchain/langgraph", version }),
  "node_modules/@langchain/langgraph/index.js": LANGGRAPH,
  "node_modules/@langchain/core/package.json": json({ name: "@langchain/core", version: "0.3.57" }),
  "node_modules/@langchain/core/messages.js": 'throw new Error("this core has no such thing")',
});
const withLeft = (manifest: object): ProjectFiles => ({
  "package.json": json({ workspaces: ["left"], dependencies: { left: "*" } }),
  "node_modules/left/package.json": json({ name: "left", version: "3.2.1", ...manifest }),
  "node_modules/left/i.js": "",
});
const IMPORTS_LEFT = 'import "left"; export const graph = () => null;';
const source = (path: string) => readFileSync(join(ROOT, path), "utf8").replaceAll(/\$\{\w+\}/g, "…");

const asked = async (path: string, body: object): Promise<string> => {
  const answer = await post(`${berth.url}${path}`, body, { "x-api-key": KEY });
  return (answer.body as { detail: string }).detail;
};

/** How each message of the page comes about. */
const scenes: Record<string, () => string | Promise<string>> = {
  "holds no graph.json or langgraph.json": () => started(folder.path),
  "is not valid JSON": () => startedWith({ "graph.json": '{"graphs": {"agent": "./agent.ts:graph",}}' }),
  "graphs: must name at least one graph": () => startedWith({ "graph.json": "{}" }),
  "no Python was found": async () => {
    const at = project({ "graph.json": json({ graphs: { agent: "./agent.py:graph" } }) });
    const command = ["start", "--project", at, "--port", "0", "--data", join(folder.path, "no-python")];
    return (await berthCommand(command, { env: { PATH: "/nowhere" } })).stderr;
  },
  "graphs.…: … does not exist": () =>
    startedWith({ "graph.json": json({ graphs: { agent: "./src/agent.ts:graph" } }) }),
  'has no export "…"': () => startedAs("export const grpah = () => null;"),
  "not a graph, a graph builder or a function that makes one": () => startedAs("export const graph = {};"),
  'imports the package "…", which is not installed': () => startedAs(IMPORTS_LEFT),
  'imports "…", which the installed … does not export': () =>
    startedAs(IMPORTS_LEFT, withLeft({ exports: { "./other": "./i.js" } })),
  "The package … is not built": () => {
    const { "node_modules/left/i.js": _, "node_modules/left/package.json": __, ...rest } = withLeft({});
    const manifest = json({ name: "left", exports: "./dist/i.js", scripts: { build: "exit 1" } });
    return deployed({ ...rest, "agent.ts": IMPORTS_LEFT, "left/package.json": manifest });
  },
  "@langchain/langgraph … is too old": () => startedWith(langGraph("0.1.19")),
  "@langchain/langgraph … cannot be loaded with @langchain/core …": () => startedWith(langGraph("0.3.5")),
  "process.exit(…) was called by the project's code": () => startedAs("process.exit(1);"),
  "port … on … is in use": () => started(project(), "--port", new URL(berth.url).port),
  "listening on … needs an API key": () => started(project(), "--host", "0.0.0.0"),
  "env: … does not exist": () => warned({ env: ".env" }),
  "env: the environment has no …": () => warned({ env: ["NOBODY_HAS_SET_THIS"] }),
  '"…" has no effect': () => warned({ dockerfile_lines: ["RUN true"] }),
  "there is no graph.json in …": async () => {
    const { stderr } = await berthCommand(["deploy", "--no-input"], { cwd: folder.path });
    return stderr;
  },
  "no answer from …": () => deployed({}, ["--host-url", "http://127.0.0.1:9"]),
  "an API key is needed": () => deployed({}, [], { SERVICE_API_KEY: "" }),
  "the API key was refused": () =>
    deployed({ ".env": "LANGSMITH_API_KEY=lsv2_another" }, [], { SERVICE_API_KEY: "" }),
  "BUILD_FAILED: bun install … failed with exit code …": () =>
    deployed({ "package.json": json({ dependencies: { "@nobody/sdk": "^1.0.0" } }) }),
  "lockfile had changes, but lockfile is frozen": () =>
    deployed({
      "package.json": json({ dependencies: { left: "file:./left" } }),
      "left/package.json": json({ name: "left" }),
      "bun.lock": json({ lockfileVersion: 1, workspaces: { "": { name: "p" } }, packages: {} }),
    }),
  "BUILD_FAILED: … failed with exit code …: …": () =>
    deployed({ "fail.sh": "echo no; exit 3" }, ["--build-command", "sh fail.sh"]),
  "BUILD_FAILED: …": () => deployed({ "agent.ts": 'throw new Error("OPENAI_API_KEY is missing");' }),
  'Graph "…" not found': () => asked("/assistants", { graph_id: "other" }),
  "cannot be bundled": () => asked("/ui/agent", { name: "card" }),
  // These need an installed LangGraph of the time: tests/e2e/versions has them.
  "LangGraph … takes one answer at a time": () => source("agent/project/older-graph.ts"),
  "LangGraph … takes one update for a superstep": () => source("agent/project/older-graph.ts"),
};

describe('"When it does not work": the program says what the page says it says', () => {
  const messages = messagesIn("docs/your-project.md", "When it does not work");

  test("there is a scene for each message, and a message for each scene", () =>
    expect(messages.toSorted()).toEqual(Object.keys(scenes).sort()));

  test.each(Object.entries(scenes))("%s", async (message, scene) => {
    expect(await scene()).toMatch(patternOf(message));
  });
});
