import { type Driven, drive, median, quantile } from "../drive.ts";
import type { Figures, JobOf } from "../job.ts";
import { stampsOf } from "./stamps.ts";
import { startRun } from "./start-run.ts";
import { isRunEnd, PUMP, ThreadReader } from "./thread-reader.ts";

const TOKENS = 20;

/** From the moment at which `run.start` is sent to the first token at a reader that was there before. */
export async function firstToken(url: string, job: JobOf<"first-token">): Promise<Figures> {
  const once = async () => {
    const threadId = Bun.randomUUIDv7();
    const reader = await ThreadReader.open(url, threadId, PUMP);
    try {
      const sentAt = performance.now();
      const started = startRun(url, threadId, `${TOKENS} stamps at 500/s`);
      const replied = started.then(() => performance.now() - sentAt);
      await reader.until(isRunEnd);
      const [first] = stampsOf(reader.events(), TOKENS);
      if (!first) throw new Error("no token came");
      return { token: first.leftAt + first.delayMs - sentAt, reply: await replied };
    } finally {
      reader.close();
    }
  };
  const driven: Driven<{ token: number; reply: number }> = await drive(job.bounds, 1, once, () => undefined);
  const tokens = driven.calls.map(({ value }) => value.token);
  const replies = driven.calls.map(({ value }) => value.reply);
  return { median: median(tokens), p95: quantile(tokens, 0.95), reply: median(replies) };
}
