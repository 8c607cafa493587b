import { afterAll, beforeAll, expect, test } from "bun:test";
import { execute, newDatabase, withoutPostgres } from "../../postgres/server.ts";
import { describeUnless } from "../../skips.ts";
import type { BerthProcess } from "../berth-process.ts";
import { ask } from "../crash-http.ts";
import { CRASH_PROJECT } from "../crash-round.ts";
import { Berths } from "./berths.ts";

/** What a migration of a newer Berth may do, to tables that an older one reads whole. */
const NEWER = [
  "alter table runs add column newer text",
  "alter table threads add column newer bigint not null default 7",
  "alter table checkpoints add column newer text",
  "create table newer_things (id text primary key)",
  "create index runs_newer on runs (newer)",
  "insert into berth_migrations values ('9999-newer', '2030-01-01T00:00:00.000Z')",
];

describeUnless(withoutPostgres())("a newer Berth has migrated the database", () => {
  let url: string;
  let berths: Berths;
  let old: BerthProcess;
  beforeAll(async () => {
    url = await newDatabase();
    berths = await Berths.on(url);
    old = await berths.start({ project: CRASH_PROJECT });
  });
  afterAll(() => berths.stop());

  const run = async (thread_id: string) =>
    ask<{ steps: number[] }>(old.url, "POST", `/threads/${thread_id}/runs/wait`, {
      assistant_id: "steps",
      input: { total: 3, pause: 5 },
    });

  test("an older one that runs goes on beside it, and does not start again", async () => {
    const { thread_id } = await ask<{ thread_id: string }>(old.url, "POST", "/threads", {});
    await run(thread_id);
    for (const statement of NEWER) await execute(url, statement);
    for (let turn = 0; turn < 5; turn += 1) await run(thread_id);
    const runs = await ask<{ status: string }[]>(old.url, "GET", `/threads/${thread_id}/runs`);
    expect(runs.map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => "success"));
    await expect(berths.start({ project: CRASH_PROJECT })).rejects.toThrow("9999-newer");
  });
});
