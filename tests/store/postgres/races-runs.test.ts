import { expect, test } from "bun:test";
import {
  admitRun,
  Conflict,
  cancelRun,
  claimRuns,
  eraseRun,
  fence,
  findRun,
  finishRun,
  type Lease,
  LeaseLost,
  lapsedRuns,
  noteFirstReader,
  recoverRun,
} from "@berth/store";
import { appendEnd, appendSegment } from "../../../store/events/index.ts";
import { withoutPostgres } from "../../postgres/server.ts";
import { describeUnless } from "../../skips.ts";
import { pendingRuns, TIMES, twoDatabases, upTo, wanted, wellOf } from "./two-databases.ts";

const NOW = 1_000_000;
const leaseOf = (index: number): Lease => ({ owner: `process-${index}`, until: NOW + 10_000 });
const REST = { status: "idle" as const, interrupts: "{}", error: null, stateUpdatedAt: NOW };

describeUnless(withoutPostgres())("two processes on Postgres that race", () => {
  const { at, both, query } = twoDatabases();

  test("claim each run once", async () => {
    for (const _ of upTo(TIMES)) {
      const runs = await pendingRuns(at(0), 8);
      const claims = await both((db, index) => db.write((tx) => claimRuns(tx, leaseOf(index), 8, NOW)));
      const claimed = wellOf(claims, Conflict).flat();
      expect(claimed.map(({ run }) => run.run_id).sort()).toEqual(runs.map(({ run_id }) => run_id).sort());
      await query("update runs set status = 'success' where status = 'running'");
    }
  });

  test("begin to read a run: one of them is its first reader", async () => {
    for (const run of await pendingRuns(at(0), TIMES)) {
      const first = wellOf(await both((db) => noteFirstReader(db, run)), Conflict);
      expect(first.sort()).toEqual([false, true]);
      expect((await findRun(at(1), run.run_id))?.has_reader).toBe(1);
    }
  });

  test("let one run onto a thread that is busy then", async () => {
    for (const _ of upTo(TIMES)) {
      const thread_id = crypto.randomUUID();
      await at(0).write((tx) => admitRun(tx, wanted(thread_id), 1, undefined, 0));
      await query(`update runs set status = 'success' where thread_id = '${thread_id}'`);
      const admitted = await both((db, index) =>
        db.write<unknown>((tx) =>
          admitRun(tx, wanted(thread_id, { multitask_strategy: "reject" }), NOW, leaseOf(index), 0),
        ),
      );
      expect(wellOf(admitted, Conflict)).toHaveLength(1);
    }
  });

  test("let one run onto a thread that is new", async () => {
    for (const _ of upTo(TIMES)) {
      const thread_id = crypto.randomUUID();
      const admitted = await both((db, index) =>
        db.write<unknown>((tx) =>
          admitRun(tx, wanted(thread_id, { multitask_strategy: "reject" }), NOW, leaseOf(index), 0),
        ),
      );
      expect(wellOf(admitted, Conflict)).toHaveLength(1);
    }
  });

  test("start one run of a thread: the one that comes in, or the one that waits", async () => {
    for (const _ of upTo(TIMES)) {
      const thread_id = crypto.randomUUID();
      await at(0).write((tx) => admitRun(tx, wanted(thread_id), 1, undefined, 0));
      await both<unknown>((db, index) =>
        db.write<unknown>((tx) =>
          index === 0
            ? claimRuns(tx, leaseOf(0), 100, NOW)
            : admitRun(tx, wanted(thread_id, { not_before: NOW }), NOW, leaseOf(1), 0),
        ),
      );
      const running = await query(
        `select run_id from runs where thread_id = '${thread_id}' and status = 'running'`,
      );
      expect(running).toHaveLength(1);
      await query("update runs set status = 'success' where status in ('running', 'pending')");
    }
  });

  test("write nothing of an attempt whose run another one has taken", async () => {
    for (const _ of upTo(TIMES)) {
      const [run] = await pendingRuns(at(0), 1);
      if (!run) throw new Error("no run");
      await at(0).write((tx) => claimRuns(tx, { owner: "process-0", until: NOW - 1 }, 1, NOW - 2));
      const hold = { run_id: run.run_id, owner: "process-0", attempt: 1 };
      const results = await both(async (db, index) =>
        db.write(async (tx) => {
          if (index === 1) {
            for (const lapsed of await lapsedRuns(tx, NOW)) await recoverRun(tx, lapsed, NOW, NOW);
            return (await claimRuns(tx, leaseOf(1), 1, NOW))[0]?.startsAfter;
          }
          await fence(tx, hold);
          await appendSegment(tx, { ...run, at: NOW, events: [{ seq: 1, name: "late", json: "{}" }] });
          return undefined;
        }),
      );
      wellOf(results, LeaseLost);
      // Whoever takes it over goes on behind all that the first attempt wrote.
      const [row] = await query(
        `select coalesce(max(last_seq), 0) as seq from events where run_id = '${run.run_id}'`,
      );
      const [late, taken] = results.map((one) => (one.status === "fulfilled" ? one.value : "refused"));
      expect([taken, row?.seq]).toEqual(late === "refused" ? [0, 0] : [1, 1]);
      await query("update runs set status = 'success' where status = 'running'");
    }
  });

  test("end a run that its process ends and another one gives up once", async () => {
    for (const _ of upTo(TIMES)) {
      const [run] = await pendingRuns(at(0), 1);
      if (!run) throw new Error("no run");
      await at(0).write((tx) => claimRuns(tx, { owner: "process-0", until: NOW - 1 }, 1, NOW - 2));
      await query(`update runs set attempt = 3 where run_id = '${run.run_id}'`);
      const results = await both((db, index) =>
        db.write(async (tx) => {
          if (index === 1) {
            for (const lapsed of await lapsedRuns(tx, NOW)) await recoverRun(tx, lapsed, NOW, NOW);
            return;
          }
          const { lastSeq } = await fence(tx, { run_id: run.run_id, owner: "process-0", attempt: 3 });
          const end = { seq: lastSeq + 1, name: "end", json: JSON.stringify({ status: "success" }) };
          await appendSegment(tx, { ...run, at: NOW, events: [end] });
          const ending = { ...run, status: "success" as const, thread: REST, eventsUntil: NOW };
          await finishRun(tx, ending, NOW);
        }),
      );
      wellOf(results, LeaseLost);
      const ends = await query(`select body from events where run_id = '${run.run_id}'`);
      expect(ends).toHaveLength(1);
    }
  });

  test("take back a run that lapsed once", async () => {
    for (const _ of upTo(TIMES)) {
      const runs = await pendingRuns(at(0), 4);
      await at(0).write((tx) => claimRuns(tx, { owner: "process-0", until: NOW - 1 }, 4, NOW - 2));
      const results = await both((db, index) =>
        db.write(async (tx) => {
          const lapsed = await lapsedRuns(tx, NOW);
          for (const run of lapsed) await recoverRun(tx, run, NOW, NOW);
          return (await claimRuns(tx, leaseOf(index), 4, NOW)).map(({ run }) => run);
        }),
      );
      const taken = wellOf(results, Conflict).flat();
      expect(taken.map(({ run_id }) => run_id).sort()).toEqual(runs.map(({ run_id }) => run_id).sort());
      expect(taken.map(({ attempt }) => attempt)).toEqual(taken.map(() => 2));
      await query("update runs set status = 'success' where status = 'running'");
    }
  });

  test("number the last events of runs of one thread one after the other", async () => {
    for (const _ of upTo(TIMES)) {
      const thread_id = crypto.randomUUID();
      const runs = await Promise.all(
        upTo(2).map(
          async () => (await at(0).write((tx) => admitRun(tx, wanted(thread_id), 1, undefined, 0))).run,
        ),
      );
      const results = await both((db, index) =>
        db.write(async (tx) => {
          const run = runs[index];
          if (!run) return;
          await eraseRun(tx, run);
          await appendEnd(tx, run, "rollback", NOW);
        }),
      );
      wellOf(results, Conflict);
      const rows = await query(
        `select first_seq, last_seq from events where thread_id = '${thread_id}' order by first_seq`,
      );
      expect(rows.map(({ first_seq, last_seq }) => [Number(first_seq), Number(last_seq)])).toEqual([
        [1, 2],
        [3, 4],
      ]);
    }
  });

  test("cancel a run that another one starts: it is stopped before, or told to stop", async () => {
    for (const _ of upTo(TIMES)) {
      const [run] = await pendingRuns(at(0), 1);
      if (!run) throw new Error("no run");
      const results = await both<unknown>((db, index) =>
        db.write<unknown>((tx) =>
          index === 0 ? claimRuns(tx, leaseOf(0), 1, NOW) : cancelRun(tx, run.run_id, "interrupt", NOW, 0),
        ),
      );
      wellOf(results, Conflict);
      const [row] = await query(`select status, cancel from runs where run_id = '${run.run_id}'`);
      expect(["interrupted", "running"]).toContain(String(row?.status));
      expect(row?.cancel).toBe("interrupt");
      await query("update runs set status = 'success' where status = 'running'");
    }
  });
});
