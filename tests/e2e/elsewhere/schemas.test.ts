import { expect, test } from "bun:test";
import { until } from "../condition.ts";
import { clientOf, servedElsewhere } from "./elsewhere.ts";

const berth = servedElsewhere();

test("with TypeScript 5, its state and its Annotation config have schemas with types", async () => {
  const schemas = await until(
    "the schemas with their types",
    () => clientOf(berth.url, "ada").assistants.getSchemas("agent"),
    ({ state_schema }) =>
      state_schema?.properties?.question !== undefined && "type" in Object(state_schema.properties.question),
  );
  expect(schemas.state_schema).toMatchObject({
    properties: { question: { type: "string" }, answers: { type: "array", items: { type: "string" } } },
  });
  expect(schemas.config_schema).toMatchObject({
    properties: { tone: { enum: ["calm", "loud"] }, retries: { type: "number" } },
  });
});
