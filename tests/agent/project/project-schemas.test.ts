import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { MessagesZodState, START, StateGraph } from "@langchain/langgraph";
import { z } from "zod";
import { loadProject } from "../../../agent/project/index.ts";
import { graphSchemas } from "../../../agent/project/schemas.ts";

const project = await loadProject(join(import.meta.dir, "../../fixtures"));
const DRAFT_07 = "http://json-schema.org/draft-07/schema#";

/** Every reference of a document must lead somewhere in it. */
function danglingReferences(document: object): string[] {
  const text = JSON.stringify(document);
  return [...text.matchAll(/"\$ref":"#\/([^"]*)"/g)]
    .map(([, path = ""]) => path)
    .filter((path) => {
      const found = path.split("/").reduce<unknown>((at, key) => Object(at)[key], document);
      return found === undefined;
    });
}

describe("the schemas of a graph", () => {
  test("without zod name its channels and describe its messages", async () => {
    const schemas = await project.schemas("agent");
    expect(schemas).toMatchObject({ graph_id: "agent", config_schema: null, context_schema: null });
    for (const schema of [schemas.input_schema, schemas.output_schema, schemas.state_schema]) {
      expect(schema).toMatchObject({
        $schema: DRAFT_07,
        type: "object",
        properties: { messages: { type: "array", items: { $ref: "#/definitions/Message" } }, keyOne: {} },
        definitions: { Message: { type: "object" } },
      });
      expect(Object.keys(Object(schema.properties))).toEqual([
        "messages",
        "sleep",
        "interrupt",
        "keyOne",
        "keyTwo",
      ]);
      expect(danglingReferences(schema)).toEqual([]);
    }
  });

  test("with zod are what zod says, in draft-07, for input and state apart", async () => {
    const { input_schema, state_schema, config_schema, context_schema } = await project.schemas("runtime");
    expect(input_schema).toMatchObject({
      $schema: DRAFT_07,
      properties: {
        model: { type: "string", default: "none" },
        tags: { type: "string" },
        messages: { type: "array" },
      },
    });
    expect(state_schema).toMatchObject({
      properties: { tags: { type: "array", items: { type: "string" } } },
    });
    expect(JSON.stringify(state_schema).split("$schema")).toHaveLength(2);
    expect(context_schema).toMatchObject({
      $schema: DRAFT_07,
      type: "object",
      properties: { model: { enum: ["openai", "anthropic"] } },
    });
    expect(config_schema).toEqual(context_schema);
  });

  test("gather the definitions of recursive types, tuples included", async () => {
    type Tree = { name: string; children: Tree[] };
    const Tree: z.ZodType<Tree> = z
      .lazy(() => z.object({ name: z.string(), children: z.array(Tree) }))
      .meta({ id: "Tree" });
    const State = z.object({ tree: Tree, pair: z.tuple([z.string(), z.number()]) });
    const graph = new StateGraph(State)
      .addNode("node", () => ({}))
      .addEdge(START, "node")
      .compile();
    const { state_schema } = await graphSchemas("tree", graph as never, project.langgraph);
    expect(state_schema).toMatchObject({
      $schema: DRAFT_07,
      properties: {
        tree: { $ref: expect.stringMatching(/^#\/definitions\//) },
        pair: { type: "array", items: [{ type: "string" }, { type: "number" }], additionalItems: false },
      },
    });
    expect(JSON.stringify(state_schema)).not.toContain("$defs");
    expect(danglingReferences(state_schema)).toEqual([]);
  });

  test("of a state that JSON cannot express fall back to its channels", async () => {
    const State = z.object({ when: z.date(), how: z.string() });
    const graph = new StateGraph(State)
      .addNode("node", () => ({}))
      .addEdge(START, "node")
      .compile();
    const { input_schema } = await graphSchemas("date", graph as never, project.langgraph);
    expect(Object.keys(Object(input_schema.properties))).toEqual(["when", "how"]);
  });

  test("keep the channels that LangGraph's messages state loses to another zod", async () => {
    const graph = new StateGraph(MessagesZodState)
      .addNode("node", () => ({}))
      .addEdge(START, "node")
      .compile();
    const { input_schema } = await graphSchemas("zod", graph as never, project.langgraph);
    expect(input_schema).toMatchObject({
      properties: { messages: { items: { $ref: "#/definitions/Message" } } },
    });
  });

  test("exist for subgraphs too", async () => {
    const graph = await project.graph("nested");
    const names: string[] = [];
    for await (const [name, subgraph] of graph.getSubgraphsAsync(undefined, true)) {
      names.push(name);
      const { state_schema } = await graphSchemas("nested", subgraph, project.langgraph);
      expect(state_schema).toMatchObject({ properties: { messages: { type: "array", default: [] } } });
    }
    expect(names).toEqual(["gp_two", "gp_two|p_two"]);
  });
});
