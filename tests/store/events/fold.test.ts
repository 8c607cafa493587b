import { expect, test } from "bun:test";
import {
  appendSegment,
  type Database,
  foldEvents,
  newestSegment,
  readRunEvents,
  readRunEventsBack,
  readThreadSegments,
} from "@berth/store";
import { everyStore } from "../every-store.ts";

const THREAD = "01999999-0000-7000-8000-00000000f001";
const RUN = { run_id: "01999999-0000-7000-8000-00000000f002", thread_id: THREAD };
const OTHER = "01999999-0000-7000-8000-00000000f003";
const METADATA = `,{"langgraph_node":"model","checkpoint_ns":"${"x".repeat(300)}"}]`;

/** A run that streams a token in each commit; in its middle another one was cancelled that had waited. */
async function scattered(db: Database): Promise<void> {
  await db.write(async (tx) => {
    for (let seq = 1; seq <= 40; seq += 1) {
      if (seq === 21) {
        const events = [{ seq, name: "end", json: "{}" }];
        await appendSegment(tx, { thread_id: THREAD, run_id: OTHER, at: 5_000 + seq, events });
        continue;
      }
      const json = `[{"content":"t${seq} "}${METADATA}`;
      const name = seq === 40 ? "end" : "messages";
      const events = [{ seq, name, json, tail: METADATA.length }];
      await appendSegment(tx, { thread_id: THREAD, run_id: RUN.run_id, at: 5_000 + seq, events });
    }
  });
}

const isOnServer = ({ sql }: Database) => sql.name !== "sqlite";

const rowsOf = async ({ read }: Database) =>
  Number(
    (
      await read
        .selectFrom("events")
        .select((eb) => eb.fn.countAll().as("n"))
        .execute()
    )[0]?.n,
  );

everyStore("a folded log", (open) => {
  test("is the same to all its readers, wherever they stand, and takes fewer rows", async () => {
    const db = await open();
    await scattered(db);
    const seen = async () => {
      const places = Array.from({ length: 41 }, (_, after) => after);
      const frames = async (after: number) =>
        (await readThreadSegments(db, THREAD, after, 100)).flatMap(({ run_id, at, events }) =>
          events.map(({ seq, name, json }) => ({ run_id, at, seq, name, json })),
        );
      const plain = (events: { seq: number; json: string }[]) =>
        events.map(({ seq, json }) => ({ seq, json }));
      return {
        thread: await Promise.all(places.map(frames)),
        run: await Promise.all(
          places.map(async (after) => plain(await readRunEvents(db, RUN.run_id, after, 100))),
        ),
        back: await Promise.all(
          places.map(async (before) => plain(await readRunEventsBack(db, RUN.run_id, before, 100))),
        ),
        newest: await newestSegment(db, THREAD),
      };
    };
    const before = await seen();
    await foldEvents(db, RUN);
    const { newest, ...after } = await seen();
    const { newest: _, ...same } = before;
    expect(after).toEqual(same);
    expect(newest).toMatchObject({ at: 5_040, events: [{ seq: 40 }] });
    // On a server an older Berth may read beside this one: there they stay.
    expect(await rowsOf(db)).toBe(isOnServer(db) ? 40 : 3);
    // Nothing is left to fold, and what was folded is not lost when it is tried again.
    await foldEvents(db, RUN);
    expect((await seen()).thread).toEqual(before.thread);
  });

  test("is a fifth as large", async () => {
    const db = await open();
    await scattered(db);
    const bytes = async () => {
      const rows = await db.read.selectFrom("events").select("body").execute();
      return rows.reduce((sum, { body }) => sum + body.length, 0);
    };
    if (isOnServer(db)) return;
    const before = await bytes();
    await foldEvents(db, RUN);
    expect(await bytes()).toBeLessThan(before / 5);
  });
});
