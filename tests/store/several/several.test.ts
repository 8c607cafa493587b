import { afterEach, expect, test } from "bun:test";
import { CONTROL_LEASE_MS, ControlLease, type Database, openDatabase } from "@berth/store";
import { until } from "../../e2e/condition.ts";
import { TEST_LIMIT_MS } from "../../limits.ts";
import { dropDatabase, newDatabase, withoutPostgres } from "../../postgres/server.ts";
import { describeUnless } from "../../skips.ts";

const ROUNDS = 100;

describeUnless(withoutPostgres())("several processes on one Postgres", () => {
  const closers: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  });

  async function opened(url: string, count: number): Promise<Database[]> {
    const opening = await Promise.allSettled(Array.from({ length: count }, () => openDatabase(url)));
    for (const one of opening) if (one.status === "fulfilled") closers.push(() => one.value.close());
    const failed = opening.find((one) => one.status === "rejected");
    if (failed?.status === "rejected") throw failed.reason;
    return opening.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  }

  async function fresh(): Promise<string> {
    const url = await newDatabase();
    closers.push(() => dropDatabase(url));
    return url;
  }

  test(
    "start at the same time on an empty database, and on one that is migrated",
    async () => {
      const url = await fresh();
      const [first] = await opened(url, 3);
      await opened(url, 2);
      const workspaces = await first?.read.selectFrom("workspaces").select("id").execute();
      expect(workspaces).toHaveLength(1);
    },
    TEST_LIMIT_MS,
  );

  test(
    `one of two takes a lease that is over, ${ROUNDS} times`,
    async () => {
      const url = await fresh();
      const [one, two] = await opened(url, 2);
      if (!one || !two) throw new Error("not opened");
      let now = 0;
      const clock = { now: () => now };
      const candidates = [one, two].map((db, at) => ({
        lease: new ControlLease(db, clock, () => true),
        holder: { id: `${at}`, host: `host ${at}`, pid: 1 },
      }));
      for (let round = 0; round < ROUNDS; round += 1) {
        // The one before does not renew it.
        now += CONTROL_LEASE_MS + 1;
        const holders = candidates.map(({ holder }) => ({ ...holder, id: `${holder.id} ${round}` }));
        const taken = await Promise.all(
          candidates.map(({ lease }, at) => lease.take(holders[at] ?? { id: "", host: "", pid: 0 })),
        );
        expect(taken.filter(Boolean)).toHaveLength(1);
        const [row] = await one.read.selectFrom("control_lease").selectAll().execute();
        expect(row?.holder).toBe(`${taken.indexOf(true)} ${round}`);
      }
    },
    TEST_LIMIT_MS,
  );

  test(
    "a renewal tells nobody, and what is given back is heard at once",
    async () => {
      const [one, two] = await opened(await fresh(), 2);
      if (!one || !two) throw new Error("not opened");
      const mine = { id: "mine", host: "here", pid: 1 };
      const other = { id: "other", host: "there", pid: 1 };
      const first = new ControlLease(one, one.clock, () => true);
      const second = new ControlLease(two, two.clock, () => true);
      expect(await first.take(mine)).toBe(true);
      expect(await second.take(other)).toBe(false);
      const heard = two.changes();
      for (let at = 0; at < 5; at += 1) expect(await first.renew(mine)).toBe(true);
      one.tell(["something else"]);
      await until("what was told behind it", async () => two.changes() !== heard);
      expect(two.changes()).toBe((heard ?? 0) + 1);
      await first.release(mine);
      await until("the other one", () => second.take(other));
    },
    TEST_LIMIT_MS,
  );
});
