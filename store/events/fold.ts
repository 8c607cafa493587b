import {
  type Database,
  isOnServer,
  packText,
  prepared,
  type Tx,
  threadScope,
  unpackText,
} from "../database/index.ts";
import type { EventRow } from "../schema/index.ts";
import { decodeBody, encodeParts, partsOf } from "./event-body.ts";
import { insertSegment, selectOfRun } from "./segments.ts";

/** Segments of one transaction. */
const AT_ONCE = 256;
/** Characters of the segments that become one: a segment is read in one piece. */
const FOLDED_CHARS = 256_000;

const removeSegments = prepared<{ run_id: string; first: number; last: number }>((db, p) =>
  db
    .deleteFrom("events")
    .where("run_id", "=", p.run_id)
    .where("last_seq", ">=", p.first)
    .where("last_seq", "<=", p.last),
);

/**
 * Folds the many small segments of a run that has ended into few: what its events have in common is stored once. To
 * readers nothing changes, wherever they stand. On a server they stay: an older Berth may read beside this one.
 */
export async function foldEvents(db: Database, run: { run_id: string; thread_id: string }): Promise<void> {
  if (isOnServer(db.read)) return;
  const order = { scope: [threadScope(run.thread_id)], isQuiet: true };
  let after: number | undefined = 0;
  while (after !== undefined) {
    const from: number = after;
    after = await db.write((tx) => foldSome(tx, run.run_id, from), order);
  }
}

/** @returns where to go on; undefined at the end */
async function foldSome(tx: Tx, run_id: string, after: number): Promise<number | undefined> {
  const rows = await selectOfRun(tx, { run_id, after, limit: AT_ONCE });
  for (const group of neighbours(rows)) await foldInto(tx, group);
  return rows.length < AT_ONCE ? undefined : rows.at(-1)?.last_seq;
}

/** Rows that become one: between two of a run there may be the last words of another. */
function neighbours(rows: EventRow[]): EventRow[][] {
  const groups: EventRow[][] = [];
  let chars = 0;
  for (const row of rows) {
    const group = groups.at(-1);
    const length = unpackText(row.body).length;
    chars += length;
    if (group && group.at(-1)?.last_seq === row.first_seq - 1 && chars <= FOLDED_CHARS) group.push(row);
    else {
      groups.push([row]);
      chars = length;
    }
  }
  return groups.filter((group) => group.length > 1);
}

async function foldInto(tx: Tx, group: EventRow[]): Promise<void> {
  const [first, last] = [group[0], group.at(-1)];
  if (!first || !last) return;
  const events = group.flatMap((row) => decodeBody(row.body, row.first_seq, 0));
  await removeSegments(tx, { run_id: first.run_id, first: first.first_seq, last: last.last_seq });
  await insertSegment(tx, {
    ...last,
    first_seq: first.first_seq,
    body: packText(tx, encodeParts(events, group.flatMap(partsOf))),
  });
}
