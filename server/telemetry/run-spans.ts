import type { EndedSpan, RunWatch } from "@berth/agent";
import { runAttributes } from "./run-attributes.ts";
import type { ExportedSpan } from "./span.ts";
import { asked, isSampled, type SpanContext } from "./span-context.ts";

/** Runs whose requests are remembered; of more, those that wait longest begin traces of their own. */
const MOST_RUNS = 10_000;
const FAILED = new Set(["error", "timeout"]);

export type RunSpansOptions = { sampled: number; captureContent: boolean };

/** Makes spans of what runs do: below the request that asked for the run, where it came to this process. */
export class RunSpans implements RunWatch {
  readonly #requests = new Map<string, SpanContext>();

  constructor(
    private readonly take: (span: ExportedSpan) => void,
    private readonly options: RunSpansOptions,
  ) {}

  created(runId: string): void {
    const request = asked.getStore();
    if (!request || this.#requests.has(runId)) return;
    const [oldest] = this.#requests.keys();
    if (oldest !== undefined && this.#requests.size >= MOST_RUNS) this.#requests.delete(oldest);
    this.#requests.set(runId, request);
  }

  ended(span: EndedSpan): void {
    const request = this.#requests.get(span.runId);
    // Nothing comes after the run itself.
    if (span.parentId === undefined) this.#requests.delete(span.runId);
    const context = this.#contextOf(span.id, span.runId, request);
    if (!context.isSampled) return;
    const { name, kind, attributes } = runAttributes(span, this.options);
    const hasFailed = FAILED.has(span.status);
    this.take({
      ...{ name, kind, attributes, context },
      parent: span.parentId === undefined ? request : { ...context, spanId: spanIdOf(span.parentId) },
      startedAt: span.startedAt,
      endedAt: span.endedAt,
      failure: hasFailed ? (span.error?.message ?? span.status) : undefined,
    });
  }

  /** Made of the ids that they have in Berth, so that one is found by the other. */
  #contextOf(id: string, runId: string, request: SpanContext | undefined): SpanContext {
    const spanId = spanIdOf(id);
    if (request) return { ...request, spanId };
    const traceId = runId.replaceAll("-", "");
    return { traceId, spanId, isSampled: isSampled(traceId, this.options.sampled) };
  }
}

/** The random half of a UUID. */
const spanIdOf = (id: string): string => id.replaceAll("-", "").slice(-16);
