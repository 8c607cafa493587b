import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Agent, ThreadEvent } from "@berth/agent";
import { until } from "../../e2e/condition.ts";
import { openRunsRig } from "../runs/runs-rig.ts";

const CHANNELS = ["values", "updates", "messages", "tools", "lifecycle", "input", "tasks", "checkpoints"];
const filter = { channels: new Set(CHANNELS) };
let rig: Awaited<ReturnType<typeof openRunsRig>>;
let agent: Agent;

beforeAll(async () => {
  rig = await openRunsRig();
  ({ agent } = await rig.openAgent());
});
afterAll(() => rig.close());

async function talk(on: Agent, threadId: string, input = { total: 2, pause: 1 }) {
  const run = await on.runs.create(
    {
      assistant_id: "steps",
      input,
      stream_mode: ["values", "updates", "tasks"],
      stream_subgraphs: true,
      thread_log: true,
      if_not_exists: "create",
    },
    { threadId, headers: {}, follow: "none" },
  );
  await on.threadEvents.started(run);
  return run;
}

/** Follows a thread in the background; `seen` grows. */
function attach(to: Agent, threadId: string, since?: number) {
  const seen: ThreadEvent[] = [];
  const stop = new AbortController();
  const done = (async () => {
    for await (const { events } of to.threadEvents.follow(threadId, { filter, since, signal: stop.signal }))
      seen.push(...events);
  })();
  const leave = () => {
    stop.abort();
    return done;
  };
  return { seen, done, leave };
}

const isEnd = ({ method, namespace, json }: ThreadEvent) =>
  method === "lifecycle" && namespace.length === 0 && !json.includes('"event":"running"');
const ends = (seen: ThreadEvent[]) => seen.filter(isEnd).length;

test("a reader that was there before and one that comes later get the same events", async () => {
  const threadId = Bun.randomUUIDv7();
  const early = attach(agent, threadId);
  await talk(agent, threadId);
  await until("the events are there", async () => ends(early.seen) === 1);
  const late = attach(agent, threadId);
  await until("the events are there", async () => ends(late.seen) === 1);
  expect(late.seen).toEqual(early.seen);
  const numbers = early.seen.map(({ seq }) => seq);
  expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
  expect(new Set(early.seen.map(({ event_id }) => event_id)).size).toBe(early.seen.length);
  expect(await agent.threadEvents.newest(threadId)).toBe(numbers.at(-1) ?? 0);
  await Promise.all([early.leave(), late.leave()]);
});

test("since any event, what comes is exactly the rest", async () => {
  const threadId = Bun.randomUUIDv7();
  const whole = attach(agent, threadId);
  await talk(agent, threadId);
  await until("the events are there", async () => ends(whole.seen) === 1);
  for (const [index, { seq }] of whole.seen.entries()) {
    const rest = attach(agent, threadId, seq);
    await until("the events are there", async () => rest.seen.length >= whole.seen.length - index - 1);
    expect(rest.seen).toEqual(whole.seen.slice(index + 1));
    await rest.leave();
  }
  await whole.leave();
});

test("of several runs, a new reader sees only the newest one's beginning and end; since shows all", async () => {
  const threadId = Bun.randomUUIDv7();
  const live = attach(agent, threadId);
  for (let run = 1; run <= 3; run += 1) {
    await talk(agent, threadId);
    await until("the events are there", async () => ends(live.seen) === run);
  }
  const late = attach(agent, threadId);
  const since = attach(agent, threadId, 0);
  await until("the events are there", async () => ends(late.seen) === 1 && ends(since.seen) === 3);
  expect(since.seen).toEqual(live.seen);
  expect(late.seen.length).toBe(live.seen.length - 4);
  await Promise.all([live.leave(), late.leave(), since.leave()]);
});

test("a reader in another process sees a run that goes on here", async () => {
  const other = (await rig.openAgent()).agent;
  const threadId = Bun.randomUUIDv7();
  const there = attach(other, threadId);
  const here = attach(agent, threadId);
  await talk(agent, threadId);
  await until("the events are there", async () => ends(here.seen) === 1);
  await until("the other process has seen the end", async () => {
    await other.queue.watch();
    return ends(there.seen) === 1;
  });
  expect(there.seen).toEqual(here.seen);
  await Promise.all([there.leave(), here.leave()]);
});

test("what is stored and was not heard of yet is waited for before a reader is told that this is all", async () => {
  const other = (await rig.openAgent()).agent;
  const threadId = Bun.randomUUIDv7();
  const [there, here] = [attach(other, threadId), attach(agent, threadId)];
  await talk(agent, threadId);
  await until("the first end", async () => ends(here.seen) === 1);
  await talk(other, threadId);
  await until("the second end", async () => ends(there.seen) === 2);
  const atLeast = await agent.threadEvents.newest(threadId);
  const gone = new AbortController();
  const batches = agent.threadEvents.follow(threadId, { filter, since: 0, atLeast, signal: gone.signal });
  const seen: ThreadEvent[] = [];
  const reading = (async () => {
    for await (const { events, live } of batches) {
      seen.push(...events);
      if (live) return true;
    }
    return false;
  })();
  // A look or two may be needed, as the timer does.
  await until("all to be read", async () => {
    await agent.queue.watch();
    return Promise.race([reading, Bun.sleep(1)]);
  });
  expect(seen.at(-1)?.seq).toBe(atLeast);
  gone.abort();
  await Promise.all([there.leave(), here.leave()]);
});

test("readers of a deleted thread are done, those of an unknown one wait", async () => {
  const threadId = Bun.randomUUIDv7();
  const reader = attach(agent, threadId);
  await talk(agent, threadId);
  await until("the events are there", async () => ends(reader.seen) === 1);
  await agent.changes.delete(threadId);
  await reader.done;
  const before = new Set(reader.seen.map(({ event_id }) => event_id));
  const again = attach(agent, threadId, reader.seen.at(-1)?.seq);
  const fresh = attach(agent, threadId);
  await talk(agent, threadId);
  await until("the events are there", async () => ends(fresh.seen) === 1);
  expect(fresh.seen.some(({ event_id }) => before.has(event_id))).toBe(false);
  await Promise.all([again.leave(), fresh.leave()]);
});

test("a run that waits in the queue and is cancelled ends for its readers too", async () => {
  const threadId = Bun.randomUUIDv7();
  const reader = attach(agent, threadId);
  const later = await agent.runs.create(
    { assistant_id: "steps", input: {}, after_seconds: 3_600, thread_log: true, if_not_exists: "create" },
    { threadId, headers: {}, follow: "none" },
  );
  await agent.runs.cancel(later, "interrupt");
  await until("the events are there", async () => ends(reader.seen) === 1);
  expect(reader.seen.at(-1)?.json).toContain('"event":"interrupted"');
  await reader.leave();
});

describe("a run that is cancelled in the queue while another goes on", () => {
  /** A run that takes its time, with the end of another one in the middle of its log. */
  async function cutIn(threadId: string) {
    const run = await talk(agent, threadId, { total: 4, pause: 60 });
    const waiting = await agent.runs.create(
      { assistant_id: "steps", input: {}, multitask_strategy: "enqueue", thread_log: true },
      { threadId, headers: {}, follow: "none" },
    );
    await agent.runs.cancel(waiting, "interrupt");
    return { run, waiting };
  }

  test("leaves the other's events to a reader that comes at that moment", async () => {
    const threadId = Bun.randomUUIDv7();
    const { run } = await cutIn(threadId);
    const reader = attach(agent, threadId, 0);
    await until("both are over", async () => ends(reader.seen) === 2);
    const early = [...reader.seen];
    await reader.leave();
    const late = attach(agent, threadId, 0);
    await until("both are over", async () => ends(late.seen) === 2);
    expect(early).toEqual(late.seen);
    expect(early[0]?.json).toContain('"event":"running"');
    expect(early.at(-1)).toMatchObject({ run_id: run.run_id, method: "lifecycle" });
    await late.leave();
  });

  test("a reader that asks for the whole log hears that the other one runs, and nothing of the cancelled", async () => {
    const threadId = Bun.randomUUIDv7();
    const { run } = await cutIn(threadId);
    const reader = attach(agent, threadId);
    await until("it is over", async () => ends(reader.seen) === 1);
    const roots = reader.seen.filter(
      ({ method, namespace }) => method === "lifecycle" && namespace.length === 0,
    );
    expect(roots.map(({ run_id }) => run_id)).toEqual([run.run_id, run.run_id]);
    await reader.leave();
  });

  test("and to one that comes back to that place later", async () => {
    const threadId = Bun.randomUUIDv7();
    const { waiting } = await cutIn(threadId);
    const whole = attach(agent, threadId, 0);
    await until("both are over", async () => ends(whole.seen) === 2);
    // What is behind is read from the log again.
    await talk(agent, threadId);
    await until("all are over", async () => ends(whole.seen) === 3);
    await whole.leave();
    const cut = whole.seen.findIndex(({ run_id }) => run_id === waiting.run_id);
    for (const index of [cut - 1, cut, cut + 1]) {
      const rest = attach(agent, threadId, whole.seen[index]?.seq);
      await until("all are over", async () => rest.seen.length >= whole.seen.length - index - 1);
      expect(rest.seen).toEqual(whole.seen.slice(index + 1));
      await rest.leave();
    }
  });
});

test("a thread is no longer held in memory when its last reader has left", async () => {
  const threadId = Bun.randomUUIDv7();
  for (let round = 0; round < 100; round += 1) {
    const reader = attach(agent, threadId);
    await reader.leave();
  }
  expect(agent.threadEvents.watched).toBe(0);
});
