import { prepared, type Tx } from "../database/index.ts";
import { latestCheckpoint } from "./queries.ts";
import { type GraphLanguage, languageOfRow } from "./stored-checkpoint.ts";

export type CheckpointPlace = { thread_id: string; ns: string; checkpoint_id: string };

const selectId = prepared<CheckpointPlace, { checkpoint_id: string }>((db, place) =>
  db
    .selectFrom("checkpoints")
    .select("checkpoint_id")
    .where("thread_id", "=", place.thread_id)
    .where("ns", "=", place.ns)
    .where("checkpoint_id", "=", place.checkpoint_id),
);

/** Whether a thread has a checkpoint, without reading what it holds. */
export async function hasCheckpoint(from: Tx, place: CheckpointPlace): Promise<boolean> {
  return (await selectId(from, place)).length > 0;
}

/** The newest checkpoint of a namespace; undefined while it has none. */
export async function newestCheckpointId(
  tx: Tx,
  { thread_id, ns }: Omit<CheckpointPlace, "checkpoint_id">,
): Promise<string | undefined> {
  const [newest] = await latestCheckpoint(tx, { thread: thread_id, ns });
  return newest?.checkpoint_id;
}

/** The language of the graph that wrote a thread's newest checkpoint; undefined for a thread without one. */
export async function languageOf(from: Tx, thread: string): Promise<GraphLanguage | undefined> {
  const [newest] = await latestCheckpoint(from, { thread, ns: "" });
  return newest && languageOfRow(newest);
}
