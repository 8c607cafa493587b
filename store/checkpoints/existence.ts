import { type Database, prepared } from "../database.ts";

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
export async function hasCheckpoint(db: Database, place: CheckpointPlace): Promise<boolean> {
  return (await selectId(db.read, place)).length > 0;
}
