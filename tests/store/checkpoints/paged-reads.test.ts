import { expect, test } from "bun:test";
import { type CheckpointReader, databaseReader, ListCache, readOnlySink, type Tx } from "@berth/store";
import { CheckpointSaver, Checkpoints } from "@berth/store/langgraph";
import { everyStore } from "../every-store.ts";
import { advance, configAt, load, numbered } from "./checkpoint-thread.ts";

/** As in docs/worker-protocol.md. */
const MAX_ROWS = 128;
const MAX_BYTES = 32_768;

/** Longer than a page takes, even packed. */
const LONG = crypto.getRandomValues(new Uint8Array(1.5 * MAX_BYTES)).toBase64();

type Page = { rows: number; longest: number };

/** A reader that notes what each of its answers contains. */
function noted(reader: CheckpointReader) {
  const pages: Page[] = [];
  const large: unknown[] = [];
  const size = (value: unknown) =>
    typeof value === "string" ? Buffer.byteLength(value) : value instanceof Uint8Array ? value.length : 0;
  const page = <Row extends { value?: unknown }>(rows: Row[]): Row[] => {
    pages.push({ rows: rows.length, longest: Math.max(0, ...rows.map(({ value }) => size(value))) });
    return rows;
  };
  const watched: CheckpointReader = {
    ...reader,
    checkpoint: async (key) => {
      const found = await reader.checkpoint(key);
      page(found?.writes ?? []);
      page(found?.values ?? []);
      return found;
    },
    values: async (query) => page(await reader.values(query)),
    writes: async (query) => page(await reader.writes(query)),
    chunks: async (query) => page(await reader.chunks(query)),
    largeValue: (key) => {
      large.push(key);
      return reader.largeValue(key);
    },
  };
  return {
    pages,
    large,
    saver: (cache = new ListCache()) => new CheckpointSaver(watched, readOnlySink, { cache }),
  };
}

everyStore("reads of a checkpointer", (open) => {
  test("are bounded pages, and what does not fit in one is read all the same", async () => {
    const database = await open();
    const saver = new Checkpoints(database);
    const channels = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`channel ${n}`, n]));
    let messages = numbered(0, 8);
    let head = await advance(saver, undefined, { messages, ...channels, essay: LONG });
    for (let turn = 0; turn < 200; turn += 1) {
      messages = [...messages, { id: turn, text: turn === 7 ? `${LONG}ü` : `turn ${turn}` }];
      head = await advance(saver, head, { messages });
    }
    const written = Array.from({ length: 300 }, (_, n): [string, unknown] => [`to ${n}`, n === 9 ? LONG : n]);
    for (const task of ["one", "two"]) await saver.putWrites(configAt(head.id), written, task);

    const { pages, large, saver: watched } = noted(databaseReader(database));
    const tuple = await watched().getTuple(configAt());
    expect(tuple?.checkpoint.channel_values).toEqual({ ...channels, messages, essay: LONG });
    expect(tuple?.pendingWrites?.toSorted()).toEqual(
      ["one", "two"].flatMap((task) => written.map((write) => [task, ...write])).toSorted() as never,
    );
    expect(pages.filter(({ rows, longest }) => rows > MAX_ROWS || longest > MAX_BYTES)).toEqual([]);
    expect(large.length).toBe(4);
  });

  test("take from a list only what another process added since", async () => {
    const database = await open();
    const other = new Checkpoints(database);
    let head = await advance(other, undefined, { messages: numbered(0, 20) });
    for (let end = 21; end <= 30; end += 1) head = await advance(other, head, { messages: numbered(0, end) });
    const { pages, saver } = noted(databaseReader(database));
    const cache = new ListCache();
    const before = (await load(saver(cache))).values.messages as unknown[];
    await advance(other, head, { messages: numbered(0, 40) });
    pages.splice(0);
    const messages = (await load(saver(cache))).values.messages as unknown[];
    expect(messages).toEqual(numbered(0, 40));
    expect(messages[3]).toBe(before[3]);
    // The writes, the values, and of the list the last chunk that was known and the new one.
    expect(pages.map(({ rows }) => rows)).toEqual([0, 1, 2]);
  });

  test("read a list anew where it went on otherwise than this process believed", async () => {
    const database = await open();
    const root = await advance(new Checkpoints(database), undefined, { messages: numbered(0, 20) });
    const cache = new ListCache();
    const lost = new Checkpoints(database, {
      cache,
      // Of a run that loses its lease before it commits.
      sink: { write: async () => undefined, settled: async () => undefined },
    });
    await advance(lost, await load(lost), { messages: [...numbered(0, 20), { id: "lost" }] });
    const kept = [...numbered(0, 20), { id: "kept" }, { id: "too" }];
    await advance(new Checkpoints(database), root, { messages: kept });
    expect((await load(new Checkpoints(database, { cache }))).values.messages).toEqual(kept);
  });

  test("leave out what was deleted between two pages", async () => {
    const database = await open();
    await advance(new Checkpoints(database), undefined, { essay: LONG, short: 1 });
    const reader = databaseReader(database);
    const saver = new CheckpointSaver(
      {
        ...reader,
        largeValue: async (key) => {
          await database.write((tx: Tx) => tx.deleteFrom("channel_values").execute());
          return reader.largeValue(key);
        },
      },
      readOnlySink,
    );
    expect((await saver.getTuple(configAt()))?.checkpoint.channel_values).toEqual({ short: 1 });
  });
});
