import { expect, test } from "bun:test";
import { Bodies } from "../../../agent/executors/bodies.ts";
import type { BodyMessage } from "../../../agent/executors/protocol.ts";

/** Two ends, and all that went between them. */
function ends() {
  const went: BodyMessage[] = [];
  const sendTo = (hear: (message: BodyMessage) => void) => (message: BodyMessage) => {
    went.push(message);
    queueMicrotask(() => hear(structuredClone(message)));
  };
  const giving = new Bodies(sendTo((message) => taking.hear(message)));
  const taking: Bodies = new Bodies(sendTo((message) => giving.hear(message)));
  return { giving, taking, went };
}

const bytes = (length: number) => new Uint8Array(length).map((_, at) => at % 251);

test("a body arrives whole, in pieces of 256 KiB at most", async () => {
  const { giving, taking, went } = ends();
  const body = bytes(1_000_000);
  const over: string[] = [];
  const number = giving.give(new Blob([body]).stream(), () => over.push("given"));
  const arrived = await new Response(taking.take(number, () => over.push("taken"))).bytes();
  expect(Buffer.compare(arrived, body)).toBe(0);
  const sizes = went.flatMap((message) => (message.of === "chunk" ? [message.chunk?.byteLength ?? 0] : []));
  expect(Math.max(...sizes)).toBeLessThanOrEqual(256 * 1024);
  expect(over.sort()).toEqual(["given", "taken"]);
});

test("nobody reads ahead of who takes it", async () => {
  const { giving, taking } = ends();
  let read = 0;
  const endless = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      read += 1;
      controller.enqueue(bytes(10));
    },
  });
  const reader = taking.take(giving.give(endless)).getReader();
  for (let at = 0; at < 5; at += 1) await reader.read();
  expect(read).toBeLessThan(10);
});

test("who takes it and goes ends it where it is given, and no sooner comes a new chunk", async () => {
  const { giving, taking } = ends();
  const ended = Promise.withResolvers<void>();
  const silent = new ReadableStream<Uint8Array>({
    pull: () => new Promise(() => undefined),
    cancel: () => ended.resolve(),
  });
  const body = taking.take(giving.give(silent));
  await body.cancel();
  await ended.promise;
});

test("what breaks off breaks off at the other end, and so does all of it when that is gone", async () => {
  const { giving, taking } = ends();
  const broken = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.error(new RangeError("broke off")),
  });
  const reading = new Response(taking.take(giving.give(broken))).text();
  await expect(reading).rejects.toThrow("broke off");
  const silent = new ReadableStream<Uint8Array>({ pull: () => new Promise(() => undefined) });
  const waiting = new Response(taking.take(giving.give(silent))).text();
  taking.fail(new Error("it is gone"));
  await expect(waiting).rejects.toThrow("it is gone");
});

test("a body of which nothing was read can be given elsewhere", async () => {
  const { giving } = ends();
  const other = ends();
  const body = new Blob(["all of it"]).stream();
  const number = giving.give(body);
  giving.fail(new Error("the other end is gone"));
  giving.takeBack(number);
  expect(await new Response(other.taking.take(other.giving.give(body))).text()).toBe("all of it");
});
