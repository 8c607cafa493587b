import { prepared, type Tx } from "../database/index.ts";
import { BadRequest } from "../errors.ts";
import type { JsonObject } from "../json-filter.ts";
import type { ThreadLabelRow } from "../schema/index.ts";

/** One member of a thread's metadata that searches find it by. */
export type Label = { name: string; value: string };

/** Longer values are compared in the metadata themselves. */
const MAX_CHARS = 256;
const MAX_MEMBERS = 1_000;

const insert = prepared<ThreadLabelRow>((db, row) =>
  db.insertInto("thread_labels").values({ name: row.name, value: row.value, thread_id: row.thread_id }),
);

const remove = prepared<ThreadLabelRow>((db, row) =>
  db
    .deleteFrom("thread_labels")
    .where("name", "=", row.name)
    .where("value", "=", row.value)
    .where("thread_id", "=", row.thread_id),
);

/**
 * What the members of metadata, or of a filter, are as labels: text, numbers, booleans and null at the top.
 * Labels are equal where the members are.
 */
export function labelsOf(metadata: JsonObject): Label[] {
  const labels: Label[] = [];
  for (const [name, member] of Object.entries(metadata)) {
    if (member === undefined || (member !== null && typeof member === "object")) continue;
    // Postgres keeps no such text in a column of its own.
    if (name.includes("\0")) continue;
    const value = JSON.stringify(member);
    if (name.length + value.length <= MAX_CHARS) labels.push({ name, value });
  }
  return labels;
}

/**
 * Brings a thread's labels from what its metadata were to what they are.
 * @throws BadRequest they have too many members
 */
export async function relabel(tx: Tx, threadId: string, was: JsonObject, is: JsonObject): Promise<void> {
  if (Object.keys(is).length > MAX_MEMBERS) {
    throw new BadRequest(`a thread's metadata may have at most ${MAX_MEMBERS} members`);
  }
  const before = new Map(labelsOf(was).map(({ name, value }) => [name, value]));
  for (const { name, value } of labelsOf(is)) {
    if (before.get(name) !== value) await insert(tx, { name, value, thread_id: threadId });
    else before.delete(name);
  }
  for (const [name, value] of before) await remove(tx, { name, value, thread_id: threadId });
}
