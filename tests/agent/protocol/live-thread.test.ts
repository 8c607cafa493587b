import { expect, test } from "bun:test";
import { type TailBatch, Unavailable } from "@berth/store";
import { patiently, type ThreadFrame } from "../../../agent/events/index.ts";
import { LiveThread } from "../../../agent/protocol/live-thread.ts";
import { ThreadFold } from "../../../agent/protocol/run-fold.ts";

test("whoever leaves while the database is away leaves no stray error", async () => {
  const strays: unknown[] = [];
  const note = (error: unknown) => void strays.push(error);
  process.on("unhandledRejection", note);
  try {
    const live = new LiveThread(new ThreadFold(), 0, 0);
    const asked = Promise.withResolvers<void>();
    const away = () => {
      asked.resolve();
      return Promise.reject(new Unavailable("away"));
    };
    async function* frames(abort: AbortSignal): AsyncGenerator<TailBatch<ThreadFrame>> {
      yield await patiently<TailBatch<ThreadFrame>>(away, abort);
    }
    live.start(frames);
    const ended = live.changed(live.version);
    await asked.promise;
    live.stop();
    await ended;
    expect(live.ended).toBe(true);
    // A rejection that nobody takes is told in a later turn.
    for (let turn = 0; turn < 5; turn += 1) await new Promise((next) => setImmediate(next));
    expect(strays).toEqual([]);
  } finally {
    process.off("unhandledRejection", note);
  }
});
