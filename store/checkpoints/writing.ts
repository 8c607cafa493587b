import type { Tx } from "../database/index.ts";
import type { CheckpointRow } from "../schema/index.ts";
import { forked, type ListPlan, type ListSegment, segmentsText, whole } from "./lists.ts";
import {
  appendChunk,
  chunkBefore,
  insertCheckpoint,
  insertChunk,
  insertValues,
  type NewValue,
  type NewWrite,
  type WritesPlace,
} from "./queries.ts";
import type { Version } from "./reader.ts";

/** A checkpoint as text, ready to be stored at any later time. */
export type EncodedCheckpoint = {
  row: CheckpointRow;
  values: NewValue[];
  lists: (Version & { plan: ListPlan })[];
};

/** One thing that a saver writes, as plain data: it may be stored later, and by another thread. */
export type CheckpointWrite =
  | { kind: "checkpoint"; encoded: EncodedCheckpoint }
  | { kind: "writes"; at: WritesPlace; rows: NewWrite[] };

/** Stores a checkpoint with the channel values it brings. May run again after a rollback. */
export async function storeCheckpoint(tx: Tx, encoded: EncodedCheckpoint): Promise<void> {
  const { row, values } = await rowsOf(tx, encoded);
  await insertCheckpoint(tx, row);
  await insertValues(tx, { thread: row.thread_id, ns: row.ns }, values);
}

/** Stores what a checkpoint adds to lists; the rows that are left. */
export async function rowsOf(tx: Tx, { row, values, lists }: EncodedCheckpoint) {
  const all = [...values];
  for (const { channel, version, plan } of lists) {
    const segments = await storeList(tx, row.thread_id, plan);
    plan.outcome = segments;
    const { length } = plan;
    all.push({ channel, version, type: "list", value: segmentsText(segments), length });
  }
  return { row, values: all };
}

async function storeList(tx: Tx, thread: string, wanted: ListPlan) {
  let plan = wanted;
  if (plan.chunk && plan.after !== undefined) {
    const added = await appendChunk(tx, { thread, ...plan.chunk, after: plan.after });
    if (added) return plan.segments;
    plan = forked(plan);
  }
  const kept = plan.chunk ? plan.segments.at(-2) : plan.segments.at(-1);
  if (kept && !(await isStored(tx, thread, kept))) plan = whole(plan);
  if (plan.chunk) await insertChunk(tx, { thread, ...plan.chunk });
  return plan.segments;
}

async function isStored(tx: Tx, thread: string, { list, end, tag }: ListSegment): Promise<boolean> {
  const [chunk] = await chunkBefore(tx, { thread, list, end });
  return chunk?.tag === tag && Number(chunk.size) > 0;
}
