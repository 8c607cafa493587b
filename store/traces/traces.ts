import { sql } from "kysely";
import { type Author, noteDeletion } from "../audit/index.ts";
import type { Clock } from "../clock.ts";
import { type Database, prepared, TRACES_SCOPE, type Tx, type WriteOrder } from "../database/index.ts";
import { NotFound } from "../errors.ts";
import type { SpanRow, TraceFeedbackRow, TraceRow } from "../schema/index.ts";
import { type Baseline, readBaseline } from "./baseline.ts";
import { countOldTraces } from "./count-old.ts";
import { forgetFindings } from "./forgotten-findings.ts";
import {
  type ForgottenIn,
  type ForgottenThread,
  noteForgotten,
  stripForgotten,
} from "./forgotten-threads.ts";
import { maskedSpan } from "./masked-span.ts";
import { noteShipped, readShipment, type Shipment, type Shipped } from "./shipping.ts";
import { tagsText } from "./span-merge.ts";
import { spansOf } from "./span-pack.ts";
import { SpanWriting, unpackTraces, type Written } from "./span-writing.ts";
import {
  type SpanWrite,
  shownTrace,
  type Trace,
  type TraceFeedback,
  toTrace,
  toTraceFeedback,
  type Unreadable,
  type WholeTrace,
} from "./trace.ts";
import {
  type FeedbackOutcome,
  type FeedbackSearch,
  type NewTraceFeedback,
  placeOfSpan,
  searchFeedback,
  type WrittenFeedback,
  writeFeedback,
} from "./trace-feedback.ts";
import { type FoundTraces, searchTraces, type TraceSearch } from "./trace-search.ts";
import { removeTraces, sweepExcess, sweepTraces } from "./trace-sweep.ts";
import { indexTraces } from "./trace-words.ts";
import { readWhole, wholeTrace, withinBytes } from "./whole-traces.ts";

/** So long a search by words first writes those that traces lack; where it leaves some, its page ends. */
const INDEX_FOR_MS = 1_000;
/** Spans that one transaction writes. */
const SPANS_AT_ONCE = 100;
/** Maximum number of entries of feedback that one transaction writes. */
const FEEDBACK_AT_ONCE = 25;
/** Of whole traces, which are less work. */
const PACKED_AT_ONCE = 500;
/** Inputs and outputs that the engine gets at once. */
const MOST_BYTES = 16_777_216;

const selectFeedback = prepared<Pick<TraceFeedbackRow, "trace_id">, TraceFeedbackRow>((db, { trace_id }) =>
  db
    .selectFrom("trace_feedback")
    .selectAll()
    .where("trace_id", "=", trace_id)
    .orderBy("created_at")
    .orderBy("id"),
);

const noteScanned = prepared<Pick<TraceRow, "id" | "revision">>((db, { id, revision }) =>
  db.updateTable("traces").set({ unscanned: 0 }).where("id", "=", id).where("revision", "=", revision),
);

/** What runs left behind: traces, which are trees of spans. */
export class Traces {
  /** How spans are written. */
  readonly #order: WriteOrder;
  readonly #indexForMs: number;
  /** A search was here that left traces without their words. */
  #isIndexWanted = false;

  /**
   * @param patienceMs how long spans wait for a database that went away; as long as a caller does, without
   * @param indexForMs how long a search writes words that traces lack; a second, without
   */
  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
    { patienceMs, indexForMs = INDEX_FOR_MS }: Pick<WriteOrder, "patienceMs"> & { indexForMs?: number } = {},
  ) {
    this.#indexForMs = indexForMs;
    this.#order = { scope: [TRACES_SCOPE], ...(patienceMs !== undefined && { patienceMs }) };
  }

  /**
   * Writes news of spans, of any number of traces and sessions; the same news twice change nothing the second time.
   * Spans of no session, of another workspace's trace, or beyond the first two thousand of a trace are left out.
   */
  async write(batch: readonly SpanWrite[]): Promise<Written> {
    const all = nothing();
    for (let i = 0; i < batch.length; i += SPANS_AT_ONCE) {
      const spans = batch.slice(i, i + SPANS_AT_ONCE).map(maskedSpan);
      add(all, await this.db.write((tx) => new SpanWriting(tx, this.clock.now()).write(spans), this.#order));
    }
    return all;
  }

  /**
   * Writes traces with all of their spans, ended ones, the root last. The same as `write` to whoever reads them, for
   * a third of the work.
   */
  async writeWhole(traces: readonly (readonly SpanWrite[])[]): Promise<Written> {
    const all = nothing();
    for (let i = 0; i < traces.length; ) {
      const part: (readonly SpanWrite[])[] = [];
      for (let spans = 0; i < traces.length && spans < PACKED_AT_ONCE; i++) {
        const trace = traces[i] ?? [];
        part.push(trace.map(maskedSpan));
        spans += trace.length;
      }
      add(
        all,
        await this.db.write((tx) => new SpanWriting(tx, this.clock.now()).writeWhole(part), this.#order),
      );
    }
    return all;
  }

  /**
   * Writes feedback; what names no trace or span of the workspace is left out.
   * @returns with `early`: the entries whose run is not here, which may still arrive
   */
  async feedback(workspaceId: string, entries: readonly NewTraceFeedback[]): Promise<WrittenFeedback> {
    const now = this.clock.now();
    const named = entries.map((entry) => ({ ...entry, id: entry.id ?? Bun.randomUUIDv7() }));
    const early: NewTraceFeedback[] = [];
    let written = 0;
    for (let i = 0; i < named.length; i += FEEDBACK_AT_ONCE) {
      const part = named.slice(i, i + FEEDBACK_AT_ONCE);
      const outcomes = await this.db.write(async (tx) => {
        const outcomes: FeedbackOutcome[] = [];
        for (const entry of part) outcomes.push(await writeFeedback(tx, workspaceId, entry, now));
        return outcomes;
      });
      written += outcomes.filter((outcome) => outcome === "written").length;
      early.push(...part.filter((_, at) => outcomes[at] === "early"));
    }
    return { written, dropped: entries.length - written, early };
  }

  /** Feedback of a workspace, the oldest first. */
  async listFeedback(workspaceId: string, search: FeedbackSearch): Promise<TraceFeedback[]> {
    return (await searchFeedback(this.db.read, workspaceId, search)).map(toTraceFeedback);
  }

  /** Where a span of a workspace is, for news of it that do not say so. */
  place(workspaceId: string, spanId: string): Promise<Pick<SpanRow, "trace_id" | "session_id"> | undefined> {
    return placeOfSpan(this.db.read, workspaceId, spanId);
  }

  /**
   * A page of the traces that match, newest first.
   * @throws BadRequest the cursor is none of ours
   */
  async search(workspaceId: string, search: TraceSearch): Promise<FoundTraces> {
    const { isLeft, ...found } = await searchTraces(this.db, workspaceId, search, this.#indexForMs);
    if (isLeft) this.#isIndexWanted = true;
    return found;
  }

  /**
   * A trace with all of its spans, in the order in which they began.
   * @param id of the trace, or of one of its spans: links to a run may name either
   * @throws NotFound
   */
  async get(workspaceId: string, id: string): Promise<WholeTrace> {
    const row = (await this.#row(workspaceId, id)) ?? (await this.#rowAround(workspaceId, id));
    if (!row) throw new NotFound("Trace not found");
    return this.#whole(row).catch((error: unknown) => {
      const [trace] = shownTrace(row);
      if (!trace || !(error instanceof SyntaxError || error instanceof TypeError)) throw error;
      return { trace, spans: [], feedback: [] };
    });
  }

  /**
   * Removes a trace with its spans and feedback, and what findings say of it. That it shows an issue stays.
   * @throws NotFound
   */
  async delete(workspaceId: string, traceId: string, by: Author | null = null): Promise<void> {
    const now = this.clock.now();
    await this.db.write(async (tx) => {
      const row = await tx
        .selectFrom("traces")
        .select(["id", "start_time", "name"])
        .where("id", "=", traceId)
        .where("workspace_id", "=", workspaceId)
        .executeTakeFirst();
      if (!row) throw new NotFound("Trace not found");
      await removeTraces(tx, [row]);
      await forgetFindings(tx, [row.id], now);
      const deleted = {
        workspace_id: workspaceId,
        kind: "trace",
        target_id: traceId,
        name: row.name,
      } as const;
      await noteDeletion(tx, deleted, by, now);
    });
  }

  /** Notes that threads were deleted elsewhere, and takes what was said out of their traces here. */
  async forgetThreads(threads: readonly ForgottenThread[], place: ForgottenIn): Promise<void> {
    if (threads.length === 0) return;
    const now = this.clock.now();
    await this.db.write(async (tx) => {
      for (const { thread_id, at } of threads)
        await noteForgotten(tx, { thread_id, at: Math.min(at, now) }, place);
    });
    await this.strip();
  }

  /** Takes what was said out of the traces of threads that were deleted. */
  strip(): Promise<void> {
    return stripForgotten(this.db, this.clock.now());
  }

  /**
   * Ended traces of a session that the engine has not seen as they are now, oldest first; at least one, if there is one.
   * @param skip told of each that cannot be read, which is left out; without it, one fails the whole
   */
  async unscanned(
    sessionId: string,
    limit: number,
    skip?: (trace: Unreadable) => void,
  ): Promise<WholeTrace[]> {
    const rows = await this.db.read
      .selectFrom("traces")
      .selectAll()
      .where("session_id", "=", sessionId)
      .where("unscanned", "=", sql.lit(1))
      .orderBy("start_time")
      .orderBy("id")
      .limit(limit)
      .execute();
    return readWhole(this.db.read, withinBytes(rows, MOST_BYTES), skip);
  }

  /** Notes that the engine saw these; one that has changed since it was read stays to be looked at. */
  markScanned(tx: Tx, traces: readonly Pick<Trace, "id" | "revision">[]): Promise<void> {
    return markScanned(tx, traces);
  }

  /** What the newest 2,000 runs of a session took that went well and began before then. */
  baseline(sessionId: string, before?: number): Promise<Baseline> {
    return readBaseline(this.db, sessionId, before);
  }

  /** Some of what has to be sent on, the oldest first; undefined when everything has arrived. */
  unshipped(limit: number): Promise<Shipment | undefined> {
    return readShipment(this.db, limit);
  }

  /** Notes what arrived; what has changed since it was read will be sent again. */
  markShipped(shipped: Shipped): Promise<void> {
    return noteShipped(this.db, shipped);
  }

  /** What was refused as a whole is from now on sent span by span. */
  shipOneByOne({ packs }: Pick<Shipment, "packs">): Promise<void> {
    const ids = packs.map(({ id }) => id);
    return this.db.write((tx) => unpackTraces(tx, ids), this.#order);
  }

  /** Takes traces into the figures that an earlier Berth wrote; a part of them, when there are very many. */
  countOld(): Promise<number> {
    return countOldTraces(this.db);
  }

  /** Goes on, for so many milliseconds, to write the words that searches had no time for; nothing before one had not. */
  async index(forMs: number): Promise<void> {
    if (!this.#isIndexWanted) return;
    const { left } = await indexTraces(this.db, { forMs });
    this.#isIndexWanted = left !== undefined;
  }

  /**
   * Puts other tags on a trace. Those that its run says later take their place.
   * @throws NotFound
   */
  async label(workspaceId: string, traceId: string, tags: readonly string[]): Promise<Trace> {
    const now = this.clock.now();
    await this.db.write(
      async (tx) => {
        const changed = await tx
          .updateTable("traces")
          .set({ tags: tagsText(tags), updated_at: now, revision: sql`revision + 1`, unindexed: 1 })
          .where("id", "=", traceId)
          .where("workspace_id", "=", workspaceId)
          .returning("session_id")
          .executeTakeFirst();
        if (!changed) throw new NotFound("Trace not found");
        await tx
          .updateTable("sessions")
          .set({ updated_at: now })
          .where("id", "=", changed.session_id)
          .execute();
      },
      { scope: [TRACES_SCOPE] },
    );
    const row = await this.#row(workspaceId, traceId);
    if (!row) throw new NotFound("Trace not found");
    return toTrace(row);
  }

  /**
   * Removes traces that are older than so many milliseconds, those of deleted sessions, and the oldest ones of a
   * workspace that has more than it may have; a part of them, when there are very many.
   * @param maxOfWorkspace null for no limit
   * @returns how many it removed
   */
  async sweep(retentionMs: number, maxOfWorkspace: number | null = null): Promise<number> {
    const removed = await sweepTraces(this.db, this.clock.now() - retentionMs);
    return maxOfWorkspace === null ? removed : removed + (await sweepExcess(this.db, maxOfWorkspace));
  }

  #row(workspaceId: string, traceId: string): Promise<TraceRow | undefined> {
    return this.db.read
      .selectFrom("traces")
      .selectAll()
      .where("id", "=", traceId)
      .where("workspace_id", "=", workspaceId)
      .executeTakeFirst();
  }

  /** The trace that a span is in. */
  async #rowAround(workspaceId: string, spanId: string): Promise<TraceRow | undefined> {
    const place = await this.place(workspaceId, spanId);
    return place && this.#row(workspaceId, place.trace_id);
  }

  async #whole(row: TraceRow): Promise<WholeTrace> {
    const { read } = this.db;
    const feedback = await selectFeedback(read, { trace_id: row.id });
    return wholeTrace(row, await spansOf(read, row), feedback);
  }
}

const nothing = (): Written => ({ written: 0, dropped: 0, unknownSessions: [] });

function add(all: Written, part: Written): void {
  all.written += part.written;
  all.dropped += part.dropped;
  for (const id of part.unknownSessions) if (!all.unknownSessions.includes(id)) all.unknownSessions.push(id);
}

/** See `Traces.markScanned`. */
export async function markScanned(tx: Tx, traces: readonly Pick<Trace, "id" | "revision">[]): Promise<void> {
  for (const { id, revision } of traces) await noteScanned(tx, { id, revision });
}
