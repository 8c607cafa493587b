import { expect, test } from "bun:test";
import { copyThread, type Database, exportThread, latestValues, Threads } from "@berth/store";
import { Checkpoints } from "@berth/store/langgraph";
import { type Checkpoint, emptyCheckpoint } from "@langchain/langgraph-checkpoint";
import { sql } from "kysely";
import { everyStore, standingClock } from "../every-store.ts";

const TABLES = ["channel_values", "checkpoint_writes", "list_chunks"];

/** Bytes of the long values in a table. */
async function bytesIn(db: Database, table: string): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select sum(octet_length(value)) as bytes from ${sql.table(table)} where octet_length(value) > 1000
  `.execute(db.read);
  return Number(rows[0]?.bytes);
}

everyStore("long values of checkpoints", (open) => {
  test("come back to each reader, and are packed in a file", async () => {
    const db = await open();
    const { thread_id } = await new Threads(db, standingClock()).create({});
    const file = new Uint8Array(30_000)
      .map((_, at) => (Math.imul(at, 2_654_435_761) >>> 13) & 255)
      .toBase64();
    const messages = Array.from({ length: 8 }, (_, at) => ({ at, data: `${at}${file}` }));
    const values = { answer: { text: `"${file}\\`, short: "x" }, messages };
    const checkpoint: Checkpoint = {
      ...emptyCheckpoint(),
      channel_values: values,
      channel_versions: { answer: 1, messages: 1 },
    };
    const at = { configurable: { thread_id, checkpoint_ns: "" } };
    const metadata = { source: "loop" as const, step: 0, parents: {} };
    const config = await new Checkpoints(db).put(at, checkpoint, metadata, checkpoint.channel_versions);
    await new Checkpoints(db).putWrites(config, [["messages", messages.slice(0, 1)]], "task");

    const read = async (thread: string) => {
      const tuple = await new Checkpoints(db).getTuple({
        configurable: { thread_id: thread, checkpoint_ns: "" },
      });
      return { values: tuple?.checkpoint.channel_values, writes: tuple?.pendingWrites };
    };
    const whole: Awaited<ReturnType<typeof read>> = {
      values,
      writes: [["task", "messages", messages.slice(0, 1)]],
    };
    expect(await read(thread_id)).toEqual(whole);
    expect((await latestValues(db, [thread_id])).get(thread_id)?.values).toEqual(values);
    const copy = crypto.randomUUID();
    await db.write((tx) => copyThread(tx, thread_id, copy, 1));
    expect(await read(copy)).toEqual(whole);
    const exported: Record<string, unknown>[] = [];
    for await (const one of exportThread(db, thread_id)) exported.push(one);
    expect(exported.find(({ channel }) => channel === "answer")?.value).toBe(JSON.stringify(values.answer));
    expect(exported.find(({ kind }) => kind === "list_chunk")?.value).toEqual(messages);

    if (db.sql.name !== "sqlite") return;
    const [value = 0, write = 0, chunk = 0] = await Promise.all(TABLES.map((table) => bytesIn(db, table)));
    // Two threads have them.
    expect(value / 2).toBeLessThan(JSON.stringify(values.answer).length * 0.8);
    expect(write / 2).toBeLessThan(JSON.stringify(messages.slice(0, 1)).length * 0.8);
    expect(chunk / 2).toBeLessThan(JSON.stringify(messages).length * 0.8);
  });
});
