import { sql } from "kysely";
import { listsOfValue } from "../checkpoints/index.ts";
import { type Database, unpackText } from "../database/index.ts";

type Size = { count: number; bytes: number };

/** How much the checkpoints of a thread take, in bytes of their texts. */
export type ThreadStorage = {
  total_bytes: number;
  checkpoints: Size;
  channel_values: Size & { by_channel: Record<string, { versions: number; bytes: number }> };
  pending_writes: Size;
};

export async function threadStorage(db: Database, threadId: string): Promise<ThreadStorage> {
  const [checkpoints, pending_writes, channel_values] = await Promise.all([
    sizeOf(db, threadId, "checkpoints", "octet_length(checkpoint) + octet_length(metadata)"),
    sizeOf(db, threadId, "checkpoint_writes", "octet_length(value)"),
    channelValues(db, threadId),
  ]);
  const total_bytes = checkpoints.bytes + pending_writes.bytes + channel_values.bytes;
  return { total_bytes, checkpoints, channel_values, pending_writes };
}

async function sizeOf(
  db: Database,
  threadId: string,
  table: "checkpoints" | "checkpoint_writes",
  bytes: string,
): Promise<Size> {
  const { rows } = await sql<Size>`select count(*) as count, coalesce(sum(${sql.raw(bytes)}), 0) as bytes
    from ${sql.table(table)} where thread_id = ${threadId}`.execute(db.read);
  return { count: Number(rows[0]?.count), bytes: Number(rows[0]?.bytes) };
}

async function channelValues(db: Database, threadId: string): Promise<ThreadStorage["channel_values"]> {
  const values = db.read.selectFrom("channel_values").where("thread_id", "=", threadId);
  // In the order of the key: to sort them, SQLite would copy every value.
  const sizes = await values
    .select((eb) => ["ns", "channel", eb.fn.countAll<number>().as("versions")])
    .select(sql<number>`sum(octet_length(value))`.as("bytes"))
    .groupBy(["ns", "channel"])
    .execute();
  const channels = new Map<string, { versions: number; bytes: number }>();
  for (const { channel, versions, bytes } of sizes) {
    const known = channels.get(channel) ?? { versions: 0, bytes: 0 };
    known.versions += Number(versions);
    known.bytes += Number(bytes);
    channels.set(channel, known);
  }
  const lists = await listSizes(db, threadId);
  for (const { channel, value } of await values
    .select(["channel", "value"])
    .where("type", "=", "list")
    .execute()) {
    for (const list of listsOfValue(unpackText(value))) {
      const known = channels.get(channel);
      if (known) known.bytes += lists.get(list) ?? 0;
      // Many versions read from one list; it is there once.
      lists.delete(list);
    }
  }
  const all = [...channels.values()];
  return {
    count: all.reduce((sum, { versions }) => sum + versions, 0),
    bytes: all.reduce((sum, { bytes }) => sum + bytes, 0),
    by_channel: Object.fromEntries(channels),
  };
}

async function listSizes(db: Database, threadId: string): Promise<Map<string, number>> {
  const rows = await db.read
    .selectFrom("list_chunks")
    .select("list_id")
    .select(sql<number>`sum(octet_length(value))`.as("bytes"))
    .where("thread_id", "=", threadId)
    .groupBy("list_id")
    .execute();
  return new Map(rows.map(({ list_id, bytes }) => [list_id, Number(bytes)]));
}
