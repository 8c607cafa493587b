import { type Trace, type TraceSearch, type Traces, Turns } from "@berth/store";
import { Type } from "@sinclair/typebox";
import { issueApi } from "../access/index.ts";
import { csvLine, oneOf, operation, streamed, workspaceOf } from "../http/index.ts";
import type { IssueRoutesDeps } from "./deps.ts";
import { traceSearchFields, traceSearchOf } from "./trace-filters.ts";
import { bodyOf, type ShownTrace, shownTrace } from "./wire/index.ts";

type Deps = Pick<IssueRoutesDeps, "traces" | "modelPrices">;

/** Traces of one export. */
const MOST = 10_000;
const PAGE = 50;
/** Pages in which a search without an index found nothing. */
const MOST_EMPTY = 100;

const FORMATS = ["json", "jsonl", "csv"] as const;
type Format = (typeof FORMATS)[number];
const TYPES = { json: "application/json", jsonl: "application/x-ndjson", csv: "text/csv; charset=utf-8" };

/** `/v1/traces/export`: what a search finds, as a file. */
export const exportTraces = ({ traces, modelPrices }: Deps) =>
  operation(
    {
      method: "GET",
      path: "/v1/traces/export",
      access: issueApi,
      bodyLimit: "none",
      tag: "Traces",
      summary: "Export traces",
      description:
        "The traces that a search finds, at most 10,000, in the same order. Each has the inputs and outputs of its run. The format is JSON lines (the default), a JSON list, or CSV.",
      query: Type.Object({ ...traceSearchFields, format: Type.Optional(oneOf(FORMATS)) }),
      answers: { 200: { description: "The file", mediaType: "application/x-ndjson" } },
    },
    async ({ query, caller }) => {
      const { format = "jsonl", ...search } = query;
      const workspaceId = workspaceOf(caller);
      const prices = await modelPrices.book(workspaceId);
      const shown = (trace: Trace) => shownTrace(trace, prices);
      const rows = exported(
        traces,
        workspaceId,
        { ...traceSearchOf(search), costOf: (trace) => prices.costOfTrace(trace), limit: PAGE },
        shown,
      );
      // What is wrong with the search is an answer of its own.
      const first = await rows.next();
      return streamed(fileOf(rows, first, format), {
        "content-type": TYPES[format],
        "content-disposition": `attachment; filename="runs.${format}"`,
      });
    },
  );

type Exported = ShownTrace & { inputs: unknown; outputs: unknown };
type Rows = AsyncGenerator<Exported, undefined>;

async function* exported(
  traces: Traces,
  workspaceId: string,
  search: TraceSearch,
  shown: (trace: Trace) => ShownTrace,
): Rows {
  let cursor: string | undefined;
  // Reading and decoding never leave the event loop by themselves.
  const turns = new Turns();
  for (let told = 0, empty = 0; told < MOST && empty < MOST_EMPTY; ) {
    const { rows, next } = await traces.search(workspaceId, { ...search, cursor });
    for (const trace of rows) {
      await turns.rest();
      // One that was deleted meanwhile is told as it was found.
      const whole = await traces.get(workspaceId, trace.id).catch(() => undefined);
      const root = whole?.spans.find(({ id }) => id === trace.id);
      const [inputs, outputs] = [bodyOf(root?.inputs ?? null), bodyOf(root?.outputs ?? null)];
      yield { ...shown(trace), inputs, outputs };
    }
    told += rows.length;
    if (rows.length === 0) empty++;
    if (next === null) return;
    cursor = next;
  }
}

/** Made as it is read: who reads slowly makes it slower, and nobody holds it whole. */
function fileOf(rows: Rows, first: IteratorResult<Exported, undefined>, format: Format): ReadableStream {
  const bytes = new TextEncoder();
  let next = first;
  let before = { json: "[", jsonl: "", csv: csvLine(COLUMNS) }[format];
  return new ReadableStream({
    async pull(controller) {
      if (next.done) {
        controller.enqueue(bytes.encode(before.replace(/^,$/, "") + (format === "json" ? "\n]\n" : "")));
        controller.close();
        return;
      }
      controller.enqueue(bytes.encode(before + textOf(next.value, format)));
      before = format === "json" ? "," : "";
      next = await rows.next();
    },
    async cancel() {
      await rows.return(undefined);
    },
  });
}

function textOf(trace: Exported, format: Format): string {
  if (format === "csv") return csvLine(cellsOf(trace));
  return format === "json" ? `\n${JSON.stringify(trace)}` : `${JSON.stringify(trace)}\n`;
}

const COLUMNS = [
  ...["id", "thread_id", "session_id", "name", "status", "start_time", "end_time", "latency_ms"],
  ...["input_tokens", "output_tokens", "total_tokens", "error_type", "error_message", "tags"],
  ...["inputs", "outputs"],
];

function cellsOf(trace: Exported): (string | number | null)[] {
  const { id, thread_id, session_id, name, status, start_time, end_time, latency_ms, error } = trace;
  return [
    ...[id, thread_id, session_id, name, status, start_time, end_time, latency_ms],
    ...[trace.input_tokens, trace.output_tokens, trace.total_tokens],
    ...[error?.type ?? null, error?.message ?? null, trace.tags.join(" ")],
    ...[cellOf(trace.inputs), cellOf(trace.outputs)],
  ];
}

function cellOf(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  return typeof value === "string" ? value : JSON.stringify(value);
}
