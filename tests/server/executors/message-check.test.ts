import { expect, test } from "bun:test";
import { messageFault } from "../../../server/executors/message-check.ts";

const row = {
  ...{ thread_id: "t", ns: "", checkpoint_id: "c", parent_id: null, run_id: "r" },
  ...{ checkpoint: "{}", metadata: "{}" },
};
const checkpoint = { kind: "checkpoint", encoded: { row, values: [], lists: [] } };
const read = (method: string, query: unknown) => ({
  type: "wish",
  call: 1,
  wish: { of: "read", read: { method, query } },
});
const gives = (one: unknown) => ({ type: "gives", job: 1, given: [one] });

test.each([
  [{ type: "pong" }],
  [{ type: "answer", call: 1, value: undefined, fault: undefined }],
  [gives({ event: { name: "values|node:1", json: "{}" }, shown: 2 })],
  [gives({ write: checkpoint, number: 1 })],
  [read("checkpoint", { thread: "t", ns: "", checkpoint: undefined })],
  [read("chunks", { thread: "no such thread", list: "l", from: 0, end: 9 })],
  [read("largeValue", { of: "chunk", thread: "t", list: "l", start: 0 })],
])("%j is a message of the protocol", (message) => {
  expect(messageFault([message])).toBeUndefined();
});

test.each([
  ["text", /unknown type/],
  [null, /unknown type/],
  [{ type: "constructor" }, /unknown type: constructor/],
  [{ type: "pong", toString: 1, call: {} }, undefined],
  [{ type: "answer", call: "1" }, /answer\/call/],
  [{ type: "answer", call: 2 ** 60 }, /answer\/call/],
  [{ type: "log", event: "x".repeat(2_000), fields: {} }, /log\/event/],
  [gives({ event: { name: "values\n\nevent: error", json: "{}" } }), /gives\/given\/0/],
  [gives({ write: { ...checkpoint, kind: "statement" }, number: 1 }), /gives\/given\/0/],
  [
    gives({
      write: { kind: "checkpoint", encoded: { row: { ...row, thread_id: {} }, values: [], lists: [] } },
      number: 1,
    }),
    /gives/,
  ],
  [read("execute", { sql: "select 1" }), /wish\/wish/],
  [read("toString", {}), /wish\/wish/],
  [read("checkpoint", { thread: { "=": "t" }, ns: "" }), /wish\/wish/],
  [read("checkpoint", { thread: "t", ns: "", table: "runs" }), /wish\/wish/],
  [
    read("values", {
      thread: "t",
      ns: "",
      versions: Array.from({ length: 129 }, () => ({ channel: "c", version: "1" })),
    }),
    /wish\/wish/,
  ],
  [read("chunks", { thread: "t", list: "l", from: -1, end: 9 }), /wish\/wish/],
])("%j is named with its fault", (message, fault) => {
  if (fault) expect(messageFault([{ type: "pong" }, message])).toMatch(fault);
  else expect(messageFault([message])).toBeUndefined();
});
