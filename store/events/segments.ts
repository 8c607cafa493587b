import type { QueryCreator } from "kysely";
import { prepared } from "../database/index.ts";
import type { EventRow, Schema } from "../schema/index.ts";

const columnsOf = (row: EventRow): EventRow => ({
  thread_id: row.thread_id,
  run_id: row.run_id,
  first_seq: row.first_seq,
  last_seq: row.last_seq,
  at: row.at,
  body: row.body,
});

/** For a statement that does more, too. */
export const insertsSegment = (db: QueryCreator<Schema>, row: EventRow) =>
  db.insertInto("events").values(columnsOf(row));

export const insertSegment = prepared<EventRow>(insertsSegment);

/** The segments of a run that hold something behind an event, oldest first. */
export const selectOfRun = prepared<{ run_id: string; after: number; limit: number }, EventRow>(
  (db, { run_id, after, limit }) =>
    db
      .selectFrom("events")
      .selectAll()
      .where("run_id", "=", run_id)
      .where("last_seq", ">", after)
      .orderBy("last_seq")
      .limit(limit),
);
