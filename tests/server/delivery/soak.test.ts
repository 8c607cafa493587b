import { afterAll, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { openDatabase, systemClock } from "@berth/store";
import { until } from "../../e2e/condition.ts";
import { randomOf } from "../../e2e/crash-load.ts";
import { TEST_LIMIT_MS } from "../../limits.ts";
import { databaseUrl } from "../../postgres/for-data.ts";
import { temporaryFolder } from "../../store/every-store.ts";
import { idOf, startReceiver } from "./receiver.ts";
import { partsOn, WORKSPACE } from "./rig.ts";

const LONG = process.env.BERTH_LONG === "1";
const DURATION_MS = LONG ? 600_000 : 2_000;
const SEED = Number(process.env.BERTH_SEED ?? 1);
const SUBSCRIPTIONS = 4;
const FAILING = 0.3;

const folder = temporaryFolder();
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test(
  `a receiver that fails ${FAILING * 100} % of the time and Berth count the same (seed ${SEED})`,
  async () => {
    const random = randomOf(SEED);
    const receiver = startReceiver(() => (random() < FAILING ? 503 : 200));
    const db = await openDatabase(await databaseUrl(join(folder, "berth.db")));
    const { drain, outbox, subscriptions, open } = partsOn(db, systemClock, { plan: [0.05, 0.1, 0.2] });
    const turns = setInterval(() => void drain.once(), 50);
    try {
      for (let at = 0; at < SUBSCRIPTIONS; at += 1)
        await subscriptions.create(WORKSPACE, { url: `${receiver.url}${at}`, severity_threshold: 3 });
      drain.start();
      const endsAt = Date.now() + DURATION_MS;
      let opened = 0;
      while (Date.now() < endsAt) {
        const count = 1 + Math.floor(random() * 5);
        await open(count);
        outbox.ring();
        opened += count * SUBSCRIPTIONS;
        await Bun.sleep(10 + random() * 20);
      }
      const left = async () => {
        const { queued, leased } = await outbox.depth(Date.now());
        return queued + leased;
      };
      await until("everything to be over", left, (count) => count === 0);
      const total = async (state: "delivered" | "dead") =>
        Number(
          (
            await db.read
              .selectFrom("deliveries")
              .select((eb) => eb.fn.countAll<number>().as("total"))
              .where("state", "=", state)
              .executeTakeFirstOrThrow()
          ).total,
        );
      const attempts = await db.read.selectFrom("delivery_attempts").select(["outcome", "status"]).execute();
      expect((await total("delivered")) + (await total("dead"))).toBe(opened);
      expect(attempts).toHaveLength(receiver.received.length);
      expect(new Set(receiver.received.map(idOf)).size).toBe(opened);
      const good = attempts.filter(({ outcome, status }) => outcome === "ok" && status === 200).length;
      expect(good).toBe(await total("delivered"));
    } finally {
      clearInterval(turns);
      await drain.stop();
      await db.close();
      receiver.stop();
    }
  },
  DURATION_MS + TEST_LIMIT_MS,
);
