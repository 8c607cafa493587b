import { afterAll, beforeAll, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import {
  type AttemptEnd,
  type ClaimedDelivery,
  Conflict,
  type Database,
  MOST_ATTEMPTS,
  NotFound,
  openDatabase,
} from "@berth/store";
import fc from "fast-check";
import { temporaryFolder } from "../every-store.ts";
import { DOWN, GONE, HERE, type IssueStore, issueStoreOver, OK } from "./issue-store.ts";

const RUNS = process.env.BERTH_LONG === "1" ? 1_000 : 60;
const WORKERS = ["a", "b", "c"] as const;
const OVER = ["delivered", "dead", "cancelled"];

type Worker = (typeof WORKERS)[number];
/** What happens: `at` picks a delivery or a subscription. */
type Deed =
  | { do: "enqueue" | "redeliver" | "disable" | "enable" | "delete"; at: number }
  | { do: "claim" | "begin" | "crash" | "release"; by: Worker }
  | { do: "finish"; by: Worker; end: AttemptEnd }
  | { do: "reap" }
  | { do: "wait"; ms: number };

const at = fc.nat({ max: 30 });
const by = fc.constantFrom(...WORKERS);
const deed: fc.Arbitrary<Deed> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant("enqueue" as const), at }) },
  { weight: 12, arbitrary: fc.record({ do: fc.constantFrom("claim" as const, "begin" as const), by }) },
  {
    weight: 12,
    arbitrary: fc.record({
      do: fc.constant("finish" as const),
      by,
      end: fc.constantFrom(OK, DOWN, DOWN, DOWN, GONE),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom("crash" as const, "release" as const), by }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("redeliver" as const), at }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constantFrom("disable" as const, "enable" as const, "delete" as const),
      at,
    }),
  },
  { weight: 6, arbitrary: fc.constant<Deed>({ do: "reap" }) },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant("wait" as const),
      // Set back, too.
      ms: fc.constantFrom(1, 5_000, 10_000, 30_000, 60_000, 400_000, 3_600_000, -3_600_000, -5_000),
    }),
  },
);

let db: Database;
const folder = temporaryFolder();

beforeAll(async () => {
  db = await openDatabase(`sqlite:${join(folder, "berth.db")}`);
  await db.write((tx) => tx.insertInto("workspaces").values({ id: "w", name: "w", created_at: 0 }).execute());
});

afterAll(async () => {
  await db.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The workers, as they see it, and everything that was ever put into the outbox. */
class World {
  readonly held = new Map<Worker, { claimed: ClaimedDelivery; begun: boolean }[]>();
  readonly bodies = new Map<string, string>();
  /** How often each was sent, as its receiver counts. */
  readonly sent = new Map<string, number>();
  readonly done: string[] = [];

  constructor(
    readonly store: IssueStore,
    readonly subscriptions: string[],
  ) {}

  async run(deed: Deed): Promise<void> {
    this.done.push(JSON.stringify(deed));
    if (deed.do === "wait") this.store.clock.advance(deed.ms);
    else if (deed.do === "reap") await this.store.outbox.reap(this.store.clock.now());
    else if ("at" in deed) await this.#ask(deed.do, deed.at);
    else await this.#work(deed);
  }

  async #ask(what: "enqueue" | "redeliver" | "disable" | "enable" | "delete", at: number): Promise<void> {
    const { outbox, subscriptions } = this.store;
    const subscription = this.subscriptions[at % this.subscriptions.length] ?? "";
    const delivery = [...this.bodies.keys()][at % Math.max(1, this.bodies.size)] ?? crypto.randomUUID();
    try {
      if (what === "redeliver") await outbox.redeliver(HERE, delivery);
      else if (what !== "enqueue") await subscriptions[what](HERE, subscription);
      else {
        const { id, body } = await outbox.test(HERE, subscription);
        this.bodies.set(id, body);
      }
    } catch (error) {
      if (!(error instanceof Conflict) && !(error instanceof NotFound)) throw error;
    }
  }

  async #work(deed: Extract<Deed, { by: Worker }>): Promise<void> {
    const { outbox, clock } = this.store;
    const mine = this.held.get(deed.by) ?? [];
    this.held.set(deed.by, mine);
    if (deed.do === "claim") {
      const claimed = await outbox.claim(deed.by, clock.now(), { total: 3, perSubscription: 2 });
      mine.push(...claimed.map((one) => ({ claimed: one, begun: false })));
    } else if (deed.do === "crash") mine.length = 0;
    else if (deed.do === "release") {
      await outbox.release(mine.map(({ claimed }) => claimed));
      mine.splice(0, mine.length, ...mine.filter(({ begun }) => begun));
    } else if (deed.do === "begin") {
      const next = mine.find(({ begun }) => !begun);
      if (next && (await outbox.began(next.claimed, clock.now()))) {
        next.begun = true;
        this.#send(next.claimed);
      } else if (next) mine.splice(mine.indexOf(next), 1);
    } else if (deed.do === "finish") {
      const next = mine.find(({ begun }) => begun);
      if (!next) return;
      mine.splice(mine.indexOf(next), 1);
      await outbox.finish(next.claimed, deed.end, clock.now());
    }
  }

  #send({ id, body }: ClaimedDelivery): void {
    expect(body).toBe(this.bodies.get(id) ?? "");
    this.sent.set(id, (this.sent.get(id) ?? 0) + 1);
  }

  async check(): Promise<void> {
    const rows = await db.read
      .selectFrom("deliveries")
      .selectAll()
      .where("workspace_id", "=", HERE)
      .execute();
    expect(rows).toHaveLength(this.bodies.size);
    const attempts = await db.read.selectFrom("delivery_attempts").selectAll().execute();
    for (const row of rows) {
      const own = attempts.filter(({ delivery_id }) => delivery_id === row.id);
      expect(row.body).toBe(this.bodies.get(row.id) ?? "");
      expect(row.attempts).toBeLessThanOrEqual(MOST_ATTEMPTS);
      expect(own.filter(({ manual }) => manual === 0)).toHaveLength(row.attempts);
      expect(row.tries).toBe(own.length);
      expect(this.sent.get(row.id) ?? 0).toBe(own.length);
      expect(row.state === "leased").toBe(row.owner !== null);
      // Whose end is unknown, is at most the one that is on its way.
      expect(own.filter(({ outcome }) => outcome === null).length).toBeLessThanOrEqual(
        row.state === "leased" ? 1 : 0,
      );
      if (row.state === "delivered") expect(own.some(({ outcome }) => outcome === "ok")).toBe(true);
      if (row.state === "dead") expect(row.reason).toBeString();
    }
  }

  /** Everybody dies, and one worker does the rest. */
  async settle(): Promise<void> {
    for (const worker of WORKERS) await this.run({ do: "crash", by: worker });
    for (let i = 0; i < 400; i++) {
      this.store.clock.advance(400_000);
      await this.run({ do: "reap" });
      await this.run({ do: "claim", by: "a" });
      for (let k = 0; k < 3; k++) {
        await this.run({ do: "begin", by: "a" });
        await this.run({ do: "finish", by: "a", end: DOWN });
      }
      const depth = await this.store.outbox.depth(this.store.clock.now());
      if (depth.queued + depth.leased === 0) return;
    }
    throw new Error("the outbox does not become empty");
  }
}

test(
  `whatever happens in whatever order, every delivery comes to an end within its attempts (${RUNS} stories)`,
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(deed, { minLength: 30, maxLength: 120 }), async (deeds) => {
        for (const table of ["delivery_attempts", "deliveries", "subscriptions"] as const) {
          await db.write((tx) => tx.deleteFrom(table).execute());
        }
        const store = await issueStoreOver(db);
        const world = new World(store, [
          await store.subscribe(),
          await store.subscribe(),
          await store.subscribe(),
        ]);
        for (const one of deeds) {
          await world.run(one);
          await world.check();
        }
        await world.settle();
        await world.check();
        const rows = await db.read.selectFrom("deliveries").select("state").execute();
        expect(rows.filter(({ state }) => !OVER.includes(state))).toEqual([]);
      }),
      { numRuns: RUNS },
    );
  },
  RUNS * 2_000,
);
