import { expect, test } from "bun:test";
import { describeCase, type ServedCase, send } from "./case.ts";

type Schema = {
  properties?: Record<string, Record<string, unknown>>;
  required?: string[];
  definitions?: Record<string, Schema>;
};

const readSchemas = async (served: ServedCase, graph: string): Promise<Record<string, Schema>> => {
  const { status, text } = await send(served, "GET", `/assistants/${graph}/schemas`);
  expect(status).toBe(200);
  return JSON.parse(text);
};

const namesOf = ({ properties = {} }: Schema = {}) => Object.keys(properties);

describeCase("python/typed-dict", (served) => {
  test("a TypedDict of typing has its fields in the schemas", async () => {
    const { input_schema, output_schema, state_schema } = await readSchemas(served, "agent");
    for (const schema of [input_schema, output_schema, state_schema])
      expect(schema?.properties).toMatchObject({
        topic: { type: "string" },
        age: { type: "integer" },
        plan: { anyOf: [{ type: "object" }, { type: "null" }] },
      });
  });

  test("also with nested, inherited, required and annotated fields", async () => {
    const { input_schema, output_schema, state_schema, context_schema } = await readSchemas(served, "shapes");
    expect(input_schema?.required).toEqual(["topic", "kind"]);
    expect(namesOf(input_schema)).toEqual(["topic", "kind", "limit"]);
    const { Plan, Step } = output_schema?.definitions ?? {};
    expect(Plan?.required).toEqual(["owner"]);
    expect(Step?.properties).toMatchObject({ title: { type: "string" }, done: { type: "boolean" } });
    expect(output_schema?.properties).toEqual({ plan: { $ref: "#/definitions/Plan" } });
    expect(namesOf(state_schema).toSorted()).toEqual(
      ["by_name", "kind", "messages", "notes", "plan", "secret", "topic"].toSorted(),
    );
    expect(state_schema?.properties?.notes).toMatchObject({ type: "array", items: { type: "string" } });
    expect(context_schema?.properties).toMatchObject({ model: { type: "string" } });
  });

  test("also inside other classes", async () => {
    for (const graph of ["mixed", "held"]) {
      const { input_schema } = await readSchemas(served, graph);
      expect(namesOf(input_schema)).toEqual(["step", "topic"]);
      expect(namesOf(input_schema?.definitions?.Step)).toEqual(["title", "done"]);
    }
  });

  test("a field that pydantic cannot describe is open, and the others are described", async () => {
    const { input_schema, output_schema, state_schema } = await readSchemas(served, "opaque");
    for (const schema of [input_schema, output_schema, state_schema]) {
      expect(namesOf(schema)).toEqual(["topic", "step", "connection"]);
      expect(schema?.properties?.topic).toMatchObject({ type: "string" });
      expect(schema?.properties?.step?.properties).toMatchObject({ done: { type: "boolean" } });
      expect(schema?.properties?.connection).toEqual({ title: "Connection" });
    }
  });
});
