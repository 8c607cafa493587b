import { expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { type CheckpointSink, type Database, ListCache, openDatabase, storeWrite } from "@berth/store";
import { Checkpoints } from "@berth/store/langgraph";
import { AIMessage } from "@langchain/core/messages";
import { type BaseCheckpointSaver, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import type { Kysely, KyselyPlugin } from "kysely";
import { temporaryFolder } from "../every-store.ts";

process.env.LANGCHAIN_CALLBACKS_BACKGROUND = "false";

const TURNS = process.env.BERTH_LONG === "1" ? 1000 : 300;
const WINDOW = 100;

/** A database that counts the characters of text that come out of it. */
function counting(database: Database): { database: Database; read: { bytes: number } } {
  const read = { bytes: 0 };
  const count: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      for (const row of result.rows) read.bytes += JSON.stringify(row).length;
      return result;
    },
  };
  const counted = <Connection extends Kysely<never>>(db: Connection) => db.withPlugin(count) as Connection;
  return {
    read,
    database: {
      ...database,
      read: counted(database.read as never) as Database["read"],
      write: (work) => database.write((tx) => work(counted(tx as never) as typeof tx)),
    },
  };
}

/** Collects a run's writes into one commit. */
function buffered(database: Database): CheckpointSink {
  const waiting: Parameters<CheckpointSink["write"]>[0][] = [];
  return {
    write: async (write) => void waiting.push(write),
    settled: () =>
      database.write(async (tx) => {
        for (const write of waiting.splice(0)) await storeWrite(tx, write);
      }),
  };
}

async function storedBytes(database: Database): Promise<number> {
  let bytes = 0;
  for (const table of ["checkpoints", "channel_values", "list_chunks", "checkpoint_writes"] as const) {
    for (const row of await database.read.selectFrom(table).selectAll().execute())
      bytes += JSON.stringify(row).length;
  }
  return bytes;
}

const echo = new StateGraph(MessagesAnnotation)
  .addNode("echo", ({ messages }) => ({ messages: [new AIMessage(`echo of ${messages.at(-1)?.content}`)] }))
  .addEdge(START, "echo");

async function turn(database: Database, cache: ListCache, index: number): Promise<number> {
  return say(database, cache, `message ${String(index).padStart(5, "0")}`);
}

async function say(database: Database, cache: ListCache, content: string): Promise<number> {
  const sink = buffered(database);
  const checkpointer = new Checkpoints(database, { cache, sink }) as unknown as BaseCheckpointSaver;
  const input = { messages: [{ role: "user", content }] };
  const { messages } = await echo
    .compile({ checkpointer })
    .invoke(input, { configurable: { thread_id: "long" } });
  await sink.settled();
  return messages.length;
}

test("a turn of a thread costs the same space and the same reading, however old the thread is", async () => {
  const folder = temporaryFolder();
  const plain = await openDatabase(`sqlite:${join(folder, "berth.db")}`);
  const { database, read } = counting(plain);
  const cache = new ListCache();
  const space: number[] = [];
  const reading: number[] = [];
  for (let index = 0; index < TURNS; index++) {
    expect(await turn(database, cache, index)).toBe(2 * (index + 1));
    if ((index + 1) % WINDOW !== 0) continue;
    reading.push(read.bytes);
    space.push(await storedBytes(plain));
    read.bytes = 0;
  }
  const perWindow = space.map((bytes, index) => bytes - (space[index - 1] ?? 0));
  const [first = 0, second = 0] = perWindow;
  for (const bytes of perWindow) expect(bytes).toBeLessThan(second * 1.1);
  expect(space.at(-1) ?? 0).toBeLessThan(1.3 * (first + second * (TURNS / WINDOW - 1)));
  for (const bytes of reading) expect(bytes).toBeLessThan((reading[1] ?? 0) * 1.1);
  expect(await turn(database, new ListCache(), TURNS)).toBe(2 * (TURNS + 1));
  await plain.close();
  rmSync(folder, { recursive: true, force: true });
});

test("a file in a message is stored three times: in the input, in what the input wrote, and in the list", async () => {
  const folder = temporaryFolder();
  const database = await openDatabase(`sqlite:${join(folder, "berth.db")}`);
  const cache = new ListCache();
  const file = "A".repeat(300_000);
  for (let sent = 0; sent < 3; sent += 1) await say(database, cache, file);
  // The answers of the graph repeat the file, and are a write and an element of the list.
  const copies = 3 * 3 + 3 * 2;
  expect(await storedBytes(database)).toBeLessThan((copies + 0.5) * file.length);
  await database.close();
  rmSync(folder, { recursive: true, force: true });
});
