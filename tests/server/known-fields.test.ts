import { expect, test } from "bun:test";
import type { FaultDetail } from "@berth/store";
import { type TSchema, Type } from "@sinclair/typebox";
import { Dictionary, nullable, optional } from "../../server/http/fields.ts";
import { validator } from "../../server/http/validator.ts";

function pruned(schema: TSchema, text: string): string {
  const value: unknown = JSON.parse(text);
  const { accepts, prune } = validator(schema, "body");
  expect([text, accepts(value)]).toEqual([text, true]);
  prune(value);
  return JSON.stringify(value);
}

const Item = Type.Object({ a: Type.Number() });

const cases: [what: string, schema: TSchema, sent: string, left: string][] = [
  ["an object", Item, '{"id":1,"a":2}', '{"a":2}'],
  ["one with the names of every object", Item, '{"__proto__":{},"constructor":1,"a":2}', '{"a":2}'],
  ["one inside another", Type.Object({ in: Item }), '{"in":{"a":2,"id":1}}', '{"in":{"a":2}}'],
  ["one that may be null", Type.Object({ in: optional(Item) }), '{"in":{"a":2,"id":1}}', '{"in":{"a":2}}'],
  ["null", Type.Object({ in: nullable(Item) }), '{"in":null,"id":1}', '{"in":null}'],
  ["items of a list", Type.Array(Item), '[{"a":1,"id":1},{"a":2}]', '[{"a":1},{"a":2}]'],
  [
    "one of two forms",
    Type.Union([Type.String(), Item, Type.Array(Type.Union([Item, Type.String()]))]),
    '[{"a":1,"id":1},"x"]',
    '[{"a":1},"x"]',
  ],
  ["values of a dictionary that stays whole", Dictionary, '{"id":1,"in":{"x":1}}', '{"id":1,"in":{"x":1}}'],
  ["what may be anything", Type.Object({ in: Type.Unknown() }), '{"in":{"id":1}}', '{"in":{"id":1}}'],
  [
    "one that says that it has more",
    Type.Object({ a: Type.Number() }, { additionalProperties: true }),
    '{"a":2,"id":1}',
    '{"a":2,"id":1}',
  ],
  [
    "an object or a dictionary",
    Type.Union([Item, Type.Record(Type.String(), Type.Unknown())]),
    '{"a":2,"id":1}',
    '{"a":2,"id":1}',
  ],
];

test.each(cases)("of %s, what its schema does not name is left out", (_, schema, sent, left) => {
  expect(pruned(schema, sent)).toBe(left);
});

const unknown: [what: string, schema: TSchema, sent: string, named: unknown[][]][] = [
  [
    "an object",
    Item,
    '{"id":1,"a":2,"__proto__":{}}',
    [
      ["body", "id"],
      ["body", "__proto__"],
    ],
  ],
  ["one inside another", Type.Object({ in: Item }), '{"in":{"a":2,"id":1}}', [["body", "in", "id"]]],
  ["items of a list", Type.Array(Item), '[{"a":1},{"a":2,"id":1}]', [["body", 1, "id"]]],
  ["an object that does not fit", Item, '{"a":"x","id":1}', [["body", "id"]]],
  ["a dictionary", Dictionary, '{"id":1}', []],
];

test.each(unknown)(
  "of %s, what its schema does not name is said, without its value",
  (_, schema, sent, named) => {
    const faults = validator(schema, "body").unknown(JSON.parse(sent));
    expect(faults.map(({ loc }) => loc)).toEqual(named as FaultDetail["loc"][]);
    for (const { loc, ...fault } of faults)
      expect(fault).toEqual({ msg: "Extra inputs are not permitted", type: "extra_forbidden" });
  },
);

test("of many unknown fields, a hundred are named", () => {
  const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`f${at}`, at]));
  expect(validator(Item, "body").unknown(many)).toHaveLength(100);
});
