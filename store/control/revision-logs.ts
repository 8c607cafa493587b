import { type Expression, expressionBuilder, type SqlBool, sql } from "kysely";
import type { Clock } from "../clock.ts";
import type { Database, Tx } from "../database/index.ts";
import { BadRequest } from "../errors.ts";
import type { LogKind, LogLevel, RevisionLogRow, Schema } from "../schema/index.ts";
import { masked } from "../secrets/index.ts";
import { takeNumbers } from "./counters.ts";

export type NewLogLine = Omit<RevisionLogRow, "seq">;

/** A line; its `id` is given to no other line of any deployment. */
export type LogLine = NewLogLine & { id: string };

export type LogQuery = {
  deploymentId: string;
  revisionId?: string | undefined;
  kind: LogKind;
  order: "asc" | "desc";
  limit: number;
  /** `next` of the page before. */
  cursor?: string | undefined;
  /** Both ends belong to it. */
  from?: number | undefined;
  to?: number | undefined;
  /** A part of the message; upper and lower case are the same. */
  text?: string | undefined;
  level?: LogLevel | undefined;
};

/** Maximum number of lines that the log of a revision keeps, of each kind. */
export const MAX_REVISION_LOG_LINES = 20_000;
/** How long log lines are kept. */
export const REVISION_LOGS_KEPT_MS = 30 * 86_400_000;
const LONGEST_LINE = 32_768;
/** Maximum number of lines that callers append at once. A transaction blocks the event loop: 500 lines take about 5 ms. */
export const LOG_LINES_PER_WRITE = 500;
/** How many lines may come before the oldest are looked at again. */
const TRIM_EVERY = 1_000;
const MOST_COUNTED = 10_000;

/** What builds and instances said: of each revision and kind the last 20,000 lines, for 30 days. */
export class RevisionLogs {
  /** Lines since the last trim, by revision and kind. */
  readonly #untrimmed = new Map<string, number>();

  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
  ) {}

  /**
   * Appends lines. One that says that it is older than the line before it gets that line's time.
   * @param and how far the log file of an instance is read with them
   */
  async append(lines: readonly NewLogLine[], and?: { instance: string; offset: number }): Promise<void> {
    const long = this.#longLogs(lines);
    const now = this.clock.now();
    await this.db.write(async (tx) => {
      const first = lines.length > 0 ? await takeNumbers(tx, "logs", lines.length) : 0;
      const rows = (await inOrder(tx, lines, now)).map((line, i) => ({
        ...line,
        seq: first + i,
        message: masked(line.message.slice(0, LONGEST_LINE)),
      }));
      for (let i = 0; i < rows.length; i += LOG_LINES_PER_WRITE) {
        await tx
          .insertInto("revision_logs")
          .values(rows.slice(i, i + LOG_LINES_PER_WRITE))
          .execute();
      }
      if (and) {
        await tx
          .updateTable("instances")
          .set({ log_offset: and.offset })
          .where("id", "=", and.instance)
          .execute();
      }
      for (const line of long) await trim(tx, line);
    });
  }

  /**
   * A page of the lines that match, in the order in which they came.
   * @returns `next` goes on behind the last line of the page; where there was none, it is where the page began
   * @throws BadRequest the cursor is none of ours
   */
  async read(query: LogQuery): Promise<{ lines: LogLine[]; next: string }> {
    const { kind, order, limit, cursor = "" } = query;
    if (!/^\d{0,15}$/.test(cursor))
      throw new BadRequest("The cursor is not from a page of this log: take `next_offset` of such a page.");
    const rows = await this.db.read
      .selectFrom("revision_logs")
      .selectAll()
      .where("deployment_id", "=", query.deploymentId)
      .where("kind", "=", kind)
      .$if(cursor !== "", (page) => page.where("seq", order === "asc" ? ">" : "<", Number(cursor)))
      .where(({ and }) => and(this.#conditions(query)))
      .orderBy("seq", order)
      .limit(limit)
      .execute();
    const lines = rows.map(({ seq, ...line }) => ({ id: String(seq), ...line }));
    return { lines, next: lines.at(-1)?.id ?? (cursor || "0") };
  }

  /** The number of the last line of any deployment; 0 before the first. */
  async newest(): Promise<number> {
    const row = await this.db.read
      .selectFrom("control_counters")
      .select("last")
      .where("name", "=", "logs")
      .executeTakeFirstOrThrow();
    return Number(row.last);
  }

  /** Forgets lines that are older than 30 days. */
  async sweep(): Promise<void> {
    const before = this.clock.now() - REVISION_LOGS_KEPT_MS;
    const due = await this.db.read
      .selectFrom("revision_logs")
      .select("seq")
      .where("at", "<", before)
      .limit(1)
      .executeTakeFirst();
    if (due) await this.db.write((tx) => tx.deleteFrom("revision_logs").where("at", "<", before).execute());
  }

  #conditions({ revisionId, from, to, text, level }: LogQuery): Expression<SqlBool>[] {
    const eb = expressionBuilder<Schema, "revision_logs">();
    const all: Expression<SqlBool>[] = [];
    if (revisionId !== undefined) all.push(eb("revision_id", "=", revisionId));
    if (from !== undefined) all.push(eb("at", ">=", from));
    if (to !== undefined) all.push(eb("at", "<=", to));
    if (level !== undefined) all.push(eb("level", "=", level));
    if (text) {
      const message = eb.ref("message");
      const folded = sql<string>`lower(${message})`;
      // SQLite folds ASCII only: what it leaves as it is has to be looked for as it is.
      const { containsText } = this.db.sql;
      all.push(eb.or([containsText(message, text), containsText(folded, text.toLowerCase())]));
    }
    return all;
  }

  /** Counts the lines; answers whose logs have to be looked at, since enough was added to them. */
  #longLogs(lines: readonly NewLogLine[]): NewLogLine[] {
    const added = new Map<string, NewLogLine[]>();
    for (const line of lines) {
      const key = `${line.kind} ${line.revision_id}`;
      const known = added.get(key);
      if (known) known.push(line);
      else added.set(key, [line]);
    }
    if (this.#untrimmed.size > MOST_COUNTED) this.#untrimmed.clear();
    return [...added].flatMap(([key, [line, ...others]]) => {
      // Unknown counts as due: how much is there from before a restart, nobody knows.
      const count = (this.#untrimmed.get(key) ?? TRIM_EVERY) + 1 + others.length;
      this.#untrimmed.set(key, count < TRIM_EVERY ? count : 0);
      return line && count >= TRIM_EVERY ? [line] : [];
    });
  }
}

/** Removes all but the last lines of the log that a line was added to. */
async function trim(
  tx: Tx,
  { deployment_id, revision_id, kind }: Pick<NewLogLine, "deployment_id" | "revision_id" | "kind">,
): Promise<void> {
  const oldest = await tx
    .selectFrom("revision_logs")
    .select("seq")
    .where("deployment_id", "=", deployment_id)
    .where("revision_id", "=", revision_id)
    .where("kind", "=", kind)
    .orderBy("seq", "desc")
    .limit(1)
    .offset(MAX_REVISION_LOG_LINES)
    .executeTakeFirst();
  if (!oldest) return;
  await tx
    .deleteFrom("revision_logs")
    .where("deployment_id", "=", deployment_id)
    .where("revision_id", "=", revision_id)
    .where("kind", "=", kind)
    .where("seq", "<=", oldest.seq)
    .execute();
}

type Line = Omit<RevisionLogRow, "seq">;

/** So many lines may have one time: a page that is larger gets past it. */
const MOST_AT_ONE_TIME = 10;
/** Nobody was that much quicker than the clock: it was wrong then, and need not be so for ever. */
const MOST_AHEAD_MS = 60_000;

/**
 * Lines with times in the order in which they come. What an instance printed comes later than what was said of it
 * meanwhile, and whoever follows a log by time (released tools do) never looks at what is older than what they have.
 * So no line is older than the one before it of its deployment and kind, and few have the same time.
 * @param now milliseconds
 */
async function inOrder(tx: Tx, lines: readonly Line[], now: number): Promise<Line[]> {
  const logs = new Map<string, number[]>();
  const ordered: Line[] = [];
  for (const line of lines) {
    const log = `${line.kind} ${line.deployment_id}`;
    const times = logs.get(log) ?? (await lastTimes(tx, line, now + MOST_AHEAD_MS));
    const newest = times.at(-1) ?? line.at;
    const crowded = times.at(-MOST_AT_ONE_TIME) ?? Number.NEGATIVE_INFINITY;
    const at = Math.max(line.at, newest, crowded + 1);
    logs.set(log, [...times, at].slice(-MOST_AT_ONE_TIME));
    ordered.push({ ...line, at });
  }
  return ordered;
}

/** The times of the last lines of a log, oldest first. */
async function lastTimes(tx: Tx, { deployment_id, kind }: Line, until: number): Promise<number[]> {
  const rows = await tx
    .selectFrom("revision_logs")
    .select("at")
    .where("deployment_id", "=", deployment_id)
    .where("kind", "=", kind)
    .orderBy("seq", "desc")
    .limit(MOST_AT_ONE_TIME)
    .execute();
  return rows
    .map(({ at }) => Number(at))
    .filter((at) => at <= until)
    .reverse();
}
