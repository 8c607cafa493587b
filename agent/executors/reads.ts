import type { CheckpointReader } from "@berth/store";

/** A read of stored checkpoints on its way to the server process. */
export type CheckpointRead = {
  [Method in keyof CheckpointReader]: { method: Method; query: Parameters<CheckpointReader[Method]>[0] };
}[keyof CheckpointReader];

/** Reads checkpoints through the server process, which has the database. */
export function remoteReader(ask: (read: CheckpointRead) => Promise<never>): CheckpointReader {
  return {
    checkpoint: (query) => ask({ method: "checkpoint", query }),
    checkpoints: (query) => ask({ method: "checkpoints", query }),
    ancestors: (query) => ask({ method: "ancestors", query }),
    values: (query) => ask({ method: "values", query }),
    writes: (query) => ask({ method: "writes", query }),
    chunks: (query) => ask({ method: "chunks", query }),
    largeValue: (query) => ask({ method: "largeValue", query }),
  };
}

/** Answers a read of a worker. */
export function answerRead(reader: CheckpointReader, { method, query }: CheckpointRead): Promise<unknown> {
  const read = reader[method] as (query: unknown) => Promise<unknown>;
  return read(query);
}
