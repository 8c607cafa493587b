import { describe, expect, test } from "bun:test";
import type { FormSchema } from "../../../../web/api/endpoints.ts";
import { type FormField, fieldsOf, readField, shown } from "../../../../web/chat/settings/field-kind.ts";

const schema: FormSchema = {
  type: "object",
  required: ["model", "maxOutputTokens"],
  properties: {
    model: { type: "string", enum: ["small", "big"] },
    system_prompt: { type: "string", title: "Prompt" },
    maxOutputTokens: { type: "integer", default: 9 },
    limit: { anyOf: [{ type: "integer" }, { type: "null" }] },
    heat: { type: ["number", "null"] },
    loud: { type: "boolean" },
    tags: { type: "array", items: { type: "string" } },
    rules: { $ref: "#/$defs/Rules" },
    mood: { anyOf: [{ const: "calm" }, { const: "wild" }] },
    thread_id: { type: "string" },
    __pregel_x: { type: "string" },
  },
  $defs: { Rules: { type: "object", description: "What to keep to." } },
};

const fields = new Map(fieldsOf(schema).map((field) => [field.name, field]));
const field = (name: string): FormField => fields.get(name) ?? expect.unreachable(name);

test("a form asks for what a schema describes, each as its type wants", () => {
  expect(
    [...fields.values()].map(({ name, kind, label, required }) => [name, kind, label, required]),
  ).toEqual([
    ["model", "choice", "Model", true],
    ["system_prompt", "text", "Prompt", false],
    ["maxOutputTokens", "number", "Max output tokens", false],
    ["limit", "number", "Limit", false],
    ["heat", "number", "Heat", false],
    ["loud", "boolean", "Loud", false],
    ["tags", "list", "Tags", false],
    ["rules", "json", "Rules", false],
    ["mood", "choice", "Mood", false],
  ]);
  expect(field("rules").schema.description).toBe("What to keep to.");
  expect(field("mood").schema.enum).toEqual(["calm", "wild"]);
});

test.each([null, undefined, {}, { type: "object" }])("nothing is asked for by %p", (empty) => {
  expect(fieldsOf(empty)).toEqual([]);
});

describe("what is typed", () => {
  test.each([
    ["model", "big", "big"],
    ["system_prompt", " hi ", " hi "],
    ["limit", "3", 3],
    ["heat", "0.5", 0.5],
    ["loud", "false", false],
    ["tags", "a\n\n b ", ["a", "b"]],
    ["rules", '{"a": [1]}', { a: [1] }],
  ])("%s: %p means %p, and is shown so again", (name, text, value) => {
    expect(readField(field(name), text)).toEqual({ value });
    expect(readField(field(name), shown(field(name).kind, value))).toEqual({ value });
  });

  test("means nothing when it is empty", () => {
    for (const each of fields.values()) expect(readField(each, " ")).toEqual({});
  });

  test.each([
    ["limit", "1.5", "whole"],
    ["heat", "warm", "number"],
    ["rules", "{", "not JSON"],
  ])("%s: %p is refused", (name, text, words) => {
    const { value, error } = readField(field(name), text);
    expect(value).toBeUndefined();
    expect(error).toContain(words);
  });
});
