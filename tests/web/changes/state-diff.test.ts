import { expect, test } from "bun:test";
import { changedKeys, stateDiff } from "../../../web/changes/index.ts";

const hi = { id: "1", type: "human", content: "hi" };
const yes = { id: "2", type: "ai", content: "yes" };

test.each([
  ["nothing", { a: 1 }, { a: 1 }, []],
  ["a key more", {}, { a: 1 }, [{ path: "a", kind: "added", after: 1 }]],
  ["a key less", { a: 1 }, {}, [{ path: "a", kind: "removed", before: 1 }]],
  ["a value", { a: { b: 1 } }, { a: { b: 2 } }, [{ path: "a.b", kind: "changed", before: 1, after: 2 }]],
  [
    "another kind of value",
    { a: [1] },
    { a: "x" },
    [{ path: "a", kind: "changed", before: [1], after: "x" }],
  ],
  [
    "a message more",
    { messages: [hi] },
    { messages: [hi, yes] },
    [{ path: "messages[1]", kind: "added", after: yes }],
  ],
  [
    "a message taken out of the middle",
    { messages: [hi, yes] },
    { messages: [yes] },
    [{ path: "messages[0]", kind: "removed", before: hi }],
  ],
  [
    "a message's words",
    { messages: [yes] },
    { messages: [{ ...yes, content: "no" }] },
    [{ path: "messages[0].content", kind: "changed", before: "yes", after: "no" }],
  ],
  [
    "entries without ids",
    { l: [1, 2] },
    { l: [1, 3] },
    [{ path: "l[1]", kind: "changed", before: 2, after: 3 }],
  ],
])("tells %s", (_, before, after, changes) => {
  expect<unknown>(stateDiff(before, after)).toEqual(changes);
});

test("sums up which keys changed", () => {
  const before = { messages: [hi], todos: [1, 2], files: {}, same: [1] };
  const after = { messages: [hi, yes], todos: [1], files: { a: 1 }, same: [1], fresh: 1 };
  expect(changedKeys(before, after)).toEqual(["messages +1", "todos −1", "files", "fresh"]);
});
