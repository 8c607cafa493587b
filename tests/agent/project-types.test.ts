import { expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadProject } from "../../agent/project/index.ts";

const ROOT = join(import.meta.dir, "..", "..");

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

const builder = new StateGraph(State).addNode("node", () => ({})).addEdge(START, "node");
export const graph = builder.compile();
export const make = async () => builder;
export default builder;
`;

const ORDER = `
export interface Order { id: string; paid?: boolean; lines: Line[]; next?: Order }
export type Line = { name: string; count: 1 | 2 | 3 };
`;

/** A project of its own, with or without the packages of this one. */
async function withProject(packages: string[], work: (dir: string) => Promise<void>): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), "berth-types-"));
  try {
    mkdirSync(join(dir, "node_modules"));
    for (const name of packages)
      symlinkSync(join(ROOT, "node_modules", name), join(dir, "node_modules", name));
    await Bun.write(join(dir, "graph.ts"), GRAPH);
    await Bun.write(join(dir, "order.ts"), ORDER);
    const graphs = { typed: "./graph.ts:graph", made: "./graph.ts:make", plain: "./graph.ts:default" };
    await Bun.write(join(dir, "graph.json"), JSON.stringify({ graphs }));
    await work(dir);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

const line = {
  type: "object",
  properties: { name: { type: "string" }, count: { enum: [1, 2, 3] } },
  required: ["name", "count"],
};

test("TypeScript types say what channels hold: literals, unions, records, interfaces of other files", async () => {
  await withProject(["@langchain", "@typescript", "typescript"], async (dir) => {
    const project = await loadProject(dir);
    for (const graphId of ["typed", "made", "plain"]) {
      const { state_schema, input_schema } = await project.schemas(graphId);
      expect(state_schema.properties).toMatchObject({
        size: { enum: expect.arrayContaining(["small", "large"]) },
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
    }
  });
});

test("a project without a compiler has the names of its channels", async () => {
  await withProject(["@langchain"], async (dir) => {
    const { state_schema } = await (await loadProject(dir)).schemas("typed");
    expect(Object(state_schema.properties).size).toEqual({});
  });
});
