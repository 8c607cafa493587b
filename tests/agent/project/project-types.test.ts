import { expect, spyOn, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { loadProject } from "../../../agent/project/index.ts";
import { until } from "../../e2e/condition.ts";
import { AT_ONCE_MS } from "../../limits.ts";

const LIMIT_MS = 60_000;
const ROOT = join(import.meta.dir, "..", "..", "..");

const GRAPH = `
import { Annotation, START, StateGraph } from "@langchain/langgraph";
import type { Order } from "./order.ts";

const State = Annotation.Root({
  size: Annotation<"small" | "large">,
  amount: Annotation<number | null>,
  order: Annotation<Order>,
  when: Annotation<Date>,
  prices: Annotation<Record<string, number>>,
  anything: Annotation<any>,
  log: Annotation<string[], string>({ reducer: (all, one) => [...all, one], default: () => [] }),
});

const Config = Annotation.Root({ model: Annotation<"large" | "small">, retries: Annotation<number> });

const builder = new StateGraph(State, Config).addNode("node", () => ({})).addEdge(START, "node");
export const graph = builder.compile();
export const make = async () => builder;
export default builder;
`;

/** Its first line has letters of several bytes: positions in it are of letters, not of bytes. */
const NESTED = `
// ⚓⚓⚓ — Ünïcode
import { Annotation, START, StateGraph } from "@langchain/langgraph";
import type { Line } from "./order.ts";
import * as parts from "./parts.ts";

const Inner = Annotation.Root({ depth: Annotation<number>, lines: Annotation<Line[]> });
const inner = new StateGraph(Inner).addNode("leaf", () => ({})).addEdge(START, "leaf").compile();
const middle = new StateGraph(Inner)
  .addNode("plain", async () => ({}))
  .addNode("inner", inner)
  .addEdge(START, "plain")
  .addEdge("plain", "inner");
const Other = Annotation.Root({ depth: Annotation<string> });
const other = new StateGraph(Other).addNode({ inner: async () => ({}) }).addEdge(START, "inner").compile();
export const graph = new StateGraph(Annotation.Root({ total: Annotation<number> }))
  .addNode("middle", middle.compile())
  .addNode({ "second": other, third: parts.third })
  .addEdge(START, "middle")
  .addEdge("middle", "second")
  .addEdge("second", "third")
  .compile();
`;

const PARTS = `
import { Annotation, START, StateGraph } from "@langchain/langgraph";
const State = Annotation.Root({ part: Annotation<"one" | "two"> });
export const third = new StateGraph(State).addNode("leaf", () => ({})).addEdge(START, "leaf").compile();
`;

const ORDER = `
export interface Order { id: string; paid?: boolean; lines: Line[]; next?: Order }
export type Line = { name: string; count: 1 | 2 | 3 };
`;

/** A project of its own, with or without the packages of this one. */
async function withProject(packages: string[], work: (dir: string) => Promise<void>, typescript?: string) {
  const dir = mkdtempSync(join(tmpdir(), "berth-types-"));
  try {
    mkdirSync(join(dir, "node_modules"));
    for (const name of packages)
      symlinkSync(join(ROOT, "node_modules", name), join(dir, "node_modules", name));
    if (typescript) {
      const installed = dirname(Bun.resolveSync(`${typescript}/package.json`, import.meta.dir));
      symlinkSync(installed, join(dir, "node_modules", "typescript"));
    }
    await Bun.write(join(dir, "graph.ts"), GRAPH);
    await Bun.write(join(dir, "order.ts"), ORDER);
    await Bun.write(join(dir, "nested.ts"), NESTED);
    await Bun.write(join(dir, "parts.ts"), PARTS);
    const graphs = {
      typed: "./graph.ts:graph",
      made: "./graph.ts:make",
      plain: "./graph.ts:default",
      nested: "./nested.ts:graph",
    };
    await Bun.write(join(dir, "graph.json"), JSON.stringify({ graphs }));
    await work(dir);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

const line = {
  type: "object",
  properties: { name: { type: "string" }, count: { type: "number", enum: [1, 2, 3] } },
  required: ["name", "count"],
};

test.each([
  ["its own TypeScript 7", ["@langchain", "@typescript", "typescript"], undefined],
  ["its own TypeScript 5", ["@langchain"], "typescript-5"],
  ["no TypeScript, by Berth's own", ["@langchain"], undefined],
])(
  "a project has the types of its channels, subgraphs and configuration with %s",
  async (_, packages, typescript) => {
    const check = async (dir: string) => {
      const project = await loadProject(dir);
      for (const graphId of ["typed", "made", "plain"]) {
        const { state_schema, input_schema, config_schema, context_schema } = await project.schemas(graphId);
        expect(state_schema.properties).toMatchObject({
          size: { type: "string", enum: ["large", "small"] },
          amount: { anyOf: expect.arrayContaining([{ type: "number" }, { type: "null" }]) },
          order: {
            type: "object",
            properties: { id: { type: "string" }, lines: { type: "array", items: line } },
            required: ["id", "lines"],
          },
          prices: { type: "object", additionalProperties: { type: "number" } },
          log: { type: "array", items: { type: "string" }, default: [] },
        });
        // What JSON does not have, and what may be anything, takes anything.
        expect(state_schema.properties).toMatchObject({ when: {}, anything: {} });
        expect(Object.keys(Object(Object(state_schema.properties).when))).toEqual([]);
        // Its reducer takes a text, not the list that it holds.
        expect(Object(input_schema.properties).log).toEqual({ type: "array", default: [] });
        expect(Object(input_schema.properties).size).toMatchObject({ enum: expect.any(Array) });
        const model = { type: "string", enum: ["large", "small"] };
        expect(config_schema).toMatchObject({
          type: "object",
          properties: { model, retries: { type: "number" } },
        });
        expect(context_schema).toEqual(config_schema);
      }
      const inner = { depth: { type: "number" }, lines: { type: "array", items: line } };
      const subgraphs = await project.subgraphs("nested", { recurse: true });
      expect(subgraphs).toMatchObject({
        middle: { state_schema: { properties: inner }, input: { properties: inner } },
        "middle|inner": { state_schema: { properties: inner } },
        second: { output_schema: { properties: { depth: { type: "string" } } } },
        third: {
          state_schema: { properties: { part: { enum: expect.arrayContaining(["one", "two"]) } } },
        },
      });
      expect(Object.keys(subgraphs)).toHaveLength(4);
    };
    await withProject(packages, check, typescript);
  },
);

test("what the compiler said is kept for this version of the project, and for no other", async () => {
  const check = async (dir: string) => {
    const folder = join(dir, "kept", "types");
    const sizeIn = async (version: string) => {
      const project = await loadProject(dir);
      project.keepTypes({ folder, version }, LIMIT_MS);
      const schemas = () => Promise.all([project.schemas("typed"), project.schemas("plain")]);
      await Promise.all([schemas(), project.readTypes()]);
      const [one, other] = await schemas();
      expect(other.state_schema).toEqual(one.state_schema);
      return Object(one.state_schema.properties).size;
    };
    const small = { enum: expect.arrayContaining(["small", "large"]) };
    const spawned = spyOn(Bun, "spawn");
    try {
      expect(await sizeIn("1")).toMatchObject(small);
      expect(spawned).toHaveBeenCalledTimes(1);
      const [name = "", ...more] = readdirSync(folder);
      expect(more).toEqual([]);
      expect([statSync(folder).mode & 0o777, statSync(join(folder, name)).mode & 0o777]).toEqual([
        0o700, 0o600,
      ]);
      // Told apart from what the compiler says.
      await Bun.write(
        join(folder, name),
        JSON.stringify({ graphs: { typed: { state: { size: { const: "kept" } }, config: {} } }, nodes: {} }),
      );
      expect(await sizeOf(dir, folder)).toEqual({ const: "kept" });
      expect(spawned).toHaveBeenCalledTimes(1);
      for (let version = 3; version < 12; version += 1)
        await Bun.write(join(folder, `${version}.json`), "{}");
      await Bun.write(join(dir, "order.ts"), `${ORDER}export type More = 1;`);
      expect(await sizeIn("1")).toMatchObject(small);
      expect(spawned).toHaveBeenCalledTimes(2);
      expect(readdirSync(folder).length).toBe(8);
    } finally {
      spawned.mockRestore();
    }
  };
  await withProject(["@langchain"], check, "typescript-5");
});

async function sizeOf(dir: string, folder: string): Promise<unknown> {
  const project = await loadProject(dir);
  project.keepTypes({ folder, version: "1" }, LIMIT_MS);
  await project.readTypes();
  return Object((await project.schemas("typed")).state_schema.properties).size;
}

test("a schema does not wait for a compiler that a busy machine delays", async () => {
  const check = async (dir: string) => {
    const project = await loadProject(dir);
    project.keepTypes({ folder: join(dir, "kept"), version: "1" }, LIMIT_MS);
    const delayed = Bun.spawn(["sleep", "60"], { stdout: "pipe" });
    const spawned = spyOn(Bun, "spawn").mockReturnValue(delayed);
    try {
      expect(await project.subgraphs("typed", { recurse: true })).toEqual({});
      expect(spawned).not.toHaveBeenCalled();
      const began = performance.now();
      const { state_schema } = await project.schemas("typed");
      expect(Object(state_schema.properties).size).toEqual({});
      expect(spawned).toHaveBeenCalledTimes(1);
      expect(performance.now() - began).toBeLessThan(AT_ONCE_MS);
    } finally {
      spawned.mockRestore();
      delayed.kill("SIGKILL");
    }
    // The reading that was under way has failed; the next one succeeds.
    await until("the types", () => project.readTypes());
    expect(Object((await project.schemas("typed")).state_schema.properties).size).toMatchObject({
      enum: expect.anything(),
    });
  };
  await withProject(["@langchain"], check, "typescript-5");
});

test("a compiler that takes longer than it may says nothing", async () => {
  const check = async (dir: string) => {
    const project = await loadProject(dir);
    project.keepTypes({ folder: join(dir, "kept"), version: "1" }, 1);
    expect(Object((await project.schemas("typed")).state_schema.properties).size).toEqual({});
    // Until it is given the time: not only a start anew mends a machine that was busy.
    expect(await project.readTypes()).toBe(false);
    project.keepTypes({ folder: join(dir, "kept"), version: "1" }, LIMIT_MS);
    expect(await project.readTypes()).toBe(true);
    expect(Object((await project.schemas("typed")).state_schema.properties).size).toMatchObject({
      enum: ["large", "small"],
    });
  };
  await withProject(["@langchain"], check, "typescript-5");
});
