import { expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { quickest, TEST_LIMIT_MS } from "../limits.ts";
import { ON_POSTGRES } from "../postgres/for-data.ts";
import { start } from "./berth-process.ts";
import { ask } from "./crash-http.ts";
import { CRASH_PROJECT } from "./crash-round.ts";

const MB = 1024 * 1024;
const EVENTS = 20_000;
const EVENT_BYTES = 5_000;
/** Everything the run says is some 100 MB. */
const MOST_GROWTH = 60 * MB;
const READERS = 3;

function memoryOf(pid: number): number {
  const { stdout } = Bun.spawnSync(["ps", "-o", "rss=", "-p", String(pid)]);
  return Number(stdout.toString().trim()) * 1024;
}

const flood = { assistant_id: "flood", stream_mode: ["custom"], stream_resumable: true };

/** Begins to read a stream and then reads no more, until it is told to; fetch would read on by itself. */
async function slowReader(url: string, path: string): Promise<{ rest(): Promise<number[]> }> {
  const { hostname, port, host } = new URL(url);
  const socket: Socket = connect(Number(port), hostname);
  const opened = Promise.withResolvers<void>();
  let text = "";
  let beginning = true;
  const indexes: number[] = [];
  socket.on("data", (bytes) => {
    text += bytes;
    const lines = text.split("\n");
    text = lines.pop() ?? "";
    for (const line of lines) {
      const index = /"index":(\d+),/.exec(line)?.[1];
      if (index) indexes.push(Number(index));
    }
    if (!beginning || indexes.length === 0) return;
    beginning = false;
    socket.pause();
    opened.resolve();
  });
  socket.on("error", opened.reject);
  socket.write(`GET ${path} HTTP/1.1\r\nhost: ${host}\r\nlast-event-id: -1\r\nconnection: close\r\n\r\n`);
  await opened.promise;
  return {
    rest: async () => {
      const closed = new Promise<void>((resolve) => socket.on("close", () => resolve()));
      socket.resume();
      await closed;
      return indexes;
    },
  };
}

test(
  "readers that do not read cost the server no memory, and miss nothing",
  async () => {
    // What it may grow by was measured on the sources. Readers are the front's alone: what a flood takes on its way
    // from an executor would hide what they take.
    const berth = await start({ project: CRASH_PROJECT, sources: true, env: { EXECUTORS: "0" } });
    const newThread = async () =>
      (await ask<{ thread_id: string }>(berth.url, "POST", "/threads", {})).thread_id;
    const run = async (count: number) => {
      const path = `/threads/${await newThread()}/runs`;
      const { run_id } = await ask<{ run_id: string }>(berth.url, "POST", path, {
        ...flood,
        input: { count, size: EVENT_BYTES },
      });
      return `${path}/${run_id}`;
    };
    /** The most memory that the server has until a run is over. */
    const peak = async (path: string) => {
      let most = 0;
      const watch = setInterval(() => {
        most = Math.max(most, memoryOf(berth.pid));
      }, 50);
      await ask(berth.url, "GET", `${path}/join`);
      clearInterval(watch);
      return Math.max(most, memoryOf(berth.pid));
    };
    // What such a run itself needs at most, nobody reading. The driver of a server has buffers that grow with the first.
    let alone = 0;
    for (let runs = 0; runs < (ON_POSTGRES ? 3 : 1); runs += 1)
      alone = Math.max(alone, await peak(await run(EVENTS)));

    const all = Array.from({ length: EVENTS }, (_, index) => index);
    const grown = async () => {
      const path = await run(EVENTS);
      const readers = await Promise.all(
        Array.from({ length: READERS }, () => slowReader(berth.url, `${path}/stream`)),
      );
      const most = await peak(path);
      for (const reader of readers) expect(await reader.rest()).toEqual(all);
      return most - alone;
    };
    // Garbage lies longer on a busy machine; what is kept for readers is there each time.
    expect(await quickest(MOST_GROWTH, grown, 3)).toBeLessThan(MOST_GROWTH);
    await berth.stop();
  },
  TEST_LIMIT_MS,
);
