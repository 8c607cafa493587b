import { expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import {
  admitRun,
  appendSegment,
  copyDatabase,
  type Database,
  deleteRunsOfAssistant,
  deleteThread,
  eraseRun,
  exportThread,
  finishRun,
  foldEvents,
  newestSegment,
  openDatabase,
  readRunEvents,
  readRunEventsBack,
  readThreadSegments,
  type StoredEvent,
  sweepEndedRuns,
} from "@berth/store";
import { dropDatabase, newDatabase, withoutPostgres } from "../../postgres/server.ts";
import { testUnless } from "../../skips.ts";
import { everyStore, temporaryFolder } from "../every-store.ts";
import { wanted } from "../postgres/two-databases.ts";

const THREAD = "01999999-0000-7000-8000-00000000e001";
const ONE = "01999999-0000-7000-8000-00000000e002";
const TWO = "01999999-0000-7000-8000-00000000e003";
const ASSISTANT = "01999999-0000-7000-8000-00000000e004";
const NOW = 1_000_000;

/** Text of a file in base64; no two seeds give the same. */
function fileOf(seed: number, bytes = 30_000): string {
  const random = new Uint8Array(bytes);
  for (let at = 0, state = seed; at < bytes; at += 1) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    random[at] = state >>> 16;
  }
  return random.toBase64();
}

const FILES = [1, 2, 3].map((seed) => fileOf(seed));
/** Quotes, backslashes and line ends are escaped in JSON, the last character before the closing quote, too. */
const QUOTED = `${'say "so" \\ and \n'.repeat(2_000)}\\`;
const stateOf = (files: string[]) =>
  JSON.stringify({ messages: files.map((data) => ({ type: "human", content: [{ data }] })) });

const event = (seq: number, json: string, name = "values"): StoredEvent => ({ seq, name, json });

const append = (db: Database, run_id: string, events: StoredEvent[], temporary = true) =>
  db.write((tx) => appendSegment(tx, { thread_id: THREAD, run_id, at: NOW, events, temporary }));

async function rowsOf(db: Database): Promise<{ events: number; texts: number; uses: number; bytes: number }> {
  const bodies = await db.read.selectFrom("events").select("body").execute();
  const texts = await db.read.selectFrom("event_texts").select("value").execute();
  const uses = await db.read.selectFrom("event_text_uses").select("run_id").execute();
  const bytes = [...bodies.map(({ body }) => body), ...texts.map(({ value }) => value)];
  return {
    events: bodies.length,
    texts: texts.length,
    uses: uses.length,
    bytes: bytes.reduce((sum, { length }) => sum + length, 0),
  };
}

const jsonOf = (events: StoredEvent[]) => events.map(({ json }) => json);

const exported = async (db: Database) => {
  const found: unknown[] = [];
  for await (const thing of exportThread(db, THREAD)) if (thing.kind === "event") found.push(thing.data);
  return found;
};

everyStore("long strings of events", (open) => {
  test("are stored once per thread, and come back to every reader", async () => {
    const db = await open();
    const first = [event(1, stateOf(FILES.slice(0, 2))), event(2, stateOf(FILES)), event(3, "{}", "end")];
    const second = [event(4, stateOf([...FILES, QUOTED])), event(5, JSON.stringify({ [QUOTED]: FILES[0] }))];
    await append(db, ONE, first);
    await append(db, TWO, second);
    expect(await rowsOf(db)).toMatchObject({ events: 2, texts: 4, uses: 7 });
    const length = stateOf([...FILES, QUOTED]).length;
    expect((await rowsOf(db)).bytes).toBeLessThan(length * 1.02);

    expect(jsonOf(await readRunEvents(db, ONE, 0, 10))).toEqual(jsonOf(first));
    expect(jsonOf(await readRunEvents(db, TWO, 4, 10))).toEqual(jsonOf(second.slice(1)));
    const back = await readRunEventsBack(db, ONE, Number.MAX_SAFE_INTEGER, 10);
    expect(jsonOf(back)).toEqual(jsonOf(first).reverse());
    const segments = await readThreadSegments(db, THREAD, 0, 10);
    expect(segments.flatMap(({ events }) => jsonOf(events))).toEqual(jsonOf([...first, ...second]));
    expect(jsonOf((await newestSegment(db, THREAD))?.events ?? [])).toEqual(jsonOf(second));
    expect(await exported(db)).toEqual(jsonOf([...first, ...second]).map((json) => JSON.parse(json)));
  });

  test("are read a few at a time, where rows that are small refer to much", async () => {
    const db = await open();
    const json = JSON.stringify(fileOf(9, 600_000));
    for (const seq of [1, 2, 3, 4]) await append(db, ONE, [event(seq, json)]);
    expect(await rowsOf(db)).toMatchObject({ events: 4, texts: 1, uses: 1 });
    const seqs = (events: StoredEvent[]) => events.map(({ seq }) => seq);
    expect(seqs(await readRunEvents(db, ONE, 0, 4))).toEqual([1]);
    expect(seqs(await readRunEvents(db, ONE, 1, 4))).toEqual([2]);
    expect(seqs(await readRunEventsBack(db, ONE, 4, 4))).toEqual([3]);
    expect(await readThreadSegments(db, THREAD, 0, 4)).toHaveLength(1);
  });

  test("of a client are data, also where they look like a reference or like an event", async () => {
    const db = await open();
    await append(db, ONE, [event(1, JSON.stringify({ file: FILES[0] }))]);
    const [text] = await db.read.selectFrom("event_texts").select("hash").execute();
    const reference = `\u0003${FILES[0]?.length}:${text?.hash}`;
    const events = [
      event(2, JSON.stringify({ short: reference, escaped: JSON.stringify(reference) })),
      event(3, JSON.stringify({ long: `${reference}${"\n\t\u0001\u0002\u0003".repeat(4_000)}${reference}` })),
      event(4, JSON.stringify({ short: reference, file: FILES[0] })),
    ];
    await append(db, ONE, events);
    expect(jsonOf(await readRunEvents(db, ONE, 1, 10))).toEqual(jsonOf(events));
  });

  test("share a tail with the events beside them, and short ones stay where they are", async () => {
    const db = await open();
    const tail = `,{"langgraph_node":"model","note":"${"n".repeat(20_000)}"}]`;
    const token = (seq: number, text: string) => ({
      ...{ seq, name: "messages", json: `[${JSON.stringify(text)}${tail}`, tail: tail.length },
    });
    const events = [
      token(1, "a"),
      token(2, FILES[1] ?? ""),
      token(3, "b"),
      event(4, `"${"s".repeat(9_000)}"`),
    ];
    await append(db, ONE, events);
    expect(await readRunEvents(db, ONE, 0, 10)).toEqual(events);
    expect(await rowsOf(db)).toMatchObject({ texts: 1, uses: 1 });
    await append(db, TWO, [event(5, `[${'"short",'.repeat(4_000)}1]`)]);
    expect(await rowsOf(db)).toMatchObject({ texts: 1, uses: 1 });
  });

  test("are found wherever they begin, from 16,384 characters on, and so is a long list of numbers", async () => {
    const db = await open();
    const events: StoredEvent[] = [];
    const add = (json: string) => events.push(event(events.length + 1, json));
    for (const before of [0, 1, 8_190, 8_191, 8_192, 16_383, 16_384, 40_000]) {
      add(JSON.stringify(["short,".repeat(before / 6), "s".repeat(16_383), QUOTED.slice(0, 12_000)]));
      const end = before % 2 === 0 ? "\\" : '\\"';
      add(JSON.stringify([..."b".repeat(before / 4), `${before}`.padEnd(16_382, "l") + end.slice(0, 1)]));
      add(JSON.stringify({ before: "b".repeat(before / 5), numbers: Array(before).fill(1.5), after: end }));
    }
    add(JSON.stringify("l".repeat(20_000)));
    add(JSON.stringify(Array(20_000).fill(7)));
    await append(db, ONE, events);
    const read: StoredEvent[] = await readRunEvents(db, ONE, 0, 10);
    expect(jsonOf(read)).toEqual(jsonOf(events));
    // One string of each round, the longest of the first strings, the numbers of six rounds, and the string at the end.
    expect((await rowsOf(db)).texts).toBe(8 + 1 + 6 + 1);
  });

  test("stay with their events when the log of a run is folded", async () => {
    const db = await open();
    const events = Array.from({ length: 40 }, (_, at) =>
      event(at + 1, at % 10 === 5 ? stateOf(FILES) : JSON.stringify({ at })),
    );
    for (const one of events) await append(db, ONE, [one]);
    await foldEvents(db, { run_id: ONE, thread_id: THREAD });
    expect((await rowsOf(db)).events).toBe(db.sql.name === "sqlite" ? 1 : 40);
    const read: StoredEvent[] = [];
    for (;;) {
      const more = await readRunEvents(db, ONE, read.at(-1)?.seq ?? 0, 100);
      if (more.length === 0) break;
      read.push(...more);
    }
    expect(jsonOf(read)).toEqual(jsonOf(events));
    expect(await rowsOf(db)).toMatchObject({ texts: 3, uses: 3 });
  });

  test("go with the last run that used them: erased, swept, or deleted with an assistant or the thread", async () => {
    const db = await open();
    const run = wanted(THREAD, { run_id: ONE, assistant_id: ASSISTANT });
    await db.write((tx) => admitRun(tx, run, NOW, undefined, 0));
    await append(db, ONE, [event(1, stateOf(FILES.slice(0, 2)))], false);
    await append(db, TWO, [event(2, stateOf(FILES.slice(1)))], false);
    await db.write((tx) => eraseRun(tx, { run_id: TWO, thread_id: THREAD }));
    expect(await rowsOf(db)).toMatchObject({ events: 1, texts: 2, uses: 2 });

    const rest = { status: "idle" as const, interrupts: "{}", error: null, stateUpdatedAt: NOW };
    const lastSegment = { thread_id: THREAD, run_id: ONE, at: NOW, events: [event(2, stateOf(FILES))] };
    const ending = { run_id: ONE, thread_id: THREAD, status: "success" as const, thread: rest };
    await db.write((tx) => finishRun(tx, { ...ending, eventsUntil: NOW + 1, lastSegment }, NOW));
    expect(await rowsOf(db)).toMatchObject({ events: 2, texts: 3, uses: 3 });
    expect(jsonOf(await readRunEvents(db, ONE, 1, 1))).toEqual([stateOf(FILES)]);
    expect(await sweepEndedRuns(db, NOW, 10)).toBe(0);
    expect(await sweepEndedRuns(db, NOW + 1, 10)).toBe(1);
    expect(await rowsOf(db)).toEqual({ events: 0, texts: 0, uses: 0, bytes: 0 });

    await append(db, ONE, [event(3, stateOf(FILES))], false);
    await db.write((tx) => deleteRunsOfAssistant(tx, ASSISTANT, NOW));
    expect(await rowsOf(db)).toEqual({ events: 0, texts: 0, uses: 0, bytes: 0 });

    await append(db, TWO, [event(4, stateOf(FILES))], false);
    await db.write((tx) => deleteThread(tx, THREAD));
    expect(await rowsOf(db)).toEqual({ events: 0, texts: 0, uses: 0, bytes: 0 });
  });

  test("that a reader misses, because the run was removed behind its first query, are a removed run", async () => {
    const db = await open();
    await append(db, ONE, [event(1, stateOf(FILES))]);
    await append(db, TWO, [event(2, "{}")]);
    await db.write((tx) => tx.deleteFrom("event_texts").execute());
    expect(await readRunEvents(db, ONE, 0, 10)).toEqual([]);
    expect((await readThreadSegments(db, THREAD, 0, 10)).map(({ run_id }) => run_id)).toEqual([TWO]);
  });

  test("stay in the event on a server, until no process of an older version is there", async () => {
    const db = await open();
    const isOnServer = db.sql.name !== "sqlite";
    const row = {
      id: "old",
      place: "p",
      host: "h",
      pid: 1,
      version: "0.1.0",
      roles: "",
      running: 0,
      started_at: NOW,
      seen_at: NOW,
      reads_event_texts: 0,
    };
    await db.write((tx) => tx.insertInto("members").values(row).execute());
    await append(db, ONE, [event(1, stateOf(FILES))]);
    expect(await rowsOf(db)).toMatchObject({ texts: isOnServer ? 0 : 3 });
    await db.write((tx) => tx.deleteFrom("members").execute());
    await append(db, ONE, [event(2, stateOf(FILES))]);
    expect(await rowsOf(db)).toMatchObject({ texts: 3 });
    expect(jsonOf(await readRunEvents(db, ONE, 0, 10))).toEqual([stateOf(FILES), stateOf(FILES)]);
  });
});

testUnless(withoutPostgres())("long strings of events are copied to a server and back", async () => {
  const folder = temporaryFolder();
  const server = await newDatabase();
  const from = { url: `sqlite:${join(folder, "a.db")}`, name: "a.db" };
  const to = { url: server, name: "server" };
  const back = { url: `sqlite:${join(folder, "b.db")}`, name: "b.db" };
  try {
    const events = [event(1, stateOf([...FILES, QUOTED])), event(2, stateOf(FILES))];
    const read = async (url: string) => {
      const db = await openDatabase(url);
      const found = jsonOf(await readRunEvents(db, ONE, 0, 10));
      const { texts } = await rowsOf(db);
      await db.close();
      return { found, texts };
    };
    const db = await openDatabase(from.url);
    await append(db, ONE, events);
    await db.close();
    await copyDatabase({ from, to });
    expect(await read(to.url)).toEqual({ found: jsonOf(events), texts: 4 });
    await copyDatabase({ from: to, to: back });
    expect(await read(back.url)).toEqual({ found: jsonOf(events), texts: 4 });
  } finally {
    rmSync(folder, { recursive: true, force: true });
    await dropDatabase(server);
  }
});
