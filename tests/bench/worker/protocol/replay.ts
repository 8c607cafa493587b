import { field } from "../calls.ts";
import { drive, median } from "../drive.ts";
import type { Figures, JobOf } from "../job.ts";
import type { ServerEvent } from "../sse.ts";
import { startRun } from "./start-run.ts";
import { isRunEnd, PUMP, type Subscription, ThreadReader } from "./thread-reader.ts";

/** How far from the end a reader comes back that has missed little. */
const MISSED = 100;

/** A thread with a long past, opened by a reader that knows nothing of it and by one that knows nearly all. */
export async function replay(url: string, job: JobOf<"replay">): Promise<Figures> {
  const threadId = Bun.randomUUIDv7();
  const last = await talk(url, threadId, job);
  const open = async (subscription: Subscription) => {
    const reader = await ThreadReader.open(url, threadId, subscription);
    await reader.until((event) => field(event, "event_id") === last);
    reader.close();
    return timesOf(reader);
  };
  const whole = await drive(
    job.bounds,
    1,
    () => open(PUMP),
    () => undefined,
  );
  const events = whole.calls.at(-1)?.value.seqs ?? [];
  const since = events.at(-1 - MISSED);
  if (since === undefined) throw new Error(`only ${events.length} events`);
  const late = await drive(
    job.bounds,
    1,
    () => open({ ...PUMP, since }),
    () => undefined,
  );
  const ms = median(whole.calls.map(({ value }) => value.lastMs));
  return {
    ...{ events: events.length, ms, eventsPerSecond: (events.length / ms) * 1000 },
    first: median(whole.calls.map(({ value }) => value.firstMs)),
    since: median(late.calls.map(({ value }) => value.firstMs)),
    missed: late.calls.at(-1)?.value.seqs.length,
  };
}

/** Gives a thread its past. Returns the id of its last event. */
async function talk(url: string, threadId: string, { runs, tokens }: JobOf<"replay">): Promise<unknown> {
  const reader = await ThreadReader.open(url, threadId, PUMP);
  let last: unknown;
  const ended = (event: unknown) => isRunEnd(event) && field(event, "event_id") !== last;
  for (let run = 0; run < runs; run += 1) {
    await startRun(url, threadId, `${tokens} stamps at once`);
    await reader.until((event) => {
      if (!ended(event)) return false;
      last = field(event, "event_id");
      return true;
    });
  }
  reader.close();
  return last;
}

function timesOf(reader: ThreadReader) {
  const events: ServerEvent[] = [...reader.events()];
  const after = (event: ServerEvent | undefined) => (event?.at ?? Number.NaN) - reader.openedAt;
  const seqs = events.map(({ data }) => Number(field(JSON.parse(data), "seq")));
  return { firstMs: after(events[0]), lastMs: after(events.at(-1)), seqs };
}
