import { expect, test } from "bun:test";
import { Items, openDatabase, previewRetention, renewLeases, Threads } from "@berth/store";
import { newDatabase, withoutPostgres } from "../postgres/server.ts";
import { testUnless } from "../skips.ts";
import { everyStore, standingClock } from "./every-store.ts";
import { startIssueStore } from "./issues/issue-store.ts";

// What one engine takes and another one does not.
everyStore("odd values", (open) => {
  test("leases of no runs are renewed", async () => {
    const db = await open();
    await db.write((tx) => renewLeases(tx, { owner: "p", until: 1 }, []));
  });

  test("a time to live that no date can name", async () => {
    const db = await open();
    const items = new Items(db, standingClock());
    await items.put({ namespace: ["n"], key: "k", value: {}, ttl_minutes: 1e300 });
    expect(await items.get(["n"], "k")).not.toBeNull();
    const ttl = { strategy: "delete" as const, minutes: 1e300 };
    const thread = await new Threads(db, standingClock()).create({ ttl });
    expect(new Date(thread.ttl?.expires_at ?? Number.NaN).getTime()).toBeGreaterThan(Date.now());
  });

  test("metadata of names and values with U+0000 is kept", async () => {
    const threads = new Threads(await open(), standingClock());
    const metadata = { "a\0b": "c", d: "e\0f" };
    const { thread_id } = await threads.create({ metadata });
    expect((await threads.get(thread_id)).metadata).toEqual(metadata);
    expect(await threads.search({ metadata: { "a\0b": "other" }, limit: 10, offset: 0 })).toMatchObject({
      rows: [],
    });
  });

  test("what is kept is counted, and the failures of a place are found", async () => {
    const { db, issues, session } = await startIssueStore(open);
    const now = Date.UTC(2026, 0, 1);
    expect((await previewRetention(db, { now, traceRetentionMs: 1 })).length).toBeGreaterThan(3);
    expect((await issues.known(session.id, ["a place"], [])).kinds).toEqual([]);
  });
});

testUnless(withoutPostgres())(
  "nothing is in an empty list on a Postgres server, and all is beside it",
  async () => {
    const db = await openDatabase(await newDatabase());
    const of = (operator: "in" | "not in") =>
      db.read.selectFrom("workspaces").select("id").where("id", operator, []).execute();
    expect(await of("in")).toEqual([]);
    expect(await of("not in")).toHaveLength(1);
    await db.close();
  },
);
