import { sql } from "kysely";
import type { Clock } from "../clock.ts";
import type { Database, Tx } from "../database/index.ts";
import { NotFound } from "../errors.ts";
import type { FeedbackRow } from "../schema/index.ts";
import { copyFeedback, removeFeedbackCopy } from "../traces/index.ts";

/** What somebody thought of a run, or of one answer in it. */
export type FeedbackEntry = Omit<FeedbackRow, "value"> & { value: unknown };

/** What feedback is about. There is one entry for each key of it. */
type FeedbackTarget = { run_id: string; key: string; message_id?: string | null };

type NewFeedback = FeedbackTarget & {
  score?: number | null;
  value?: unknown;
  comment?: string | null;
};

/** More than anybody clicks in one conversation. */
const MOST_OF_THREAD = 1_000;

/** The feedback on runs. */
export class Feedback {
  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
  ) {}

  /**
   * Writes feedback on a run of a thread, in the place of what stood under the same key of the same target.
   * @throws NotFound no such run on this thread
   */
  async put(threadId: string, feedback: NewFeedback): Promise<FeedbackEntry> {
    const { run_id, key, message_id = null, score = null, value = null, comment = null } = feedback;
    const now = this.clock.now();
    const said = { score, value: value === null ? null : JSON.stringify(value), comment, modified_at: now };
    // A fixed id before the write: its work may run twice.
    const target = { feedback_id: Bun.randomUUIDv7(), run_id, thread_id: threadId, message_id, key };
    const row = await this.db.write(async (tx) => {
      if (!(await hasRun(tx, threadId, run_id))) return undefined;
      const written = await tx
        .insertInto("feedback")
        .values({ ...target, ...said, created_at: now })
        .onConflict((there) => there.expression(sql`run_id, key, coalesce(message_id, '')`).doUpdateSet(said))
        .returningAll()
        .executeTakeFirst();
      if (written) await copyFeedback(tx, written, now);
      return written;
    });
    if (!row) throw new NotFound("Run not found");
    return read(row);
  }

  /**
   * Takes feedback back; nothing happens where there is none.
   * @throws NotFound no such run on this thread
   */
  async remove(threadId: string, { run_id, key, message_id = null }: FeedbackTarget): Promise<void> {
    const found = await this.db.write(async (tx) => {
      if (!(await hasRun(tx, threadId, run_id))) return false;
      const removed = await tx
        .deleteFrom("feedback")
        .where("run_id", "=", run_id)
        .where("key", "=", key)
        .where(sql`coalesce(message_id, '')`, "=", message_id ?? "")
        .returning("feedback_id")
        .executeTakeFirst();
      if (removed) await removeFeedbackCopy(tx, removed.feedback_id);
      return true;
    });
    if (!found) throw new NotFound("Run not found");
  }

  /** The feedback on a thread's runs, oldest first; at most 1,000 entries. */
  async ofThread(threadId: string): Promise<FeedbackEntry[]> {
    const rows = await this.db.read
      .selectFrom("feedback")
      .selectAll()
      .where("thread_id", "=", threadId)
      .orderBy("created_at")
      .orderBy("feedback_id")
      .limit(MOST_OF_THREAD)
      .execute();
    return rows.map(read);
  }
}

/** Forgets what was thought of a run that goes away. */
export async function deleteFeedbackOfRun(tx: Tx, runId: string): Promise<void> {
  await tx.deleteFrom("feedback").where("run_id", "=", runId).execute();
}

/** Forgets what was thought of a thread's runs. */
export async function deleteFeedbackOfThread(tx: Tx, threadId: string): Promise<void> {
  await tx.deleteFrom("feedback").where("thread_id", "=", threadId).execute();
}

async function hasRun(tx: Tx, threadId: string, runId: string): Promise<boolean> {
  const run = await tx
    .selectFrom("runs")
    .select("run_id")
    .where("run_id", "=", runId)
    .where("thread_id", "=", threadId)
    .executeTakeFirst();
  return run !== undefined;
}

function read(row: FeedbackRow): FeedbackEntry {
  return { ...row, value: row.value === null ? null : JSON.parse(row.value) };
}
