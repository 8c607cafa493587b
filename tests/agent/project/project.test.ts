import { afterAll, describe, expect, test } from "bun:test";
import { mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { BadRequest, NotFound } from "@berth/store";
import {
  assistantId,
  loadProject,
  loadTemplate,
  ProjectError,
  subgraphAt,
} from "../../../agent/project/index.ts";
import { type TemplateName, templates } from "../../../agent/templates/index.ts";

const FIXTURES = join(import.meta.dir, "../../fixtures");

/** Folders of made-up projects, with the packages of this repository in reach. */
const root = await mkdtemp(join(tmpdir(), "berth-project-"));
await symlink(
  dirname(dirname(Bun.resolveSync("zod/package.json", import.meta.dir))),
  join(root, "node_modules"),
);
const outsiders: string[] = [];
afterAll(() => Promise.all([root, ...outsiders].map((dir) => rm(dir, { recursive: true }))));

let count = 0;
async function project(files: Record<string, unknown>): Promise<string> {
  const dir = join(root, `p${++count}`);
  await mkdir(dir);
  for (const [name, content] of Object.entries(files)) {
    await Bun.write(join(dir, name), typeof content === "string" ? content : JSON.stringify(content));
  }
  return dir;
}

/** A project that sees no packages but those among its files. */
async function outside(files: Record<string, string>): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "berth-outside-"));
  outsiders.push(dir);
  const all = {
    "graph.json": '{ "graphs": { "it": "./it.mjs:graph" } }',
    "it.mjs": "export const graph = { lg_is_pregel: true };",
    ...files,
  };
  for (const [name, content] of Object.entries(all)) await Bun.write(join(dir, name), content);
  return dir;
}

const ECHO = `
  import { Annotation, StateGraph, START } from "@langchain/langgraph";
  const builder = new StateGraph(Annotation.Root({ said: Annotation }))
    .addNode("echo", () => ({ said: "hello" })).addEdge(START, "echo");
`;

async function failure(files: Record<string, unknown>): Promise<string> {
  const dir = await project(files);
  const error = await loadProject(dir).catch((error: unknown) => error);
  if (!(error instanceof ProjectError)) throw new Error(`no ProjectError but ${error}`);
  expect(error.message).not.toContain("\n");
  return error.message.replaceAll(`${dir}/`, "");
}

describe("a project's configuration file", () => {
  test("names every graph, its description and its own LangGraph", async () => {
    const loaded = await loadProject(FIXTURES);
    expect(Object.keys(loaded.graphs)).toContain("agent");
    expect(loaded.graphs.agent).toEqual({
      path: join(FIXTURES, "agent/graph.ts"),
      exportName: "graph",
      description: "Calls one tool and says end",
    });
    expect(loaded.langgraph.version).toMatch(/^1\.\d+\.\d+$/);
  });

  test("may be named itself, and langgraph.json stands in for graph.json", async () => {
    const upstream = { graphs: { echo: "./echo.ts:graph" } };
    const dir = await project({
      "echo.ts": `${ECHO} export const graph = builder;`,
      "langgraph.json": upstream,
      "other.json": { graphs: { other: "./echo.ts:graph" } },
    });
    expect(Object.keys((await loadProject(dir)).graphs)).toEqual(["echo"]);
    expect(Object.keys((await loadProject(join(dir, "other.json"))).graphs)).toEqual(["other"]);
    await Bun.write(join(dir, "graph.json"), JSON.stringify({ graphs: { first: "./echo.ts:graph" } }));
    expect(Object.keys((await loadProject(dir)).graphs)).toEqual(["first"]);
  });

  test("keeps every other key for whoever needs it", async () => {
    const config = {
      graphs: { echo: "./echo.ts:graph" },
      node_version: "22",
      store: { ttl: { default_ttl: 5 } },
      http: { disable_mcp: true },
      checkpointer: { ttl: { default_ttl: 60 } },
      somethingNew: [1],
    };
    const dir = await project({ "echo.ts": `${ECHO} export const graph = builder;`, "graph.json": config });
    expect((await loadProject(dir)).config).toEqual(config);
  });

  test("sets its environment before the modules load, and never over what is set", async () => {
    process.env.BERTH_TEST_OUTER = "outer";
    const dir = await project({
      "echo.ts": `${ECHO} export const graph = process.env.BERTH_TEST_INNER === "a b" ? builder : null;`,
      ".env": "# a comment\nBERTH_TEST_INNER='a b'\nBERTH_TEST_OUTER=inner\n",
      "graph.json": { env: ".env", graphs: { echo: "./echo.ts:graph" } },
    });
    await loadProject(dir);
    expect([process.env.BERTH_TEST_INNER, process.env.BERTH_TEST_OUTER]).toEqual(["a b", "outer"]);
    const inline = await project({
      "echo.ts": `${ECHO} export const graph = builder;`,
      "graph.json": { env: { BERTH_TEST_NUMBER: 3 }, graphs: { echo: "./echo.ts:graph" } },
    });
    await loadProject(inline);
    expect(process.env.BERTH_TEST_NUMBER).toBe("3");
  });

  test("is loaded without the dotenv file that it names, and with names that are not set, and says so", async () => {
    const of = async (env: unknown, more: Record<string, string> = {}) => {
      const dir = await project({
        "echo.ts": `${ECHO} export const graph = builder;`,
        "graph.json": { env, graphs: { echo: "./echo.ts:graph" } },
        ...more,
      });
      const here = (await loadProject(dir)).warnings;
      return { here, deployed: (await loadProject(dir, { dotenv: "optional" })).warnings };
    };
    expect(await of(".env")).toEqual({ here: ["graph.json: env: .env does not exist"], deployed: [] });
    expect((await of(".env", { ".env.example": "" })).here).toEqual([
      "graph.json: env: .env does not exist: copy .env.example to it?",
    ]);
    const unset = ["graph.json: env: the environment has no BERTH_TEST_UNSET"];
    expect(await of(["PATH", "BERTH_TEST_UNSET"])).toEqual({ here: unset, deployed: unset });
    expect((await of(["PATH"])).here).toEqual([]);
  });
});

describe("a project that cannot work says in one line why", () => {
  const echo = { "echo.ts": `${ECHO} export const graph = builder; export const nothing = 7;` };
  const graphs = (spec: unknown) => ({ ...echo, "graph.json": { graphs: { echo: spec } } });

  const cases: [string, Record<string, unknown>, string | RegExp][] = [
    ["no file", { "readme.md": "" }, /^\S+: holds no graph\.json or langgraph\.json$/],
    ["no JSON", { "graph.json": "{graphs" }, /^graph\.json: is not valid JSON: /],
    ["no object", { "graph.json": "[]" }, "graph.json: must be a JSON object"],
    ["no graphs", { "graph.json": {} }, /^graph\.json: graphs: must name at least one graph/],
    ["graphs empty", { "graph.json": { graphs: {} } }, /^graph\.json: graphs: must name at least one graph/],
    [
      "a path without a colon",
      graphs("./echo.ts"),
      'graph.json: graphs.echo: must be "./file.ts:export", not "./echo.ts"',
    ],
    ["a path of another type", graphs(7), 'graph.json: graphs.echo: must be "./file.ts:export", not 7'],
    [
      "a wrong description",
      graphs({ path: "./echo.ts:graph", description: 7 }),
      "graph.json: graphs.echo.description: must be a string, not 7",
    ],
    ["a missing module", graphs("./gone.ts:graph"), "graph.json: graphs.echo: gone.ts does not exist"],
    ["a missing export", graphs("./echo.ts:other"), 'graph.json: graphs.echo: echo.ts has no export "other"'],
    ["no default export", graphs("./echo.ts:"), 'graph.json: graphs.echo: echo.ts has no export "default"'],
    [
      "an export that is no graph",
      graphs("./echo.ts:nothing"),
      'graph.json: graphs.echo: the export "nothing" of echo.ts is a number, not a graph, a graph builder or a function that makes one',
    ],
    [
      "a list of other things than names for env",
      { "graph.json": { ...graphs("./echo.ts:graph")["graph.json"], env: ["A", 1] }, ...echo },
      "graph.json: env: must be an object, the path of a dotenv file, or a list of names of the environment",
    ],
  ];
  for (const [name, files, message] of cases) {
    test(name, async () => {
      const said = await failure(files);
      if (typeof message === "string") expect(said).toBe(message);
      else expect(said).toMatch(message);
    });
  }

  test("a module that throws, with its own message on one line", async () => {
    const files = {
      "bad.ts": 'throw new Error("no key\\n  in sight");',
      "graph.json": { graphs: { bad: "./bad.ts:graph" } },
    };
    expect(await failure(files)).toBe("graph.json: graphs.bad: bad.ts cannot be loaded: no key in sight");
  });

  test("a promise that fails, and a builder that does not compile", async () => {
    const rejected = {
      "bad.ts": 'export const graph = Promise.reject(new Error("offline"));',
      "graph.json": { graphs: { bad: "./bad.ts:graph" } },
    };
    expect(await failure(rejected)).toBe(
      'graph.json: graphs.bad: the export "graph" of bad.ts failed: offline',
    );
    const loose = {
      "bad.ts":
        'import { Annotation, StateGraph } from "@langchain/langgraph"; export const graph = new StateGraph(Annotation.Root({})).addNode("alone", () => ({}));',
      "graph.json": { graphs: { bad: "./bad.ts:graph" } },
    };
    expect(await failure(loose)).toMatch(/^graph\.json: graphs\.bad: .+ is a graph that does not compile: /);
  });

  test("a folder that does not exist", async () => {
    await expect(loadProject(join(root, "gone"))).rejects.toThrow(
      `${join(root, "gone")}: no such file or folder`,
    );
  });
});

describe("what a graph may be exported as", () => {
  const forms: Record<string, string> = {
    "a compiled graph": "export const graph = builder.compile();",
    "a builder": "export const graph = builder;",
    "a promise of a graph": "export const graph = (async () => builder.compile())();",
    "a promise of a builder": "export const graph = Promise.resolve(builder);",
    "an agent that has a graph": "export const graph = { builder: {}, graph: builder.compile() };",
    "a factory of a graph": "export const graph = () => builder.compile();",
    "an async factory of a builder": "export const graph = async () => builder;",
    "the default export": "export default builder;",
  };
  for (const [name, source] of Object.entries(forms)) {
    test(name, async () => {
      const path = source.startsWith("export default") ? "./echo.ts:" : "./echo.ts:graph";
      const dir = await project({ "echo.ts": ECHO + source, "graph.json": { graphs: { echo: path } } });
      const graph = await (await loadProject(dir)).graph("echo");
      expect(await graph.invoke({})).toEqual({ said: "hello" });
    });
  }

  test("a static graph is always the same; a factory makes one for each config", async () => {
    const loaded = await loadProject(FIXTURES);
    expect(await loaded.graph("agent")).toBe(await loaded.graph("agent"));
    const named = await loaded.graph("dynamic", { configurable: { nodeName: "other" } });
    expect(await named.invoke({ messages: [] })).toMatchObject({ messages: [{ content: "from other" }] });
    const unnamed = await loaded.graph("dynamic");
    expect(await unnamed.invoke({ messages: [] })).toMatchObject({ messages: [{ content: "from node" }] });
  });

  test("an unknown graph is not found, also when its name is one of Object's", async () => {
    const loaded = await loadProject(FIXTURES);
    await expect(loaded.graph("nope")).rejects.toThrow(new NotFound('Graph "nope" not found'));
    await expect(loaded.graph("constructor")).rejects.toThrow(NotFound);
  });

  test("subgraphs are found by the namespace of a checkpoint", async () => {
    const graph = await (await loadProject(FIXTURES)).graph("nested");
    const child = await subgraphAt(graph, "gp_two:0b5d|1|p_two:77aa");
    expect(Object.keys(child?.channels ?? {})).toContain("branch:to:c_one");
    expect(await subgraphAt(graph, "elsewhere:0b5d")).toBeUndefined();
  });
});

describe("the LangGraph of a project", () => {
  test("builds commands: strings stay, objects become sends, updates may be pairs", async () => {
    const { command } = await loadProject(FIXTURES);
    const built = command({
      goto: ["a", { node: "b", input: { x: 1 } }],
      update: [
        ["k", 1],
        ["k", 2],
      ],
      resume: null,
    });
    expect(built.lg_name).toBe("Command");
    expect(built.goto).toMatchObject(["a", { lg_name: "Send", node: "b", args: { x: 1 } }]);
    expect(built._updateAsTuples()).toEqual([
      ["k", 1],
      ["k", 2],
    ]);
    expect(command({ goto: "a" }).goto).toEqual(["a"]);
    expect(command({ resume: { yes: true } }).resume).toEqual({ yes: true });
    expect(command({ resume: false }).resume).toBe(false);
  });

  test("refuses what no command can hold", async () => {
    const { command } = await loadProject(FIXTURES);
    for (const wrong of [{ goto: 7 }, { goto: [{ input: 1 }] }, { update: "x" }, { update: [["k"]] }]) {
      expect(() => command(wrong)).toThrow(BadRequest);
    }
  });

  test("is the one that the project imports, and its serializer revives that one's messages", async () => {
    const { langgraph } = await loadProject(FIXTURES);
    const imported = await import("@langchain/langgraph");
    expect(langgraph.Command).toBe(imported.Command);
    const [type, bytes] = await langgraph.serde.dumpsTyped(new langgraph.AIMessageChunk("hi"));
    expect(await langgraph.serde.loadsTyped(type, bytes)).toBeInstanceOf(langgraph.AIMessageChunk);
  });

  test("is ours where none is installed for the project", async () => {
    const bare = await outside({});
    const ours = await import("@langchain/langgraph");
    expect((await loadProject(bare)).langgraph.Command).toBe(ours.Command);
  });

  const LANGGRAPH = `
    export class Command { lg_name = "theirs" }
    export class Send {}
    export class MemorySaver { serde = {} }
    export const messagesStateReducer = () => [];`;
  const withPackages = (version: string, messages: string) =>
    outside({
      "node_modules/@langchain/langgraph/package.json": JSON.stringify({
        ...{ name: "@langchain/langgraph", version, main: "./index.js", type: "module" },
        peerDependencies: { "@langchain/core": ">=0.3.58 <0.4.0" },
      }),
      "node_modules/@langchain/langgraph/index.js": LANGGRAPH,
      "node_modules/@langchain/core/package.json":
        '{ "name": "@langchain/core", "version": "0.3.57", "type": "module" }',
      "node_modules/@langchain/core/messages.js": messages,
    });

  test("is the project's own copy where it has one", async () => {
    const copy = await withPackages("1.99.0", "export class AIMessageChunk {}");
    const { langgraph, command } = await loadProject(copy);
    expect(langgraph.version).toBe("1.99.0");
    expect(`${command({}).lg_name}`).toBe("theirs");
  });

  test("is refused with its version where it is too old", async () => {
    const old = await withPackages("0.1.9", "export class AIMessageChunk {}");
    const refusal = loadProject(old);
    await expect(refusal).rejects.toThrow(/@langchain\/langgraph 0\.1\.9.*from 0\.2\.0 on.*npm install/);
  });

  test("is refused with both versions where its core does not fit", async () => {
    const unfit = await withPackages("0.3.5", 'import { gone } from "./package.json"; throw new Error(gone)');
    await expect(loadProject(unfit)).rejects.toThrow(
      /langgraph 0\.3\.5 cannot be loaded with @langchain\/core 0\.3\.57 .*needs >=0\.3\.58 <0\.4\.0/,
    );
  });
});

describe("a built-in template loads as a project", () => {
  for (const name of Object.keys(templates) as TemplateName[]) {
    test(name, async () => {
      const template = await loadTemplate(name);
      expect(template.dir).toBeNull();
      expect(Object.keys(template.graphs)).toEqual([name]);
      expect(template.graphs[name]?.description).toBeString();
      expect((await template.graph(name)).lg_is_pregel).toBe(true);
      expect((await template.schemas(name)).input_schema).toMatchObject({
        properties: { messages: { type: "array" } },
      });
    });
  }
});

test("assistant ids are the reference server's", () => {
  expect(assistantId("agent")).toBe("fe096781-5601-53d2-b2f6-0d3403f7e9ca");
  expect(assistantId("chat")).toBe("eb6db400-e3c8-5d06-a834-015cb89efe69");
  expect(assistantId("weather")).toBe("5fb44052-6611-57fc-99b4-527b0d62f788");
});
