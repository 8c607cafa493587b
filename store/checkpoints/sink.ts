import { type Database, isOnServer, type Tx } from "../database/index.ts";
import type { ListPlan } from "./lists.ts";
import { insertWrites } from "./queries.ts";
import { storeTogether } from "./together.ts";
import { type CheckpointWrite, storeCheckpoint } from "./writing.ts";

/** Where a saver's writes go: straight to the database, or into the group commit of a run. */
export type CheckpointSink = {
  /** Takes something to write; resolves when it is safe for the graph to go on. */
  write(write: CheckpointWrite): Promise<void>;
  /** Resolves when everything taken so far is committed. Called before each read. */
  settled(): Promise<void>;
};

/** The same without the graph's own objects, so that another thread can store it. */
export function plainWrite(write: CheckpointWrite): CheckpointWrite {
  if (write.kind === "writes" || write.encoded.lists.length === 0) return write;
  const lists = write.encoded.lists.map(({ plan: { elements, ...plan }, ...list }) => ({ ...list, plan }));
  return { kind: "checkpoint", encoded: { ...write.encoded, lists } };
}

/** The plans of the lists in it: where the lists went is known once they are stored, and is told to whoever planned. */
export const plansOf = (write: CheckpointWrite): ListPlan[] =>
  write.kind === "checkpoint" ? write.encoded.lists.map(({ plan }) => plan) : [];

/** Stores what a saver wrote. May run again after a rollback. */
export function storeWrite(tx: Tx, write: CheckpointWrite): Promise<void> {
  return write.kind === "checkpoint"
    ? storeCheckpoint(tx, write.encoded)
    : insertWrites(tx, write.at, write.rows);
}

/** Stores what a saver wrote since the last commit, in its order. May run again after a rollback. */
export async function storeWrites(tx: Tx, writes: readonly CheckpointWrite[]): Promise<void> {
  if (writes.length > 1 && isOnServer(tx)) return storeTogether(tx, writes);
  for (const write of writes) await storeWrite(tx, write);
}

/** For a checkpointer that only reads. */
export const readOnlySink: CheckpointSink = {
  write: () => Promise.reject(new Error("this checkpointer only reads")),
  settled: async () => undefined,
};

/** Every write is committed before the graph goes on. */
export function directSink(db: Database): CheckpointSink {
  const open = new Set<Promise<void>>();
  return {
    write: (write) => {
      const written = db.write((tx) => storeWrite(tx, write));
      open.add(written);
      const forget = () => open.delete(written);
      written.then(forget, forget);
      return written;
    },
    settled: async () => {
      // A failed write was reported to whoever asked for it.
      if (open.size > 0) await Promise.allSettled(open);
    },
  };
}
