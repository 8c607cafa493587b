import { describe, expect, test } from "bun:test";
import { readField, shown } from "../../../web/form/field-text.ts";
import { type FormField, type FormSchema, fieldsOf } from "../../../web/form/form-field.ts";
import { NEEDED, readFields, textsOf } from "../../../web/form/form-values.ts";

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
    size: { type: "integer", minimum: 1, maximum: 9 },
    code: { type: "string", pattern: "^[a-z]+$", maxLength: 4 },
    messages: { type: "array", items: { $ref: "#/$defs/Message" } },
    place: {
      type: "object",
      required: ["city"],
      properties: { city: { type: "string" }, zip: { type: "string" } },
    },
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
    ["size", "number", "Size", false],
    ["code", "text", "Code", false],
    ["messages", "messages", "Messages", false],
    ["place", "object", "Place", false],
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
    ["messages", "Hi", [{ type: "human", content: "Hi" }]],
    ["messages", '[{"type": "ai", "content": "Hi"}]', [{ type: "ai", content: "Hi" }]],
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
    ["rules", "{", "not valid JSON"],
    ["rules", "[1]", "JSON object"],
    ["size", "0", "at least 1"],
    ["size", "10", "at most 9"],
    ["code", "abcde", "at most 4"],
    ["code", "A", "match"],
    ["messages", "[", "not valid JSON"],
  ])("%s: %p is refused", (name, text, words) => {
    const { value, error } = readField(field(name), text);
    expect(value).toBeUndefined();
    expect(error).toContain(words);
  });
});

const all = fieldsOf(schema);

describe("a whole value", () => {
  const value = {
    model: "big",
    place: { city: "Porto", planet: "Earth" },
    tags: ["a"],
    stray: { kept: true },
  };

  test("is shown in the fields and read from them again, with what no field asks for", () => {
    const read = readFields(all, textsOf(all, value), value);
    expect(read.value).toEqual(value);
  });

  test("lacks what was emptied", () => {
    const texts = { ...textsOf(all, value), "place/city": "", tags: " " };
    const { value: left } = readFields(all, texts, value);
    expect(left).toEqual({ model: "big", stray: value.stray });
  });

  test("is not whole where something is missing, in an object only where one was begun", () => {
    expect([...readFields(all, {}, undefined).errors]).toEqual([["model", NEEDED]]);
    const begun = readFields(all, { model: "big", "place/zip": "4000" }, undefined);
    expect([...begun.errors]).toEqual([["place/city", NEEDED]]);
  });

  test("may be no object", () => {
    const [only, ...none] = fieldsOf({ type: "string", minLength: 2 });
    expect(none).toEqual([]);
    if (!only) expect.unreachable();
    expect(readFields([only], textsOf([only], "hello"), undefined).value).toBe("hello");
    expect(readFields([only], { [only.path]: "h" }, undefined).errors.size).toBe(1);
  });
});

test("a list of messages is known as Python and TypeScript declare one", () => {
  const python = { anyOf: [{ $ref: "#/$defs/AIMessage" }, { $ref: "#/$defs/HumanMessageChunk" }] };
  const kinds = [python, { $ref: "#/definitions/Message" }, { $ref: "#/definitions/ToolCall" }].map(
    (items) => fieldsOf({ type: "object", properties: { list: { type: "array", items } } })[0]?.kind,
  );
  expect(kinds).toEqual(["messages", "messages", "json"]);
});
