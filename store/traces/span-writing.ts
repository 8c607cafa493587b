import { sql } from "kysely";
import { prepared, type Tx } from "../database/index.ts";
import { FigureCounting } from "../figures/index.ts";
import type { SessionRow, SpanRow, TraceRow } from "../schema/index.ts";
import { isForgotten, strippedWrite } from "./forgotten-threads.ts";
import {
  applySpan,
  bodyBytes,
  MOST_BODY_BYTES,
  MOST_SPANS,
  mergeSpan,
  newTrace,
  ROOT_BODY_BYTES,
  sameSpan,
  type Writing,
} from "./span-merge.ts";
import { insertPack, takePack } from "./span-pack.ts";
import { type SpanWrite, withOrders } from "./trace.ts";

const SPAN_COLUMNS = [
  "trace_id",
  "id",
  "workspace_id",
  "session_id",
  "parent_id",
  "thread_id",
  "name",
  "run_type",
  "status",
  "start_time",
  "first_token_time",
  "end_time",
  "error_type",
  "error_message",
  "inputs",
  "outputs",
  "metadata",
  "tags",
  "input_tokens",
  "output_tokens",
  "total_tokens",
  "node",
  "dotted_order",
  "revision",
  "unshipped",
] as const satisfies (keyof SpanRow)[];

const TRACE_COLUMNS = [
  "id",
  "workspace_id",
  "session_id",
  "thread_id",
  "name",
  "name_folded",
  "status",
  "start_time",
  "end_time",
  "latency_ms",
  "error_type",
  "error_message",
  "error_text",
  "input_tokens",
  "output_tokens",
  "total_tokens",
  "span_count",
  "dropped_spans",
  "dropped_bodies",
  "body_bytes",
  "metadata",
  "tags",
  "revision",
  "unscanned",
  "unindexed",
  "created_at",
  "updated_at",
  "revision_id",
  "assistant_id",
  "model_usage",
  "first_token_ms",
  "counted",
] as const satisfies (keyof TraceRow)[];

/** The columns of a row, each from the parameter of its name. */
function values<Row, Column extends keyof Row>(columns: readonly Column[], params: Row): Row {
  return Object.fromEntries(columns.map((column) => [column, params[column]])) as Row;
}

const selectSession = prepared<{ id: string }, SessionRow>((db, { id }) =>
  db.selectFrom("sessions").selectAll().where("id", "=", id).where("deleted_at", "is", null),
);
const touchSession = prepared<{ id: string; now: number }>((db, { id, now }) =>
  db.updateTable("sessions").set({ updated_at: now }).where("id", "=", id),
);
const selectTrace = prepared<{ id: string }, TraceRow>((db, { id }) =>
  db.selectFrom("traces").selectAll().where("id", "=", id),
);
const insertTrace = prepared<TraceRow>((db, row) =>
  db.insertInto("traces").values(values(TRACE_COLUMNS, row)),
);
const updateTrace = prepared<TraceRow>((db, row) =>
  db
    .updateTable("traces")
    .set(values(TRACE_COLUMNS.slice(1), row))
    .where("id", "=", row.id),
);
const selectSpan = prepared<Pick<SpanRow, "trace_id" | "id">, SpanRow>((db, { trace_id, id }) =>
  db.selectFrom("spans").selectAll().where("trace_id", "=", trace_id).where("id", "=", id),
);
const insertSpan = prepared<SpanRow>((db, row) => db.insertInto("spans").values(values(SPAN_COLUMNS, row)));
const updateSpan = prepared<SpanRow>((db, row) =>
  db
    .updateTable("spans")
    .set(values(SPAN_COLUMNS.slice(2), row))
    .where("trace_id", "=", row.trace_id)
    .where("id", "=", row.id),
);
const noteFeedback = prepared<{ id: string; now: number }>((db, { id, now }) =>
  db
    .updateTable("traces")
    .set({
      revision: sql`revision + 1`,
      updated_at: now,
      unscanned: sql`case when status = 'pending' then unscanned else 1 end`,
    })
    .where("id", "=", id),
);

/** A trace of more spans is sent on span by span. */
export const MOST_SHIPPED_TOGETHER = 200;

export type Written = { written: number; dropped: number; unknownSessions: string[] };

type TraceNews = {
  row: TraceRow;
  /** As it was, where it is in the figures. */
  before: TraceRow | undefined;
  isNew: boolean;
  /** Its figures are made where it is sent to. */
  ships: boolean;
  changed: boolean;
  /** All of its spans may be one row. */
  isPacked: boolean;
  /** Its thread was deleted since: nothing that was said is kept. */
  isForgotten: boolean;
  written: Set<string>;
};

/** One transaction's worth of spans on their way into the database. */
export class SpanWriting {
  readonly #sessions = new Map<string, Writing | undefined>();
  readonly #traces = new Map<string, TraceNews>();
  readonly #written: Written = { written: 0, dropped: 0, unknownSessions: [] };

  constructor(
    private readonly tx: Tx,
    private readonly now: number,
  ) {}

  /** Writes the spans, and what changes of their traces with them. */
  async write(spans: readonly SpanWrite[]): Promise<Written> {
    await this.#oneByOne(spans);
    return this.#finish();
  }

  /** Writes traces with all of their spans, the root last. */
  async writeWhole(traces: readonly (readonly SpanWrite[])[]): Promise<Written> {
    for (const spans of traces) {
      if (!(await this.#pack(spans))) await this.#oneByOne(withOrders(spans));
    }
    return this.#finish();
  }

  async #oneByOne(spans: readonly SpanWrite[]): Promise<void> {
    for (const span of spans) {
      if (await this.#span(span)) this.#written.written++;
      else this.#written.dropped++;
    }
  }

  /** Keeps all spans of a trace as one row; false where they have to be written one by one. */
  async #pack(spans: readonly SpanWrite[]): Promise<boolean> {
    const root = spans.at(-1);
    const session = root && (await this.#session(root.session_id));
    const most = session?.ships ? MOST_SHIPPED_TOGETHER : MOST_SPANS;
    if (!root || !session || spans.length > most) return false;
    if (this.#traces.has(root.trace_id)) return false;
    const trace = await this.#trace(root, session);
    if (!trace.isNew) return false;
    const row = { ...trace.row };
    const kept = spans.map((news) => {
      const kept = trace.isForgotten ? strippedWrite(news) : news;
      // Where it stands follows from the spans, once all of them are there.
      const merged = mergeSpan(undefined, { ...kept, dotted_order: undefined }, session);
      const span = withinBytes(row, undefined, merged);
      applySpan(row, undefined, span);
      return span;
    });
    if (!(await insertPack(this.tx, row, kept))) return false;
    trace.row = row;
    trace.changed = true;
    trace.isPacked = true;
    this.#written.written += spans.length;
    return true;
  }

  async #finish(): Promise<Written> {
    const figures = new FigureCounting();
    for (const { row, before, isNew, changed, ships } of this.#traces.values()) {
      if (!changed) continue;
      const counted = hasEnded(row) ? 1 : 0;
      const trace = { ...row, counted, revision: row.revision + 1, updated_at: this.now } as const;
      await (isNew ? insertTrace : updateTrace)(this.tx, trace);
      if (!ships) figures.replace(before, counted ? trace : undefined);
    }
    await figures.write(this.tx);
    return this.#written;
  }

  async #span(news: SpanWrite): Promise<boolean> {
    const session = await this.#session(news.session_id);
    if (!session) return false;
    const trace = await this.#trace(news, session);
    // An id of another workspace's trace: nothing of ours belongs there.
    if (trace.row.workspace_id !== session.workspaceId) return false;
    if (trace.isPacked) await this.#unpack(trace);
    // Most traces come whole: of one that is new, only what this transaction wrote can be there.
    const mayBeThere = !trace.isNew || trace.written.has(news.id);
    const [before] = mayBeThere ? await selectSpan(this.tx, { trace_id: news.trace_id, id: news.id }) : [];
    if (!before && news.id !== news.trace_id && (await this.#isFull(trace.row))) {
      trace.row.dropped_spans++;
      trace.changed = true;
      return false;
    }
    const kept = trace.isForgotten ? strippedWrite(news) : news;
    const merged = mergeSpan(before, kept, { ...session, sessionId: trace.row.session_id });
    if (before && sameSpan(before, merged)) return true;
    const span = withinBytes(trace.row, before, merged);
    span.revision++;
    span.unshipped = session.ships ? 1 : 0;
    await (before ? updateSpan : insertSpan)(this.tx, span);
    applySpan(trace.row, before, span);
    trace.changed = true;
    trace.written.add(span.id);
    return true;
  }

  async #session(id: string): Promise<Writing | undefined> {
    if (this.#sessions.has(id)) return this.#sessions.get(id);
    const [row] = await selectSession(this.tx, { id });
    const session = row && {
      workspaceId: row.workspace_id,
      sessionId: id,
      ships: row.ships === 1,
      now: this.now,
    };
    this.#sessions.set(id, session);
    if (!row) this.#written.unknownSessions.push(id);
    // Whoever watches learns from it that there is news.
    else if (this.now !== row.updated_at) await touchSession(this.tx, { id, now: this.now });
    return session;
  }

  async #trace(news: SpanWrite, session: Writing) {
    const known = this.#traces.get(news.trace_id);
    if (known) return known;
    const [row] = await selectTrace(this.tx, { id: news.trace_id });
    const start = news.start_time ?? news.end_time ?? this.now;
    const made = row ?? newTrace(news.trace_id, start, session);
    const trace: TraceNews = {
      row: made,
      before: row?.counted ? { ...row } : undefined,
      isNew: !row,
      ships: session.ships,
      changed: false,
      isPacked: row !== undefined,
      isForgotten: await isForgotten(this.tx, {
        ...made,
        thread_id: made.thread_id ?? news.thread_id ?? null,
      }),
      written: new Set(),
    };
    this.#traces.set(news.trace_id, trace);
    return trace;
  }

  /** More comes of a trace that may be one row: its spans become rows. */
  async #unpack(trace: TraceNews): Promise<void> {
    trace.isPacked = false;
    for (const id of await unpackTrace(this.tx, trace.row, trace.ships)) trace.written.add(id);
  }

  /** Whether no span may come to a trace but its root. */
  async #isFull({ id, span_count }: TraceRow): Promise<boolean> {
    if (span_count < MOST_SPANS - 1) return false;
    if (span_count >= MOST_SPANS) return true;
    const [root] = await selectSpan(this.tx, { trace_id: id, id });
    return root === undefined;
  }
}

/** Gives each span of these traces, which have to be sent on, a row of its own where they are kept in one. */
export async function unpackTraces(tx: Tx, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    const [trace] = await selectTrace(tx, { id });
    if (trace) await unpackTrace(tx, trace, true);
  }
}

/** Makes rows of the spans of a trace, where they are kept in one; answers their ids. */
async function unpackTrace(tx: Tx, trace: TraceRow, ships: boolean): Promise<string[]> {
  const spans = await takePack(tx, trace);
  const unshipped = ships ? trace.unscanned : 0;
  for (const span of spans) await insertSpan(tx, { ...span, unshipped });
  return spans.map(({ id }) => id);
}

/** Whether it can be counted: nothing more is expected of its root. */
const hasEnded = ({ status, end_time }: TraceRow): boolean => status !== "pending" && end_time !== null;

/** Tells that a trace has feedback that it did not have: the engine looks at it once more. */
export async function traceHasNews(
  tx: Tx,
  { trace_id, session_id }: Pick<SpanRow, "trace_id" | "session_id">,
  now: number,
): Promise<void> {
  await noteFeedback(tx, { id: trace_id, now });
  await touchSession(tx, { id: session_id, now });
}

/** The span; without what is new of its inputs and outputs where its trace has no room for them. */
function withinBytes(trace: TraceRow, before: SpanRow | undefined, span: SpanRow): SpanRow {
  const room = MOST_BODY_BYTES - (span.id === trace.id ? 0 : ROOT_BODY_BYTES);
  const added = bodyBytes(span) - bodyBytes(before);
  if (added <= 0 || trace.body_bytes + added <= room) return span;
  trace.dropped_bodies++;
  return { ...span, inputs: before?.inputs ?? null, outputs: before?.outputs ?? null };
}
