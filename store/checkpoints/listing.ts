import { sql } from "kysely";
import type { Database } from "../database/index.ts";
import type { CheckpointRow } from "../schema/index.ts";

const PAGE = 50;

export type WantedCheckpoints = {
  thread?: string;
  ns?: string;
  checkpoint?: string;
  /** Only checkpoints with a smaller id. */
  before?: string;
  /** Contained in the metadata. */
  filter?: Record<string, unknown>;
};

/** The next checkpoints behind `after`, newest first; at most `limit`, possibly fewer, none at the end. */
export function pageOfCheckpoints(
  db: Database,
  wanted: WantedCheckpoints,
  after: CheckpointRow | undefined,
  limit: number,
): Promise<CheckpointRow[]> {
  let query = db.read.selectFrom("checkpoints").selectAll();
  if (wanted.thread !== undefined) query = query.where("thread_id", "=", wanted.thread);
  if (wanted.ns !== undefined) query = query.where("ns", "=", wanted.ns);
  if (wanted.checkpoint) query = query.where("checkpoint_id", "=", wanted.checkpoint);
  if (wanted.before) query = query.where("checkpoint_id", "<", wanted.before);
  if (wanted.filter && Object.keys(wanted.filter).length > 0) {
    const { filter } = wanted;
    query = query.where((eb) => db.sql.jsonContains(eb.ref("metadata"), filter));
  }
  if (after && wanted.thread !== undefined && wanted.ns !== undefined) {
    query = query.where("checkpoint_id", "<", after.checkpoint_id);
  } else if (after) {
    const { checkpoint_id, thread_id, ns } = after;
    query = query.where(
      sql<boolean>`(checkpoint_id, thread_id, ns) < (${checkpoint_id}, ${thread_id}, ${ns})`,
    );
  }
  return query
    .orderBy("checkpoint_id", "desc")
    .orderBy("thread_id", "desc")
    .orderBy("ns", "desc")
    .limit(Math.min(limit, PAGE))
    .execute();
}
