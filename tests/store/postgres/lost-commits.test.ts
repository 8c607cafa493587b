import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Database, openDatabase, type Tx, Unavailable } from "@berth/store";
import { CommitUnknown, GroupWriter } from "../../../store/database/writer.ts";
import { databaseOn, execute, newDatabase, PostgresServer, withoutPostgres } from "../../postgres/server.ts";
import { describeUnless } from "../../skips.ts";
import { type CommitProxy, commitProxy } from "./commit-proxy.ts";
import { upTo } from "./two-databases.ts";

const LONG = process.env.BERTH_LONG === "1";

/** Writes a row whose id is new each time that the work is done: what is done twice is there twice. */
async function add(db: Database, name: string, done: () => void = () => undefined, patienceMs = 30_000) {
  const work = async (tx: Tx) => {
    done();
    await tx.insertInto("workspaces").values({ id: crypto.randomUUID(), name, created_at: 7 }).execute();
  };
  await db.write(work, { scope: [`row:${name}`], patienceMs });
}

function isUnavailable(error: unknown): false {
  if (error instanceof Unavailable) return false;
  throw error;
}

/** How often each is there. */
async function counts(url: string): Promise<Map<string, number>> {
  const rows = await execute(
    url,
    "select name, count(*)::int as n from workspaces where created_at = 7 group by name",
  );
  return new Map(rows.map(({ name, n }) => [String(name), Number(n)]));
}

describeUnless(withoutPostgres())("a commit whose answer is lost", () => {
  let url: string;
  let proxy: CommitProxy;
  let db: Database;

  beforeAll(async () => {
    url = await newDatabase();
    proxy = await commitProxy(url);
    db = await openDatabase(proxy.url);
  });
  afterAll(async () => {
    await db.close();
    await proxy.stop();
  });

  test.each(["before", "after"] as const)(
    "is told apart from one that did not happen: %s it",
    async (where) => {
      for (const turn of upTo(LONG ? 100 : 4)) {
        const name = `${where} ${turn}`;
        let times = 0;
        proxy.breakNext(where);
        await add(db, name, () => {
          times += 1;
        });
        expect([name, (await counts(url)).get(name)]).toEqual([name, 1]);
        expect(times).toBe(where === "before" ? 2 : 1);
      }
    },
  );

  test.each(["before", "after"] as const)("of several who share it: %s it", async (where) => {
    const names = upTo(8).map((at) => `shared ${where} ${at}`);
    proxy.breakNext(where);
    await Promise.all(names.map((name) => add(db, name)));
    const there = await counts(url);
    for (const name of names) expect([name, there.get(name)]).toEqual([name, 1]);
  });
});

describeUnless(withoutPostgres())("writes while the database breaks", () => {
  let server: PostgresServer;
  let url: string;
  let dbs: Database[];

  beforeAll(async () => {
    server = await PostgresServer.start();
    await execute(server.url(), "create database broken");
    url = databaseOn(server.url(), "broken");
    dbs = [await openDatabase(url), await openDatabase(url)];
  });
  afterAll(async () => {
    for (const db of dbs) await db.close();
    await server.remove();
  });

  /** Writes on and on while `strike` breaks something, and says what was written. */
  async function underFire(name: string, strike: () => Promise<void>): Promise<string[]> {
    const written: string[] = [];
    let isOver = false;
    const workers = upTo(12).map(async (worker) => {
      for (let turn = 0; !isOver; turn += 1) {
        const label = `${name} ${worker} ${turn}`;
        const db = dbs[worker % dbs.length];
        // After a crash nobody may know; then it is said so, and happened once at most.
        const isWritten = db && (await add(db, label).then(() => true, isUnavailable));
        if (isWritten) written.push(label);
      }
    });
    await strike();
    isOver = true;
    await Promise.all(workers);
    return written;
  }

  async function expectOnce(written: string[]): Promise<void> {
    const there = await counts(url);
    expect(written.filter((label) => there.get(label) !== 1)).toEqual([]);
    expect([...there].filter(([, count]) => count !== 1)).toEqual([]);
  }

  test("happen once when all connections are ended again and again", async () => {
    const written = await underFire("ended", async () => {
      for (const _ of upTo(LONG ? 200 : 8)) {
        await execute(
          server.url(),
          "select pg_terminate_backend(pid) from pg_stat_activity where datname = 'broken'",
        );
        await Bun.sleep(Math.random() * 60);
      }
    });
    expect(written.length).toBeGreaterThan(12);
    await expectOnce(written);
  });

  test.each(["fast", "immediate"] as const)("happen once when the server is restarted: %s", async (how) => {
    for (const round of upTo(LONG ? 60 : 2)) {
      const written = await underFire(`${how} ${round}`, async () => {
        await Bun.sleep(100 + Math.random() * 100);
        await server.stop(how);
        await server.start();
        await Bun.sleep(100);
      });
      await expectOnce(written);
    }
  });

  test("are told to other processes after a restart, too", async () => {
    const [first, second] = dbs;
    if (!first || !second) throw new Error("the databases are not open");
    await server.stop();
    await server.start();
    const heard = Promise.withResolvers<void>();
    const forget = second.onForeign((changed) => {
      if (changed !== "anything" && changed.has("row:poke")) heard.resolve();
    });
    // The connection that listens comes back by itself; until then nobody hears.
    const telling = setInterval(() => void add(first, "poke"), 100);
    await heard.promise;
    clearInterval(telling);
    forget();
  });
});

test("those who share a commit of which nobody knows are told so, and nothing of it is done again", async () => {
  const done: string[] = [];
  // A database that is back as soon as somebody tries again.
  const writer = new GroupWriter(async (body) => {
    await body({} as Tx);
    if (done.length === 2) throw new CommitUnknown("nobody knows");
    return undefined as never;
  });
  const writes = ["a", "b"].map((name) => writer.write(async () => void done.push(name)));
  for (const one of await Promise.allSettled(writes))
    expect(one).toMatchObject({ status: "rejected", reason: expect.any(Unavailable) });
  expect(done).toEqual(["a", "b"]);
});
