import { sql } from "kysely";
import type { Database } from "../database/index.ts";
import type { CheckpointKey, CheckpointsQuery } from "./reader.ts";

const PAGE = 50;

/** Returns the keys of the next checkpoints behind `after`, newest first; see `CheckpointReader.checkpoints`. */
export async function pageOfCheckpoints(db: Database, wanted: CheckpointsQuery): Promise<CheckpointKey[]> {
  const { thread, ns, after } = wanted;
  let query = db.read.selectFrom("checkpoints").select(["thread_id", "ns", "checkpoint_id"]);
  if (thread !== undefined) query = query.where("thread_id", "=", thread);
  if (ns !== undefined) query = query.where("ns", "=", ns);
  if (wanted.checkpoint) query = query.where("checkpoint_id", "=", wanted.checkpoint);
  if (wanted.before) query = query.where("checkpoint_id", "<", wanted.before);
  if (wanted.filter && Object.keys(wanted.filter).length > 0) {
    const { filter } = wanted;
    query = query.where((eb) => db.sql.jsonContains(eb.ref("metadata"), filter));
  }
  if (after && thread !== undefined && ns !== undefined) {
    query = query.where("checkpoint_id", "<", after.checkpoint);
  } else if (after) {
    query = query.where(
      sql<boolean>`(checkpoint_id, thread_id, ns) < (${after.checkpoint}, ${after.thread}, ${after.ns})`,
    );
  }
  const rows = await query
    .orderBy("checkpoint_id", "desc")
    .orderBy("thread_id", "desc")
    .orderBy("ns", "desc")
    .limit(Math.min(wanted.limit, PAGE))
    .execute();
  return rows.map(({ thread_id, ns, checkpoint_id }) => ({
    thread: thread_id,
    ns,
    checkpoint: checkpoint_id,
  }));
}
