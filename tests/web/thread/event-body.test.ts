import { afterEach, describe, expect, test } from "bun:test";
import { eventStream } from "../../../web/thread/feed-adapter.ts";
import type { WireEvent, WireFilter } from "../../../web/thread/protocol.ts";
import { type Backfill, OlderEvents } from "../../../web/thread/run-log.ts";
import { ThreadSocket } from "../../../web/thread/thread-socket.ts";
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

const root: WireFilter = { channels: ["messages", "lifecycle"], namespaces: [[]], depth: 1 };
const nothingOlder = new OlderEvents(async () => []);
const OLD = "tools:38e888c7-447d-5005-9856-b527c9b83edb";

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

/** An event of a subagent, as the server replays it. */
const stored = (seq: number): WireEvent => {
  const frame = eventFrame({ seq, namespace: [OLD] });
  const { namespace } = frame.params;
  return {
    seq,
    eventId: frame.event_id,
    method: frame.method,
    namespace,
    data: {},
    json: JSON.stringify(frame),
  };
};

describe("a subagent of an earlier run", () => {
  const scoped: WireFilter = { channels: ["messages"], namespaces: [[], [OLD]], depth: 1 };

  test("is asked for, and comes before what is new", async () => {
    const { socket, server } = await connected([ended(9)]);
    const asked: WireFilter[] = [];
    const gate = Promise.withResolvers<void>();
    const backfill: Backfill = async (filter) => {
      if (filter.channels.includes("tools")) return [];
      asked.push(filter);
      await gate.promise;
      return [stored(4)];
    };
    const numbers = numbersOf(eventStream(socket, scoped, new OlderEvents(backfill), undefined));
    await settled();
    await server.say(eventFrame({ seq: 10 }));
    gate.resolve();
    await settled();
    await settled();
    await server.say(eventFrame({ seq: 11 }));
    expect(numbers).toEqual([4, 10, 11]);
    expect(asked).toEqual([{ channels: ["messages"], namespaces: [[OLD]], depth: 1 }]);
  });

  test("whose events cannot be had keeps nobody from the rest", async () => {
    const { socket, server } = await connected([ended(9)]);
    const backfill = () => Promise.reject(new Error("gone"));
    const numbers = numbersOf(eventStream(socket, scoped, new OlderEvents(backfill), undefined));
    await settled();
    await server.say(eventFrame({ seq: 10 }));
    expect(numbers).toEqual([10]);
  });

  test("is not asked for when it belongs to the newest run", async () => {
    const { socket, server } = await connected();
    await server.say(running(1));
    await server.say(eventFrame({ seq: 2, namespace: [OLD, "model:1"] }));
    const backfill = () => Promise.reject(new Error("not needed"));
    const numbers = numbersOf(eventStream(socket, scoped, new OlderEvents(backfill), undefined));
    await settled();
    expect(numbers).toEqual([2]);
  });
});

describe("whose namespace the SDK does not know", () => {
  const call = (seq: number, id: string, data: object): WireEvent => {
    const frame = eventFrame({ seq, method: "tools", namespace: [OLD], data: { tool_call_id: id, ...data } });
    const { namespace } = frame.params;
    return {
      seq,
      eventId: frame.event_id,
      method: "tools",
      namespace,
      data: { tool_call_id: id, ...data },
      json: JSON.stringify(frame),
    };
  };
  const calls = [
    call(1, "a", { event: "tool-started", tool_name: "search" }),
    call(2, "b", { event: "tool-started", tool_name: "task" }),
    call(3, "a", { event: "tool-finished" }),
    call(4, "b", { event: "tool-finished" }),
  ];
  const filter: WireFilter = {
    channels: ["messages", "tools"],
    namespaces: [[], ["tools:call_b"]],
    depth: 1,
  };

  test("is told by the calls of subagents, which are asked for once", async () => {
    const { socket } = await connected([ended(9)]);
    const asked: WireFilter[] = [];
    const older = new OlderEvents(async (wanted) => {
      asked.push(wanted);
      return calls;
    });
    for (let time = 0; time < 2; time++) {
      const numbers = numbersOf(eventStream(socket, filter, older, undefined));
      await settled();
      await settled();
      expect(numbers).toEqual([2, 4]);
    }
    expect(asked).toEqual([{ channels: ["tools"], namespaces: [["tools"]], depth: 0 }]);
  });

  test("asks nobody while it is about to run", async () => {
    const { socket, server } = await connected();
    await server.say(running(1));
    const older = new OlderEvents(() => Promise.reject(new Error("not needed")));
    const numbers = numbersOf(eventStream(socket, { ...filter, channels: ["lifecycle"] }, older, undefined));
    await settled();
    expect(numbers).toEqual([1]);
  });
});

test("what a run resumes is asked for, although it writes there again", async () => {
  const { socket, server } = await connected([ended(9, "interrupted")]);
  await server.say(running(10, "r2"));
  await server.say(eventFrame({ seq: 11, method: "input.answered", data: { interrupt_ids: ["i"] } }));
  await server.say(eventFrame({ seq: 12, namespace: [OLD] }));
  const filter: WireFilter = { channels: ["messages"], namespaces: [[OLD]], depth: 1 };
  const older = new OlderEvents(async () => [stored(4), stored(12)]);
  const numbers = numbersOf(eventStream(socket, filter, older, undefined));
  await settled();
  await settled();
  expect(numbers).toEqual([4, 12]);
});

test("a run too long to keep is read again from the server, where it is missing", async () => {
  const dial = new Dialled();
  const socket = new ThreadSocket({ open: dial.open, mostChars: 600 });
  opened.push(socket);
  socket.start();
  const server = await dial.next();
  await begin(server);
  await server.say(running(1));
  for (const seq of [2, 3, 4, 5, 6, 7, 8]) await server.say(eventFrame({ seq }));
  const kept = socket.log.matching(root).map(({ seq }) => seq);
  expect(kept.length).toBeWithin(1, 8);
  const asked: (number | undefined)[] = [];
  const backfill: Backfill = async (_, since) => {
    asked.push(since);
    return [1, 2, 3, 4, 5, 6, 7, 8].map(stored);
  };
  const numbers = numbersOf(eventStream(socket, root, new OlderEvents(backfill), undefined));
  await settled();
  await settled();
  expect(asked).toEqual([0]);
  expect(numbers).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
});
