import { expect, test } from "bun:test";
import type { Assistant } from "@berth/server";
import { settingFields } from "../../../web/form/index.ts";

test("what may be set leaves out what the server sets, and needs nothing that the assistant has", () => {
  const declared = {
    type: "object",
    required: ["user", "team", "model"],
    properties: {
      user: { type: "string" },
      team: { type: "string" },
      model: { type: "string" },
      thread_id: { type: "string" },
      __pregel_x: { type: "string" },
    },
  };
  const only = { type: "object", properties: { user: { type: "string" }, heat: { type: "number" } } };
  const assistant = { context: { team: "sales" } } as unknown as Assistant;
  const { context, configurable } = settingFields(
    { context_schema: declared, config_schema: only },
    assistant,
  );
  expect(context.map(({ name, required }) => [name, required])).toEqual([
    ["user", true],
    ["team", false],
    ["model", true],
  ]);
  expect(configurable.map(({ name }) => name)).toEqual(["heat"]);
});
