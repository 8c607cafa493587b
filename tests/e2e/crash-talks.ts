import { expect } from "bun:test";
import { WAIT_LIMIT_MS } from "../limits.ts";
import { ask, type Frame, Refused, readFrames } from "./crash-http.ts";

/** A thread that commands start runs on, and what its reader had seen when the process died. */
export type Talk = { thread_id: string; runs: string[]; frames: Frame[] };

type Event = { seq: number; method: string; params: { namespace: string[]; data: { event?: string } } };
type Reply = { type: string; result?: { run_id?: string } };

const CHANNELS = ["values", "updates", "lifecycle", "checkpoints", "tasks", "custom"];
const RUNS_A_THREAD = 3;

export const eventOf = ({ data }: Frame) => JSON.parse(data) as Event;

/** How the run of an id of the root's lifecycle ended; undefined for anything else. */
function endOf(frame: Frame): { run: string; event: string } | undefined {
  const [, run, event] = /^synth:([^:]+):(completed|failed|interrupted):/.exec(frame.id) ?? [];
  return run && event ? { run, event } : undefined;
}

/** Opens a thread's event stream; it ends when the process does, or when `enough` says so. */
export async function read(
  url: string,
  threadId: string,
  since: number | undefined,
  frames: Frame[],
  enough: (frames: Frame[]) => boolean,
): Promise<void> {
  const abort = new AbortController();
  const response = await fetch(`${url}/threads/${threadId}/stream/events`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ channels: CHANNELS, ...(since !== undefined && { since }) }),
    signal: abort.signal,
  });
  if (response.status !== 200) throw new Refused(`stream of ${threadId}`, response.status);
  const limit = Date.now() + WAIT_LIMIT_MS;
  const watch = setInterval(() => {
    if (enough(frames) || Date.now() > limit) abort.abort();
  }, 10);
  await readFrames(response, frames);
  clearInterval(watch);
}

/** Starts runs on one thread by commands while a reader is attached, and notes what it was told. */
export async function talk(url: string, random: () => number, talks: Talk[]): Promise<void> {
  const one: Talk = { thread_id: crypto.randomUUID(), runs: [], frames: [] };
  talks.push(one);
  let failed = false;
  const isOver = () => failed || ends(one.frames).length >= RUNS_A_THREAD;
  const reading = read(url, one.thread_id, undefined, one.frames, isOver);
  // Whatever happens to the commands, the reader is over first.
  reading.catch(() => undefined);
  try {
    for (let turn = 1; turn <= RUNS_A_THREAD; turn += 1) one.runs.push(await command(url, one, turn, random));
  } catch (error) {
    failed = true;
    throw error;
  } finally {
    await reading;
  }
}

async function command(url: string, { thread_id }: Talk, turn: number, random: () => number) {
  const input = { total: 2 * turn, pause: 5 + Math.floor(random() * 40) };
  const params = { assistant_id: "steps", input };
  const body = { id: turn, method: "run.start", params };
  const reply = await ask<Reply>(url, "POST", `/threads/${thread_id}/commands`, body);
  const run = reply.result?.run_id;
  if (!run) throw new Error(`run.start: ${JSON.stringify(reply)}`);
  return run;
}

export const ends = (frames: Frame[]) => frames.flatMap((frame) => endOf(frame) ?? []);

/** What a reader had seen and what it gets behind that are the log: nothing lost, repeated or out of order. */
export async function checkTalks(url: string, talks: Talk[]): Promise<void> {
  for (const one of talks) await checkTalk(url, one);
}

async function checkTalk(url: string, { thread_id, runs, frames }: Talk): Promise<void> {
  if (runs.length === 0 && frames.length === 0) return;
  // A run may have been created whose reply the crash swallowed.
  const listed = await ask<{ run_id: string }[]>(url, "GET", `/threads/${thread_id}/runs`);
  const all = listed.map(({ run_id }) => run_id).reverse();
  expect(all.slice(0, runs.length)).toEqual(runs);
  const whole = (seen: Frame[]) => {
    const over = new Set(ends(seen).map(({ run }) => run));
    return all.every((run) => over.has(run));
  };
  const last = frames.at(-1);
  const rest: Frame[] = [];
  await read(url, thread_id, last ? eventOf(last).seq : 0, rest, (more) => whole([...frames, ...more]));
  const log: Frame[] = [];
  await read(url, thread_id, 0, log, whole);
  expect([...frames, ...rest]).toEqual(log);
  const seqs = log.map((frame) => eventOf(frame).seq);
  expect(seqs).toEqual([...new Set(seqs)].sort((a, b) => a - b));
  expect(new Set(log.map(({ id }) => id)).size).toBe(log.length);
  expect(ends(log)).toEqual(all.map((run) => ({ run, event: "completed" })));
  const begun = log.filter(({ id }) => /^synth:[^:]+:running:/.test(id));
  expect(begun.map(({ id }) => id.split(":")[1])).toEqual(all);
}
