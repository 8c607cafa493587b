import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Agent, CronRequest } from "@berth/agent";
import type { Cron, Database, Run } from "@berth/store";
import { databaseUrl } from "../../postgres/for-data.ts";
import { refuseRows, statementOn } from "../../statement.ts";
import { eventually, openRunsRig } from "../runs/runs-rig.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

// Longer than any condition is waited for.

let rig: Awaited<ReturnType<typeof openRunsRig>>;
let agent: Agent;
let db: Database;

beforeEach(async () => {
  rig = await openRunsRig();
  ({ agent, db } = await rig.openAgent());
});

afterEach(async () => {
  await rig.close();
});

const create = (given: Partial<CronRequest> = {}) =>
  agent.crons.create({
    assistant_id: "witness",
    thread_id: null,
    on_run_completed: "delete",
    schedule: "* * * * *",
    timezone: null,
    end_time: null,
    enabled: true,
    payload: { input: { file: witnesses(), label: "tick" } },
    metadata: {},
    user_id: null,
    user_permissions: [],
    ...given,
  });

const witnesses = () => join(dirname(rig.file), "witnesses");

/** The labels of the runs that were executed, in their order. */
function seen(): string[] {
  if (!existsSync(witnesses())) return [];
  const lines = readFileSync(witnesses(), "utf8").trim().split("\n");
  return lines.map((line) => line.split(" ")[1] ?? "");
}

const labelled = (label: string, pause = 0) => ({ input: { file: witnesses(), label, pause } });

/** Lets time pass and fires what is due then. */
async function fireAfter(ms: number): Promise<number> {
  rig.advance(ms);
  const fired = await agent.fireCrons(rig.now());
  await ended();
  return fired;
}

const ended = () =>
  eventually("the runs to end", async () => {
    const inflight = db.read
      .selectFrom("runs")
      .select("run_id")
      .where("status", "in", ["pending", "running"]);
    return (await inflight.execute()).length === 0;
  });

async function newThread(): Promise<string> {
  return (await agent.threads.create({})).thread_id;
}

const runsOf = (threadId: string): Promise<Run[]> => agent.runs.list(threadId, { limit: 100, offset: 0 });
const next = async ({ cron_id }: Cron) => (await agent.crons.get(cron_id)).next_run_at;
const sinceStart = (ms: number) => Date.UTC(2026, 0, 1) + ms;

describe("a cron", () => {
  test("runs as whoever made it, with what they were allowed to do then", async () => {
    const thread_id = await newThread();
    const on = { thread_id, on_run_completed: null } as const;
    await create({ ...on, user_id: "ada", user_permissions: ["write"] });
    await fireAfter(60_000);
    const [run] = await runsOf(thread_id);
    const configurable = {
      langgraph_auth_user_id: "ada",
      langgraph_auth_permissions: ["write"],
      langgraph_auth_user: { identity: "ada", permissions: ["write"], is_authenticated: true },
    };
    expect(run?.kwargs).toMatchObject({ config: { configurable } });
  });

  test("fires at its time and each time again, and says when the next one is", async () => {
    const cron = await create({ schedule: "*/5 * * * *" });
    expect(cron.next_run_at).toBe(sinceStart(5 * MINUTE));
    expect(await fireAfter(5 * MINUTE - 1)).toBe(0);
    expect(await fireAfter(1)).toBe(1);
    const { last_run_id, last_run_at } = await agent.crons.get(cron.cron_id);
    expect([last_run_at, typeof last_run_id]).toEqual([rig.now(), "string"]);
    expect(await agent.fireCrons(rig.now())).toBe(0);
    expect(await next(cron)).toBe(sinceStart(10 * MINUTE));
    expect(await fireAfter(5 * MINUTE + 700)).toBe(1);
    expect(await next(cron)).toBe(sinceStart(15 * MINUTE));
    expect(seen()).toEqual(["tick", "tick"]);
  });

  test("that nobody saw for hours fires once, and goes on as planned", async () => {
    const often = await create();
    const daily = await create({ schedule: "0 2 * * *", payload: labelled("daily") });
    expect(await fireAfter(5 * HOUR + 30_000)).toBe(2);
    expect(seen().sort()).toEqual(["daily", "tick"]);
    expect(await next(often)).toBe(sinceStart(5 * HOUR + MINUTE));
    expect(await next(daily)).toBe(sinceStart(26 * HOUR));
    expect(await agent.fireCrons(rig.now())).toBe(0);
  });

  test("in a time zone fires by its clock", async () => {
    const cron = await create({ schedule: "0 9 * * *", timezone: "Asia/Tokyo" });
    // Nine in Tokyo is midnight in UTC, and that is now.
    expect(cron.next_run_at).toBe(sinceStart(24 * HOUR));
    expect(await fireAfter(24 * HOUR - 1)).toBe(0);
    expect(await fireAfter(1)).toBe(1);
  });

  test("fires last at its end, and what was missed before it is not made good behind it", async () => {
    const end_time = sinceStart(2 * MINUTE);
    const cron = await create({ end_time });
    const missed = await create({ end_time: end_time + 30_000, schedule: "*/2 * * * *" });
    expect(await fireAfter(MINUTE)).toBe(1);
    expect(await next(cron)).toBe(end_time);
    await agent.crons.change(missed.cron_id, { enabled: false });
    expect(await fireAfter(MINUTE)).toBe(1);
    expect(await next(cron)).toBeNull();
    expect(await fireAfter(HOUR)).toBe(0);
    const late = await create({ end_time: rig.now() + 3 * MINUTE });
    expect(await fireAfter(HOUR)).toBe(0);
    expect(await next(late)).toBeNull();
    expect((await create({ end_time: rig.now() - 1 })).next_run_at).toBeNull();
  });

  test("that is disabled keeps still, and its missed ticks are gone when it is enabled again", async () => {
    const cron = await create({ enabled: false });
    expect(cron.next_run_at).toBeNull();
    expect(await fireAfter(HOUR)).toBe(0);
    const enabled = await agent.crons.change(cron.cron_id, { enabled: true });
    expect(enabled.next_run_at).toBe(rig.now() + MINUTE);
    expect(await fireAfter(MINUTE)).toBe(1);
    await agent.crons.change(cron.cron_id, { enabled: false });
    expect(await fireAfter(HOUR)).toBe(0);
  });

  test("that is deleted keeps still, and its run goes on", async () => {
    const cron = await create({ payload: labelled("last", 30) });
    rig.advance(MINUTE);
    expect(await agent.fireCrons(rig.now())).toBe(1);
    await agent.crons.delete(cron.cron_id);
    await ended();
    expect(await fireAfter(HOUR)).toBe(0);
  });

  test("has its runs configured as it says, and they name it", async () => {
    const thread_id = await newThread();
    const config = { tags: ["nightly"], configurable: { model: "small" } };
    const { cron_id } = await create({
      thread_id,
      on_run_completed: null,
      metadata: { team: "red", cron_id: "not mine" },
      payload: {
        ...labelled("one"),
        config,
        context: { n: 1 },
        stream_mode: ["updates"],
        durability: "exit",
      },
    });
    expect(await fireAfter(MINUTE)).toBe(1);
    const [run] = await runsOf(thread_id);
    expect(run).toMatchObject({
      status: "success",
      multitask_strategy: "enqueue",
      metadata: { team: "red", cron_id },
      kwargs: { config, context: { n: 1 }, stream_mode: ["updates"], durability: "exit" },
    });
  });
});

describe("a change", () => {
  test("of the schedule counts from now; of anything else it leaves the next tick where it is", async () => {
    const cron = await create({ schedule: "0 * * * *" });
    rig.advance(10 * MINUTE);
    const change = (given: Parameters<Agent["crons"]["change"]>[1]) =>
      agent.crons.change(cron.cron_id, given);
    expect((await change({ schedule: "*/15 * * * *" })).next_run_at).toBe(sinceStart(15 * MINUTE));
    expect((await change({ schedule: "30 * * * *", timezone: "Asia/Kolkata" })).next_run_at).toBe(
      sinceStart(HOUR),
    );
    rig.advance(2 * HOUR);
    // It is due now; nobody has looked yet.
    expect((await change({ metadata: { a: 1 } })).next_run_at).toBe(sinceStart(HOUR));
    expect((await change({ enabled: true, timezone: "Asia/Kolkata" })).next_run_at).toBe(sinceStart(HOUR));
    expect(await fireAfter(0)).toBe(1);
  });

  test("of the end may end it, and start it again", async () => {
    const { cron_id } = await create({ schedule: "0 * * * *" });
    const until = async (end_time: number | null) =>
      (await agent.crons.change(cron_id, { end_time })).next_run_at;
    expect(await until(sinceStart(MINUTE))).toBeNull();
    expect(await until(sinceStart(2 * HOUR))).toBe(sinceStart(HOUR));
    expect(await until(null)).toBe(sinceStart(HOUR));
  });

  test("merges metadata, replaces parts of the payload, and takes parts away", async () => {
    const { cron_id } = await create({ metadata: { a: 1, b: 1 }, payload: { input: 1, webhook: "/x" } });
    const payload = { input: 2, webhook: undefined, durability: "sync" };
    const changed = await agent.crons.change(cron_id, { metadata: { b: 2 }, payload });
    expect(changed).toMatchObject({ metadata: { a: 1, b: 2 } });
    expect((await agent.crons.get(cron_id)).payload).toEqual({ input: 2, durability: "sync" });
  });

  test("that is written while a scheduler looks refuses it the tick, and the next look does as it says", async () => {
    const { cron_id } = await create();
    rig.advance(MINUTE);
    const [, fired] = await Promise.all([
      agent.crons.change(cron_id, { payload: labelled("changed") }),
      // It reads the cron before the change is committed, and wants the tick behind it.
      agent.fireCrons(rig.now()),
    ]);
    expect(fired).toBe(0);
    expect(await fireAfter(0)).toBe(1);
    expect(seen()).toEqual(["changed"]);
  });
});

describe("on a thread", () => {
  const onThread = (thread_id: string, payload: object) =>
    create({ thread_id, on_run_completed: null, payload: { ...payload } });

  test("runs queue while it is busy, and keep their order", async () => {
    const thread_id = await newThread();
    await onThread(thread_id, labelled("slow", 40));
    for (let fired = 0; fired < 3; fired += 1) {
      rig.advance(MINUTE);
      expect(await agent.fireCrons(rig.now())).toBe(1);
    }
    await ended();
    expect(seen().length).toBe(3);
    expect((await runsOf(thread_id)).length).toBe(3);
  });

  test("a tick is skipped where the strategy refuses it, and the next one counts again", async () => {
    const thread_id = await newThread();
    const cron = await onThread(thread_id, { ...labelled("one", 2_000), multitask_strategy: "reject" });
    rig.advance(MINUTE);
    expect(await agent.fireCrons(rig.now())).toBe(1);
    rig.advance(MINUTE);
    expect(await agent.fireCrons(rig.now())).toBe(0);
    expect(await next(cron)).toBe(sinceStart(3 * MINUTE));
    await ended();
    expect(await fireAfter(MINUTE)).toBe(1);
    expect((await runsOf(thread_id)).length).toBe(2);
  });

  test("a tick from a checkpoint that the thread does not have is skipped, and hides no history", async () => {
    const thread_id = await newThread();
    await onThread(thread_id, labelled("first"));
    expect(await fireAfter(MINUTE)).toBe(1);
    const config = { configurable: { checkpoint_id: crypto.randomUUID() } };
    const cron = await onThread(thread_id, { ...labelled("lost"), config });
    expect(await fireAfter(MINUTE)).toBe(1);
    expect(await next(cron)).toBe(sinceStart(3 * MINUTE));
    expect(seen()).toEqual(["first", "first"]);
  });

  test("it goes with its thread, and with its assistant", async () => {
    const thread_id = await newThread();
    await onThread(thread_id, labelled("one"));
    const own = await agent.assistants.create({ graph_id: "witness" });
    await create({ assistant_id: own.assistant_id });
    expect(await agent.crons.count({})).toBe(2);
    await agent.changes.delete(thread_id);
    await agent.removeAssistant(own.assistant_id, { threads: false });
    expect(await agent.crons.count({})).toBe(0);
    expect(await fireAfter(MINUTE)).toBe(0);
  });
});

describe("without a thread", () => {
  const threads = () => db.read.selectFrom("threads").select(["thread_id", "status"]).execute();

  test("each run has its own, which is removed behind it or kept", async () => {
    await create({ payload: labelled("removed") });
    const kept = await create({ on_run_completed: "keep", payload: labelled("kept") });
    expect(await fireAfter(MINUTE)).toBe(2);
    expect(await fireAfter(MINUTE)).toBe(2);
    expect(seen().sort()).toEqual(["kept", "kept", "removed", "removed"]);
    const left = await threads();
    expect(left.length).toBe(2);
    for (const { thread_id } of left) {
      expect((await runsOf(thread_id)).map(({ metadata }) => metadata.cron_id)).toEqual([kept.cron_id]);
    }
  });

  test("what becomes of it may change", async () => {
    const { cron_id } = await create();
    expect(await fireAfter(MINUTE)).toBe(1);
    expect(await threads()).toEqual([]);
    await agent.crons.change(cron_id, { on_run_completed: "keep" });
    expect(await fireAfter(MINUTE)).toBe(1);
    expect((await threads()).length).toBe(1);
  });
});

describe("what goes wrong", () => {
  test("with one cron keeps no other from firing", async () => {
    const broken = await create({ payload: labelled("broken") });
    await create();
    const url = await databaseUrl(rig.file);
    await statementOn(url, "update crons set timezone = 'Mars/Base' where cron_id = ?", broken.cron_id);
    expect(await fireAfter(MINUTE)).toBe(1);
    expect(seen()).toEqual(["tick"]);
  });

  test("with a graph that is gone skips its ticks, until it is there again", async () => {
    const own = await agent.assistants.create({ graph_id: "witness" });
    const cron = await create({ assistant_id: own.assistant_id });
    const graph = (graph_id: string) => agent.assistants.patch(own.assistant_id, { graph_id });
    await graph("no such graph");
    expect(await fireAfter(MINUTE)).toBe(0);
    expect(await next(cron)).toBe(sinceStart(2 * MINUTE));
    await graph("witness");
    expect(await fireAfter(MINUTE)).toBe(1);
  });

  test("while the run is written takes the tick back with it", async () => {
    const cron = await create();
    const refused = { table: "runs", when: "true", saying: "refused" };
    const accept = await refuseRows(await databaseUrl(rig.file), refused);
    expect(await fireAfter(MINUTE)).toBe(0);
    expect(await next(cron)).toBe(sinceStart(MINUTE));
    await accept();
    expect(await fireAfter(0)).toBe(1);
    expect(seen()).toEqual(["tick"]);
  });
});

describe("several processes on one database", () => {
  test("run each tick once", async () => {
    const others = [await rig.openAgent(), await rig.openAgent()];
    const all = [agent, ...others.map((other) => other.agent)];
    const labels = Array.from({ length: 20 }, (_, index) => `c${index}`);
    for (const label of labels) await create({ payload: labelled(label) });
    for (let tick = 1; tick <= 5; tick += 1) {
      rig.advance(MINUTE);
      const fired = await Promise.all(
        all.flatMap((one) => [one.fireCrons(rig.now()), one.fireCrons(rig.now())]),
      );
      expect(fired.reduce((sum, one) => sum + one, 0)).toBe(labels.length);
      await eventually("the runs", async () => {
        for (const one of all) await one.queue.watch();
        return seen().length === tick * labels.length && all.every(({ queue }) => queue.running === 0);
      });
    }
    expect(seen().sort()).toEqual(labels.flatMap((label) => Array(5).fill(label)).sort());
  });

  test("fire however many are due at once", async () => {
    const labels = Array.from({ length: 120 }, (_, index) => `c${index}`);
    await Promise.all(labels.map((label) => create({ payload: labelled(label) })));
    rig.advance(MINUTE);
    expect(await agent.fireCrons(rig.now())).toBe(labels.length);
    await ended();
    expect(seen().sort()).toEqual(labels.sort());
  });
});

test("a clock that is set back fires nothing twice", async () => {
  await create();
  expect(await fireAfter(MINUTE)).toBe(1);
  expect(await fireAfter(-30_000)).toBe(0);
  expect(await fireAfter(30_000)).toBe(0);
  expect(await fireAfter(MINUTE)).toBe(1);
});
