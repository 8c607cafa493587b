import { describe, expect, test } from "bun:test";
import { permits } from "@berth/store";
import { OwnAuth, readAuthFilter } from "../../../agent/auth.ts";

const metadata = { owner: "ada", team: { name: "navy" }, tags: ["a", "b"], size: 3 };
const sees = (filter: Record<string, unknown>) => permits(readAuthFilter(filter), metadata);

describe("filters of auth handlers", () => {
  test("compare members of the metadata, all of which must hold", () => {
    expect(sees({ owner: "ada" })).toBe(true);
    expect(sees({ owner: { $eq: "ada" }, size: 3 })).toBe(true);
    expect(sees({ owner: "ada", size: 4 })).toBe(false);
    expect(sees({ missing: "x" })).toBe(false);
  });

  test("look into lists and nested keys", () => {
    expect(sees({ tags: { $contains: "a" } })).toBe(true);
    expect(sees({ tags: { $contains: ["a", "b"] } })).toBe(true);
    expect(sees({ tags: { $contains: ["a", "z"] } })).toBe(false);
    expect(sees({ team: { name: "navy" } })).toBe(true);
    expect(sees({ team: { name: "army" } })).toBe(false);
  });

  test("can be joined by $and and $or", () => {
    expect(sees({ $or: [{ owner: "grace" }, { size: 3 }] })).toBe(true);
    expect(sees({ $or: [{ owner: "grace" }, { size: 4 }] })).toBe(false);
    expect(sees({ $and: [{ owner: "ada" }, { size: 4 }] })).toBe(false);
    expect(sees({ owner: "ada", $or: [{ size: 3 }] })).toBe(true);
  });

  test("keep a condition on any name", () => {
    const filter = readAuthFilter(JSON.parse('{"__proto__": "x", "owner": "ada"}'));
    expect(permits(filter, metadata)).toBe(false);
  });

  test("that would let everybody through by mistake are refused", () => {
    for (const wrong of [
      {},
      { $or: [{}] },
      { $and: [{ owner: "ada" }, {}] },
      { $or: [{ $and: [{}] }] },
      { owner: Number.NaN },
      { owner: { $contains: [Number.POSITIVE_INFINITY] } },
      { owner: undefined },
      { owner: { $eq: undefined } },
      { owner: {} },
      { owner: { $eq: {} } },
      { owner: { $ne: "ada" } },
      { tags: { $contains: [] } },
      { $or: [] },
      { $not: { owner: "ada" } },
    ])
      expect(() => readAuthFilter(wrong)).toThrow(TypeError);
  });
});

test("the handler that is closest to the question is the only one that runs", async () => {
  const asked: string[] = [];
  const names = ["*", "*:read", "threads", "threads:read"];
  const callbacks: Record<string, () => void> = {};
  const auth = new OwnAuth({ authenticate: () => "ada", callbacks }, false);
  const user = await auth.authenticate(new Request("http://localhost/"));
  expect(user).toEqual({ identity: "ada", display_name: "ada", permissions: [], is_authenticated: true });
  for (const name of names) {
    callbacks[name] = () => void asked.push(name);
    await auth.ask(user, { resource: "threads", action: "read", value: {} });
  }
  expect(asked).toEqual(names);
});
