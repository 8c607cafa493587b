import type { Kysely } from "kysely";
import { type PackedText, packText, prepared, type Tx, unpackText } from "../database/index.ts";
import type { RunType, Schema, SpanPackRow, SpanRow, SpanStatus, TraceRow } from "../schema/index.ts";
import { Turns } from "../turns.ts";
import { dottedOrder } from "./trace.ts";

/** A trace that took longer is kept in rows: a span's id tells when it began, and so in which pack it may be. */
const LONGEST_MS = 2_000;
/** How far the moment in an id may be from the one that a clock told. */
const SLACK_MS = 1_000;

/**
 * A span as its pack keeps it, in this order for ever. What its trace says, too, is left out, and so are nulls at the
 * end: how many bytes are written is most of what a trace costs.
 *
 * A pack is a line of JSON, `[lengths of bodies, spans]`, and behind it the bodies, end to end: a span has the place of
 * each of its own. Two spans may have the same one. Packs of earlier versions are the spans alone, with their bodies as
 * strings.
 */
type PackedSpan<Body = number> = [
  id: string,
  /** Its place in the pack. */
  parent: number | null,
  name: string,
  runType: RunType,
  status: SpanStatus,
  /** Since the trace began. */
  startAfter: number,
  tookMs: number,
  node: string | null,
  metadata: string | null,
  inputs: Body | null,
  outputs: Body | null,
  inputTokens: number | null,
  outputTokens: number | null,
  totalTokens: number | null,
  firstTokenAfter: number | null,
  errorType: string | null,
  errorMessage: string | null,
  tags: string | null,
];

const VERSION_7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The trace that spans belong to. */
export type Packed = Pick<TraceRow, "id" | "start_time" | "workspace_id" | "session_id" | "thread_id">;

const insert = prepared<SpanPackRow>((db, { start_time, trace_id, spans }) =>
  db.insertInto("span_packs").values({ start_time, trace_id, spans }),
);
const select = prepared<Omit<SpanPackRow, "spans">, Pick<SpanPackRow, "spans">>(
  (db, { start_time, trace_id }) =>
    db
      .selectFrom("span_packs")
      .select("spans")
      .where("start_time", "=", start_time)
      .where("trace_id", "=", trace_id),
);
const selectRows = prepared<{ trace_id: string }, SpanRow>((db, { trace_id }) =>
  db.selectFrom("spans").selectAll().where("trace_id", "=", trace_id),
);
const remove = prepared<Omit<SpanPackRow, "spans">>((db, { start_time, trace_id }) =>
  db.deleteFrom("span_packs").where("start_time", "=", start_time).where("trace_id", "=", trace_id),
);

/** Keeps all spans of a trace as one row; false, and nothing done, where they need rows of their own. */
export async function insertPack(tx: Tx, trace: Packed, spans: readonly SpanRow[]): Promise<boolean> {
  const places = new Map(spans.map(({ id }, place) => [id, place]));
  if (places.size < spans.length) return false;
  const bodies = new PackedBodies();
  const packed: PackedSpan[] = [];
  for (const span of spans) {
    const parent = span.parent_id === null ? null : places.get(span.parent_id);
    if (parent === undefined || !isPackable(trace, span)) return false;
    packed.push(pack(trace, span, parent, bodies));
  }
  await insert(tx, {
    ...keyOf(trace),
    spans: packText(tx, `${JSON.stringify([bodies.lengths, packed])}\n${bodies.text}`),
  });
  return true;
}

/** Inputs and outputs, each once: what one span gave, the next takes in. */
class PackedBodies {
  readonly lengths: number[] = [];
  text = "";
  readonly #places = new Map<string, number>();

  /** Where a body is; null of none. */
  place(body: string | null): number | null {
    if (body === null) return null;
    const known = this.#places.get(body);
    if (known !== undefined) return known;
    const place = this.lengths.push(body.length) - 1;
    this.text += body;
    this.#places.set(body, place);
    return place;
  }
}

/** A pack's line of JSON, and the bodies behind it; one of an earlier version is the line alone. */
function partsOf(pack: PackedText): { line: string; behind: string | undefined } {
  const text = unpackText(pack);
  const end = text.indexOf("\n");
  return end < 0
    ? { line: text, behind: undefined }
    : { line: text.slice(0, end), behind: text.slice(end + 1) };
}

/** The spans of a pack, of whatever version. */
function packedIn(pack: PackedText): PackedSpan<string>[] {
  const { line, behind } = partsOf(pack);
  if (behind === undefined) return JSON.parse(line);
  const [lengths, spans]: [number[], PackedSpan[]] = JSON.parse(line);
  let at = 0;
  const bodies = lengths.map((length) => {
    at += length;
    return behind.slice(at - length, at);
  });
  const bodyAt = (place: number | null | undefined) => bodies[place ?? -1] ?? null;
  return spans.map(
    ([id, parent, name, type, status, after, took, node, metadata, inputs, outputs, ...rest]) => [
      ...([id, parent, name, type, status, after, took, node ?? null, metadata ?? null] as const),
      ...([bodyAt(inputs), bodyAt(outputs)] as const),
      ...rest,
    ],
  );
}

function isPackable(trace: Packed, span: SpanRow): boolean {
  const { start_time: start } = trace;
  const made = span.id === trace.id ? start : madeAt(span.id);
  const isNear = made >= start - SLACK_MS && made <= start + LONGEST_MS + SLACK_MS;
  const isShort = span.end_time !== null && span.start_time >= start && span.end_time - start <= LONGEST_MS;
  const isPlain = span.unshipped === 0 && span.thread_id === trace.thread_id && span.dotted_order === "";
  return isNear && isShort && isPlain;
}

function pack(
  { start_time: start }: Packed,
  span: SpanRow,
  parent: number | null,
  bodies: PackedBodies,
): PackedSpan {
  const { end_time, first_token_time, metadata, tags } = span;
  const packed: PackedSpan = [
    span.id,
    parent,
    span.name,
    span.run_type,
    span.status,
    span.start_time - start,
    (end_time ?? span.start_time) - span.start_time,
    span.node,
    metadata === "{}" ? null : metadata,
    bodies.place(span.inputs),
    bodies.place(span.outputs),
    span.input_tokens,
    span.output_tokens,
    span.total_tokens,
    first_token_time === null ? null : first_token_time - start,
    span.error_type,
    span.error_message,
    tags === "[]" ? null : tags,
  ];
  while (packed.at(-1) === null) packed.pop();
  return packed;
}

/** The spans of a trace, however they are kept, in no order. */
export async function spansOf(db: Kysely<Schema> | Tx, trace: Packed): Promise<SpanRow[]> {
  const rows = await selectRows(db, { trace_id: trace.id });
  return rows.length > 0 ? rows : packedSpans(db, trace);
}

/** The rows of spans of some traces, by trace: of those whose spans have rows. */
export async function spanRowsOf(
  db: Kysely<Schema>,
  traceIds: readonly string[],
): Promise<Map<string, SpanRow[]>> {
  if (traceIds.length === 0) return new Map();
  const rows = await db.selectFrom("spans").selectAll().where("trace_id", "in", traceIds).execute();
  return Map.groupBy(rows, ({ trace_id }) => trace_id);
}

/** Takes the spans of a trace out of its row, if that is how they are kept: they are to be written one by one. */
export async function takePack(tx: Tx, trace: Packed): Promise<SpanRow[]> {
  const spans = await packedSpans(tx, trace);
  if (spans.length > 0) await remove(tx, keyOf(trace));
  return spans;
}

/** The same for what is to go anyway: a pack that cannot be read is removed, too, and nothing comes of it. */
export async function takeSoundPack(tx: Tx, trace: Packed): Promise<SpanRow[]> {
  const [pack] = await select(tx, keyOf(trace));
  if (!pack) return [];
  await remove(tx, keyOf(trace));
  return soundSpans(trace, pack.spans);
}

/** The spans of a pack; none of one that is damaged, so that it keeps nothing back. */
export function soundSpans(trace: Packed, pack: PackedText): SpanRow[] {
  try {
    return unpacked(trace, pack);
  } catch {
    return [];
  }
}

/** Removes what is packed of traces. */
export async function removePacks(
  tx: Tx,
  traces: readonly Pick<Packed, "id" | "start_time">[],
): Promise<void> {
  for (const trace of traces) await remove(tx, keyOf(trace));
}

/** The trace of a workspace in whose pack there is a span of this id. */
export async function packedPlaceOf(
  db: Kysely<Schema> | Tx,
  workspaceId: string,
  spanId: string,
): Promise<Pick<SpanRow, "trace_id" | "session_id"> | undefined> {
  const made = madeAt(spanId);
  if (Number.isNaN(made)) return undefined;
  const turns = new Turns();
  const written = `["${spanId.toLowerCase()}",`;
  let behind = "";
  for (let start = made - LONGEST_MS - SLACK_MS; ; ) {
    const packs = await packsBehind(db, { workspaceId, start, behind, end: made + SLACK_MS });
    for (const { spans, trace_id, session_id } of packs) {
      // Bodies are what users say, and may look like it.
      if (partsOf(spans).line.includes(written)) return { trace_id, session_id };
      await turns.rest();
    }
    const last = packs.at(-1);
    if (!last || packs.length < PACKS_A_PAGE) return undefined;
    ({ start_time: start, trace_id: behind } = last);
  }
}

/** Read together: a text that is packed cannot be looked into where it lies. */
const PACKS_A_PAGE = 64;

const packsBehind = prepared<
  { workspaceId: string; start: number; behind: string; end: number },
  SpanPackRow & Pick<SpanRow, "session_id">
>((db, { workspaceId, start, behind, end }) =>
  db
    .selectFrom("span_packs as pack")
    .innerJoin("traces", "traces.id", "pack.trace_id")
    .select(["pack.start_time", "pack.trace_id", "pack.spans", "traces.session_id"])
    .where("pack.start_time", ">=", start)
    .where("pack.start_time", "<=", end)
    .where(({ eb, or }) => or([eb("pack.start_time", ">", start), eb("pack.trace_id", ">", behind)]))
    .where("traces.workspace_id", "=", workspaceId)
    .orderBy("pack.start_time")
    .orderBy("pack.trace_id")
    .limit(PACKS_A_PAGE),
);

/** The spans of a trace whose spans have no rows. */
export async function packedSpans(db: Kysely<Schema> | Tx, trace: Packed): Promise<SpanRow[]> {
  const [pack] = await select(db, keyOf(trace));
  return pack ? unpacked(trace, pack.spans) : [];
}

/** The spans of a pack as if each had a row of its own. */
function unpacked(trace: Packed, pack: PackedText): SpanRow[] {
  const packed = packedIn(pack);
  const orders = new Map<number, string>();
  const orderOf = (place: number): string => {
    const known = orders.get(place);
    if (known !== undefined) return known;
    const [id = "", parent = null, , , , startAfter = 0] = packed[place] ?? [];
    const order = dottedOrder(
      trace.start_time + startAfter,
      id,
      parent === null ? undefined : orderOf(parent),
    );
    orders.set(place, order);
    return order;
  };
  return packed.map((span, place) => unpack(trace, span, packed[span[1] ?? -1]?.[0] ?? null, orderOf(place)));
}

/** What a span says. */
export type SpanTexts = Pick<
  SpanRow,
  "id" | "start_time" | "name" | "inputs" | "outputs" | "error_type" | "error_message"
>;

/** What the spans of some traces say, by trace, however they are kept; of those that can be read. */
export async function textsOfSpans(
  db: Kysely<Schema>,
  traceIds: readonly string[],
): Promise<Map<string, SpanTexts[]>> {
  const texts: Map<string, SpanTexts[]> = await spanRowsOf(db, traceIds);
  const packs = await db
    .selectFrom("traces")
    .innerJoin("span_packs as pack", (join) =>
      join.onRef("pack.start_time", "=", "traces.start_time").onRef("pack.trace_id", "=", "traces.id"),
    )
    .select(["traces.id", "pack.spans"])
    .where("traces.id", "in", traceIds)
    .execute();
  for (const { id, spans } of packs) {
    try {
      texts.set(id, textsIn(spans));
    } catch {
      // What is broken says nothing.
    }
  }
  return texts;
}

function textsIn(spans: PackedText): SpanTexts[] {
  return packedIn(spans).map(([id, , name, , , start_time, , , , inputs = null, outputs = null, ...rest]) => {
    const [, , , , error_type = null, error_message = null] = rest;
    return { id, start_time, name, inputs, outputs, error_type, error_message };
  });
}

function unpack(trace: Packed, span: PackedSpan<string>, parentId: string | null, order: string): SpanRow {
  const [id, , name, run_type, status, startAfter, tookMs, node, metadata, inputs, outputs, ...rest] = span;
  const [input_tokens, output_tokens, total_tokens, firstTokenAfter, error_type, error_message, tags] = rest;
  const start_time = trace.start_time + startAfter;
  return {
    ...{ id, trace_id: trace.id, workspace_id: trace.workspace_id, session_id: trace.session_id },
    ...{ parent_id: parentId, thread_id: trace.thread_id, name, run_type, status, start_time },
    first_token_time: (firstTokenAfter ?? null) === null ? null : trace.start_time + (firstTokenAfter ?? 0),
    end_time: start_time + tookMs,
    ...{ error_type: error_type ?? null, error_message: error_message ?? null },
    ...{ inputs: inputs ?? null, outputs: outputs ?? null, metadata: metadata ?? "{}", tags: tags ?? "[]" },
    input_tokens: input_tokens ?? null,
    output_tokens: output_tokens ?? null,
    total_tokens: total_tokens ?? null,
    ...{ node: node ?? null, dotted_order: order, revision: 1, unshipped: 0 },
  };
}

const keyOf = ({ id, start_time }: Pick<Packed, "id" | "start_time">) => ({ start_time, trace_id: id });

/** The moment that a UUID of version 7 tells (RFC 9562, 5.7); NaN for others. */
function madeAt(id: string): number {
  if (!VERSION_7.test(id)) return Number.NaN;
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}
