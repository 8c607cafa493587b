import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { Agent, Run } from "@berth/agent";
import { type Database, findRun } from "@berth/store";
import { databaseUrl } from "../../postgres/for-data.ts";
import { refuseRows } from "../../statement.ts";
import { eventually, openRunsRig, startRun } from "./runs-rig.ts";

let rig: Awaited<ReturnType<typeof openRunsRig>>;

beforeEach(async () => {
  rig = await openRunsRig();
});

afterEach(async () => {
  await rig.close();
});

const gone = new AbortController().signal;
const steps = (total: number, pause: number) => ({ total, pause });

async function result(agent: Agent, run: Run): Promise<Record<string, unknown>> {
  return JSON.parse(await agent.runs.result(run, gone));
}

const statusOf = async (db: Database, run: Run) => (await findRun(db, run.run_id))?.status;

const underWay = (db: Database, run: Run) =>
  eventually("the run has a step", async () => {
    const rows = await db.read
      .selectFrom("checkpoints")
      .select("run_id")
      .where("run_id", "=", run.run_id)
      .execute();
    return rows.length > 2;
  });

/** Makes the database refuse every event that holds this text, as a full disk refuses everything. */
async function refuseEvents(text: string) {
  const when = `new.body like '%${text}%'`;
  return refuseRows(await databaseUrl(rig.file), { table: "events", when, saying: "refused" });
}

describe("a run whose writes the database refuses", () => {
  test("is tried three times and then ends in an error, and nobody else suffers", async () => {
    const { agent, db } = await rig.openAgent();
    const accept = await refuseEvents("poison");
    const poisoned = await startRun(agent, "witness", { file: "/dev/null", label: "poison" });
    const others = await Promise.all([1, 2, 3].map(() => startRun(agent, "steps", steps(3, 1))));
    for (const other of others) expect(await result(agent, other)).toMatchObject({ steps: [1, 2, 3] });
    await eventually("the end", async () => {
      await agent.queue.once(rig.now());
      return (await statusOf(db, poisoned)) === "error";
    });
    await accept();
    expect((await findRun(db, poisoned.run_id))?.attempt).toBe(3);
    const { __error__: error } = await result(agent, poisoned);
    expect(error).toMatchObject({ error: "RunLost" });
    expect((await agent.threads.get(poisoned.thread_id)).status).toBe("error");
    expect(agent.queue.running).toBe(0);
  });

  test("given up after its first steps, it leaves what these wrote on the thread", async () => {
    const { agent, db } = await rig.openAgent();
    const run = await startRun(agent, "steps", steps(12, 20), { stream_mode: ["custom"] });
    await underWay(db, run);
    const accept = await refuseEvents('"step":%');
    await eventually("the end", async () => {
      await agent.queue.once(rig.now());
      return (await statusOf(db, run)) === "error";
    });
    await accept();
    const { thread_id } = run;
    const [found] = (await agent.threads.search({ ids: [thread_id], limit: 1, offset: 0 })).rows;
    expect(found).toMatchObject({ status: "error", state_updated_at: expect.any(Number) });
    const listed = await agent.threads.list({ limit: 10, offset: 0 });
    expect(listed.map((thread) => thread.thread_id)).toEqual([thread_id]);
  });

  test("goes on from its last checkpoint when the database accepts them again", async () => {
    const { agent, db } = await rig.openAgent();
    const run = await startRun(agent, "steps", steps(12, 20), { stream_mode: ["custom"] });
    await underWay(db, run);
    const accept = await refuseEvents('"step":%');
    await eventually("a lost attempt", async () => ((await findRun(db, run.run_id))?.attempt ?? 0) > 1);
    await accept();
    await eventually("the end", async () => {
      await agent.queue.once(rig.now());
      return (await statusOf(db, run)) === "success";
    });
    const { steps: done } = await result(agent, run);
    expect(done).toEqual(Array.from({ length: 12 }, (_, index) => index + 1));
    const thread = await agent.threads.get(run.thread_id);
    expect(thread.status).toBe("idle");
  });
});

describe("leases", () => {
  const leaseOf = async (db: Database, run: Run) => {
    const row = await db.read
      .selectFrom("runs")
      .select(["lease_until", "lease_owner", "attempt", "status"])
      .where("run_id", "=", run.run_id)
      .executeTakeFirstOrThrow();
    return row;
  };

  test("a run whose lease is over goes to another process; the first stops and writes nothing more", async () => {
    const one = await rig.openAgent();
    const run = await startRun(one.agent, "steps", steps(60, 20));
    await underWay(one.db, run);
    const two = await rig.openAgent();
    rig.advance(rig.leaseMs + 1);
    await two.agent.queue.once(rig.now());
    await eventually("the first to notice", () => one.agent.queue.running === 0);
    expect(two.agent.queue.running).toBe(1);
    expect(await leaseOf(two.db, run)).toMatchObject({ attempt: 2, status: "running" });
    const ended = await result(two.agent, run);
    expect(ended.steps).toEqual(Array.from({ length: 60 }, (_, index) => index + 1));
    expect(await result(one.agent, run)).toEqual(ended);
  });

  test("a run within its lease stays where it is", async () => {
    const one = await rig.openAgent();
    const run = await startRun(one.agent, "steps", steps(10_000, 20));
    const two = await rig.openAgent();
    rig.advance(rig.leaseMs - 1);
    await two.agent.queue.once(rig.now());
    expect(two.agent.queue.running).toBe(0);
    expect(await leaseOf(two.db, run)).toMatchObject({ attempt: 1, status: "running" });
  });

  test("are renewed while a stopping process lets its runs end", async () => {
    const { agent, db } = await rig.openAgent();
    const run = await startRun(agent, "steps", steps(10_000, 20));
    const { lease_until: before } = await leaseOf(db, run);
    const stopped = agent.queue.stop(1_000);
    rig.advance(rig.leaseMs / 2);
    await agent.queue.once(rig.now());
    expect((await leaseOf(db, run)).lease_until).toBe((before ?? 0) + rig.leaseMs / 2);
    await stopped;
    expect(await leaseOf(db, run)).toMatchObject({ attempt: 0, status: "pending", lease_owner: null });
  });

  test("a stopping process hands back what was on its way to run, too", async () => {
    const { agent, db } = await rig.openAgent();
    const creating = Promise.all([1, 2, 3].map(() => startRun(agent, "steps", steps(10_000, 20))));
    const stopped = agent.queue.stop(0);
    const runs = await creating;
    await stopped;
    expect(agent.queue.running).toBe(0);
    for (const run of runs) expect(await leaseOf(db, run)).toMatchObject({ attempt: 0, status: "pending" });
  });
});

describe("what is told of a run", () => {
  test("is read from the log in pieces that are short, however much a graph says at once", async () => {
    const { agent, db } = await rig.openAgent();
    const run = await startRun(agent, "flood", { count: 100, size: 50_000 }, { stream_mode: ["custom"] });
    await result(agent, run);
    const rows = await db.read.selectFrom("events").select("body").where("run_id", "=", run.run_id).execute();
    expect(rows.length).toBeGreaterThan(10);
    for (const { body } of rows) expect(body.length).toBeLessThan(400_000);
  });

  test("a run that is deleted while it runs leaves its readers, and its thread free", async () => {
    const { agent } = await rig.openAgent();
    const run = await startRun(agent, "steps", steps(10_000, 10), { stream_mode: ["custom"] });
    const stream = agent.runs.stream(run, { seq: 0, part: 0 }, undefined, gone);
    await stream.next();
    await agent.runs.delete(run, gone);
    for await (const _ of stream);
    expect((await agent.threads.get(run.thread_id)).status).toBe("idle");
  });

  test("whoever asked for a deletion and went away does not leave a busy thread", async () => {
    const { agent, db } = await rig.openAgent();
    const run = await startRun(agent, "steps", steps(10_000, 10));
    await agent.runs.delete(run, AbortSignal.abort());
    await eventually("the rollback", async () => (await statusOf(db, run)) === undefined);
    expect((await agent.threads.get(run.thread_id)).status).toBe("idle");
  });
});

describe("a run that is deleted with its thread by another process", () => {
  test("stops where it runs, also where it never writes", async () => {
    const { agent } = await rig.openAgent();
    const { agent: other } = await rig.openAgent();
    const run = await startRun(agent, "steps", steps(1, 86_400_000));
    expect(agent.queue.running).toBe(1);
    await other.changes.delete(run.thread_id);
    // By the time that it looks, nothing says any more that it was to be cancelled.
    await agent.queue.watch();
    rig.advance(rig.leaseMs * 0.4);
    await agent.queue.once(rig.now());
    await eventually("it to stop", () => agent.queue.running === 0);
  });
});
