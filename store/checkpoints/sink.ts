import type { Database, Tx } from "../database/index.ts";

/** Where a saver's writes go: straight to the database, or into the group commit of a run. */
export type CheckpointSink = {
  /** Takes a unit of writing; resolves when it is safe for the graph to go on. `work` may run more than once. */
  write(work: (tx: Tx) => Promise<void>): Promise<void>;
  /** Resolves when everything taken so far is committed. Called before each read. */
  settled(): Promise<void>;
};

/** Every write is committed before the graph goes on. */
export function directSink(db: Database): CheckpointSink {
  const open = new Set<Promise<void>>();
  return {
    write: (work) => {
      const written = db.write(work);
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
