import { afterEach, describe, expect, test } from "bun:test";
import { type Backfill, eventStream } from "../../web/api/event-body.ts";
import type { Filter } from "../../web/api/protocol.ts";
import { ThreadSocket } from "../../web/api/thread-socket.ts";
import { begin, Dialled, ended, eventFrame, running, settled } from "./scripted-socket.ts";

const opened: ThreadSocket[] = [];
afterEach(() => {
  for (const socket of opened.splice(0)) socket.stop();
});

async function connected(lifecycle: object[] = []) {
  const dial = new Dialled();
  const socket = new ThreadSocket({ open: dial.open });
  opened.push(socket);
  socket.start();
  const server = await dial.next();
  await begin(server, lifecycle);
  return { socket, server };
}

const root: Filter = { channels: ["messages", "lifecycle"], namespaces: [[]], depth: 1 };
const nothingOlder: Backfill = async () => [];

/** The numbers of the events that a body brings, as they come. */
function numbersOf(response: Response): number[] {
  const numbers: number[] = [];
  const read = async () => {
    for await (const chunk of response.body ?? []) {
      for (const [, seq] of new TextDecoder().decode(chunk).matchAll(/"seq":(\d+)/g))
        numbers.push(Number(seq));
    }
  };
  read().catch(() => {});
  return numbers;
}

describe("a stream over the socket", () => {
  test("looks like the server's, and gets what its filter lets through", async () => {
    const { socket, server } = await connected();
    const response = eventStream(socket, root, nothingOlder, undefined);
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    const numbers = numbersOf(response);
    await server.say(running(1));
    await server.say(eventFrame({ seq: 2, namespace: ["agent:1"] }));
    await server.say(eventFrame({ seq: 3, namespace: ["tools:1", "model:2"] }));
    await server.say(eventFrame({ seq: 4, method: "values" }));
    await server.say(ended(5));
    expect(numbers).toEqual([1, 2, 5]);
  });

  test("opened late starts with what the newest run has published so far, and has no seam", async () => {
    const { socket, server } = await connected([ended(1)]);
    await server.say(running(2, "r2"));
    for (const seq of [3, 4]) await server.say(eventFrame({ seq, run: "r2" }));
    const numbers = numbersOf(eventStream(socket, root, nothingOlder, undefined));
    await server.say(eventFrame({ seq: 5, run: "r2" }));
    await settled();
    expect(numbers).toEqual([2, 3, 4, 5]);
  });

  test("leaves out what earlier runs published", async () => {
    const { socket, server } = await connected();
    for (const frame of [running(1), eventFrame({ seq: 2 }), ended(3), running(4, "r2")])
      await server.say(frame);
    const numbers = numbersOf(eventStream(socket, root, nothingOlder, undefined));
    await settled();
    expect(numbers).toEqual([4]);
  });

  test("outlives the connection that feeds it", async () => {
    const dial = new Dialled();
    const socket = new ThreadSocket({ open: dial.open });
    opened.push(socket);
    socket.start();
    const numbers = numbersOf(eventStream(socket, root, nothingOlder, undefined));
    const first = await dial.next();
    await begin(first);
    await first.say(eventFrame({ seq: 1 }));
    first.drop();
    socket.wake();
    const second = await dial.next();
    await second.answer(await second.command(), { subscription_id: "wide" });
    await second.say(eventFrame({ seq: 2 }));
    await settled();
    expect(numbers).toEqual([1, 2]);
  });

  test("is cut off when its reader leaves", async () => {
    const { socket, server } = await connected();
    const left = new AbortController();
    const response = eventStream(socket, root, nothingOlder, left.signal);
    const reader = response.body?.getReader();
    const read = reader?.read();
    await settled();
    left.abort();
    await expect(read).rejects.toThrow();
    await server.say(eventFrame({ seq: 1 }));
  });
});

describe("a subagent of an earlier run", () => {
  const scoped: Filter = { channels: ["messages"], namespaces: [[], ["tools:old"]], depth: 1 };

  test("is asked for, and comes before what is new", async () => {
    const { socket, server } = await connected([ended(9)]);
    const asked: Filter[] = [];
    const gate = Promise.withResolvers<void>();
    const backfill: Backfill = async (filter) => {
      asked.push(filter);
      await gate.promise;
      return [JSON.stringify(eventFrame({ seq: 4, namespace: ["tools:old"] }))];
    };
    const numbers = numbersOf(eventStream(socket, scoped, backfill, undefined));
    await settled();
    await server.say(eventFrame({ seq: 10 }));
    gate.resolve();
    await settled();
    await settled();
    await server.say(eventFrame({ seq: 11 }));
    expect(numbers).toEqual([4, 10, 11]);
    expect(asked).toEqual([{ channels: ["messages"], namespaces: [["tools:old"]], depth: 1 }]);
  });

  test("whose events cannot be had keeps nobody from the rest", async () => {
    const { socket, server } = await connected([ended(9)]);
    const backfill = () => Promise.reject(new Error("gone"));
    const numbers = numbersOf(eventStream(socket, scoped, backfill, undefined));
    await settled();
    await server.say(eventFrame({ seq: 10 }));
    expect(numbers).toEqual([10]);
  });

  test("is not asked for when it belongs to the newest run", async () => {
    const { socket, server } = await connected();
    await server.say(running(1));
    await server.say(eventFrame({ seq: 2, namespace: ["tools:old", "model:1"] }));
    const backfill = () => Promise.reject(new Error("not needed"));
    const numbers = numbersOf(eventStream(socket, scoped, backfill, undefined));
    await settled();
    expect(numbers).toEqual([2]);
  });
});
