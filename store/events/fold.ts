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

/** A segment of more characters is large. */
const LARGE_CHARS = 16_000;
/** Segments of one transaction, and characters of them. */
const AT_ONCE = 256;
const CHARS_AT_ONCE = 4_000_000;
/** Segments that are in memory beside those that become one: a run may say much at once. */
const READ_AT_ONCE = 16;
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
  let at = after;
  let chars = 0;
  let group = new Group();
  for (let seen = 0; seen < AT_ONCE && chars < CHARS_AT_ONCE; seen += READ_AT_ONCE) {
    const rows = await selectOfRun(tx, { run_id, after: at, limit: READ_AT_ONCE });
    if (areLarge(rows)) {
      await foldInto(tx, group.rows);
      return undefined;
    }
    for (const row of rows) {
      const length = unpackText(row.body).length;
      if (!group.takes(row, length)) {
        await foldInto(tx, group.rows);
        group = new Group();
      }
      group.add(row, length);
      chars += length;
      at = row.last_seq;
    }
    if (rows.length < READ_AT_ONCE) {
      await foldInto(tx, group.rows);
      return undefined;
    }
  }
  await foldInto(tx, group.rows);
  return at;
}

/** What says much at once gains little by that, and to read it all again costs a run's memory: the rest stays. */
function areLarge(rows: EventRow[]): boolean {
  return rows.length > 0 && rows.every(({ body }) => unpackText(body).length > LARGE_CHARS);
}

/** Rows that become one: between two of a run there may be the last words of another. */
class Group {
  readonly rows: EventRow[] = [];
  #chars = 0;

  takes({ first_seq }: EventRow, length: number): boolean {
    const last = this.rows.at(-1);
    if (last === undefined) return true;
    return last.last_seq === first_seq - 1 && this.#chars + length <= FOLDED_CHARS;
  }

  add(row: EventRow, length: number): void {
    this.rows.push(row);
    this.#chars += length;
  }
}

async function foldInto(tx: Tx, group: EventRow[]): Promise<void> {
  const [first, last] = [group[0], group.at(-1)];
  if (!first || !last || group.length === 1) return;
  const events = group.flatMap((row) => decodeBody(row.body, row.first_seq, 0));
  await removeSegments(tx, { run_id: first.run_id, first: first.first_seq, last: last.last_seq });
  await insertSegment(tx, {
    ...last,
    first_seq: first.first_seq,
    body: packText(tx, encodeParts(events, group.flatMap(partsOf))),
  });
}
