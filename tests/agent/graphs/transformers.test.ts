import { expect, test } from "bun:test";
import { convertToProtocolEvent } from "@langchain/langgraph";
import { type Extension, Transformers } from "../../../agent/graphs/transformers.ts";
import type { Graph } from "../../../agent/project/index.ts";

const made = (...factories: (() => unknown)[]) => {
  const said: Extension[] = [];
  const graph = { streamTransformers: factories } as unknown as Graph;
  const transformers = Transformers.of(graph, { convertToProtocolEvent }, (one) => said.push(one));
  return { transformers, said };
};
const promising = (value: unknown) => () => ({ init: () => ({ value }), process: () => true });
const updates = { ns: ["sub:1"], mode: "updates", payload: { node: { a: 1 } } };
const ended = { stopped: false, signal: new AbortController().signal };

test("transformers that have nothing for clients are not run, nor are those of a library", () => {
  const calls: string[] = [];
  const process = ({ method }: { method: string }) => calls.push(method) > 0;
  const counting = (more: object) => () => ({ init: () => ({}), process, ...more });
  expect(made().transformers).toBeUndefined();
  expect(made(counting({})).transformers).toBeUndefined();
  const native = { __native: true, init: () => ({ value: Promise.resolve(1) }) };
  expect(made(counting(native)).transformers).toBeUndefined();
  made(counting(native), promising(Promise.resolve())).transformers?.chunk(updates);
  expect(calls).toEqual([]);
});

test("an event that a transformer makes is said where it says, and seen by the others", async () => {
  let emitter: { push(ns: string[], event: unknown): void } | undefined;
  const seen: string[] = [];
  const pushing = () => ({
    init: () => ({}),
    onRegister: (given: typeof emitter) => {
      emitter = given;
    },
    process: ({ method }: { method: string }) => {
      if (method === "updates")
        emitter?.push(["made"], { method: "custom:mine", params: { namespace: ["made"], data: 5 } });
      return true;
    },
  });
  const watching = () => ({
    init: () => ({ done: Promise.resolve("yes") }),
    process: ({ method }: { method: string }) => seen.push(method) > 0,
  });
  const { transformers, said } = made(pushing, watching);
  transformers?.chunk(updates);
  await transformers?.end(ended);
  expect(seen.slice(0, 2)).toEqual(["custom:mine", "updates"]);
  expect(said).toEqual([
    { namespace: ["made"], name: "mine", payload: 5 },
    { namespace: [], name: "done", payload: "yes" },
  ]);
});

test("a promise that fails, or is never kept, holds up nothing but itself", async () => {
  const never = new Promise(() => undefined);
  const failing = Promise.reject(new Error("no"));
  const stop = new AbortController();
  const { transformers, said } = made(promising(failing), promising(never), promising(Promise.resolve(1)));
  const ending = transformers?.end({ stopped: false, signal: stop.signal });
  stop.abort();
  await ending;
  expect(said).toEqual([{ namespace: [], name: "value", payload: 1 }]);
});

test("what a transformer throws is the run's failure, what it throws at that is nobody's", () => {
  const throwing = () => ({
    init: () => ({ value: Promise.resolve(1) }),
    process: () => {
      throw new Error("broken transformer");
    },
    fail: () => {
      throw new Error("broken twice");
    },
  });
  const { transformers } = made(throwing);
  expect(() => transformers?.chunk(updates)).toThrow("broken transformer");
  transformers?.fail(new Error("broken transformer"));
});
