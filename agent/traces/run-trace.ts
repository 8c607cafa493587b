import { AsyncLocalStorage } from "node:async_hooks";
import { dottedOrder, MOST_SPANS, type RunType, type SpanError, type SpanStatus } from "@berth/store";
import { bodyText } from "./body-text.ts";

/** Where the code that is running now belongs. */
export type Scope = {
  trace: RunTrace;
  span: LiveSpan;
  /** What the node consists of that is at work, as LangGraph calls it; or that it is what is called next. */
  node?: object | "next" | undefined;
};

/** The tag of what LangGraph and LangChain do not show. */
export const HIDDEN = "langsmith:hidden";

/** The scope of whatever a traced run executes, down to the model call. */
export const scopes = new AsyncLocalStorage<Scope>();

/** Takes the spans that have ended. */
export type SpanSink = {
  now(): number;
  take(trace: RunTrace, span: LiveSpan): void;
  /** All spans of a run that was over before anybody was told of it; its root is the last. */
  takeWhole(trace: RunTrace, spans: LiveSpan[]): void;
  /** No more will come of this attempt. */
  over(trace: RunTrace): void;
  /** Hears of each span as it ends, whenever it is taken. */
  ended(trace: RunTrace, span: LiveSpan): void;
};

/** What one attempt of a run leaves behind: its spans, as they begin and end. */
export class RunTrace {
  readonly root: LiveSpan;
  readonly #nodes = new Set<Promise<unknown>>();
  readonly #open = new Set<LiveSpan>();
  /** By the ids that LangChain gives to calls, for those that may have calls of their own. */
  readonly #byCall = new Map<string, LiveSpan>();
  /** What has ended, until somebody is told of the run while it goes on. */
  #kept: LiveSpan[] | undefined = [];
  #spans = 1;
  #leftOut = 0;
  #over = false;

  /** @param id of the trace and of its root: the run's */
  constructor(
    readonly id: string,
    readonly threadId: string,
    root: SpanStart,
    private readonly sink: SpanSink,
  ) {
    this.root = this.#begin(id, undefined, root);
  }

  /** Runs the graph so that what it does is noticed. */
  within<T>(body: () => T): T {
    return scopes.run({ trace: this, span: this.root }, body);
  }

  /** A span begins; undefined when there are too many, or when the run is over for whoever waits for it. */
  begin(parent: LiveSpan, start: SpanStart, id: string = Bun.randomUUIDv7()): LiveSpan | undefined {
    if (this.#over) return undefined;
    if (this.#spans >= MOST_SPANS) {
      this.#leftOut += 1;
      return undefined;
    }
    this.#spans += 1;
    return this.#begin(id, parent, start);
  }

  end(span: LiveSpan, end: SpanEnd): void {
    if (!this.#open.delete(span)) return;
    span.end = end;
    span.endedAt = this.sink.now();
    this.sink.ended(this, span);
    if (this.#kept) this.#kept.push(span);
    else this.sink.take(this, span);
  }

  firstToken(span: LiveSpan): void {
    span.firstTokenAt ??= this.sink.now();
  }

  /** The span that was begun for the call `callId` or for one that led to it, if there was any. */
  under(callId: string | undefined): LiveSpan | undefined {
    return callId === undefined ? undefined : this.#byCall.get(callId);
  }

  /** Where a call belongs: below the one that made it, or deeper, in the node of a graph which that one called. */
  parent(callId: string | undefined, scope: LiveSpan): LiveSpan {
    const caller = this.under(callId);
    if (!caller) return scope;
    for (let above: LiveSpan | undefined = scope; above; above = above.parent) {
      if (above === caller) return scope;
    }
    return caller;
  }

  /** Calls that name `callId` as what they were made by belong to `span`. */
  leads(callId: string, span: LiveSpan): void {
    if (!this.#over) this.#byCall.set(callId, span);
  }

  /** The run has ended: so has all that is still open, in the same way unless the run went well. */
  close(end: SpanEnd): void {
    const metadata = this.#leftOut > 0 ? { spans_left_out: this.#leftOut } : undefined;
    this.#closeChildren(end.status === "success" ? "cancelled" : end.status);
    this.end(this.root, { ...end, ...(metadata && { metadata }) });
    if (this.#kept) this.sink.takeWhole(this, this.#kept);
    this.#finish();
  }

  /** This attempt has ended, the run has not: somebody goes on with it. */
  leave(): void {
    this.#closeChildren("interrupted");
    this.#open.delete(this.root);
    this.#tellAll();
    this.#finish();
  }

  /** Spans that go on and that nobody has been told of, if any. Those that have ended are told of, and from now on at once. */
  unannounced(): LiveSpan[] {
    this.#tellAll();
    const fresh = [...this.#open].filter((span) => !span.announced);
    for (const span of fresh) span.announced = true;
    return fresh;
  }

  #tellAll(): void {
    const kept = this.#kept;
    this.#kept = undefined;
    for (const span of kept ?? []) this.sink.take(this, span);
  }

  /** Notices a node that runs; an attempt may end before its nodes do. */
  runs(node: Promise<unknown>): void {
    const forget = () => this.#nodes.delete(node);
    this.#nodes.add(node);
    node.then(forget, forget);
  }

  /** Whether all nodes that run have ended within a time. */
  async nodesEnd(limitMs: number): Promise<boolean> {
    const late = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => late.resolve(false), limitMs);
    const ended = Promise.allSettled(this.#nodes).then(() => true);
    return Promise.race([ended, late.promise]).finally(() => clearTimeout(timer));
  }

  #begin(id: string, parent: LiveSpan | undefined, start: SpanStart): LiveSpan {
    const span: LiveSpan = {
      ...start,
      id,
      parent,
      startedAt: this.sink.now(),
      firstTokenAt: undefined,
      endedAt: undefined,
      end: undefined,
      announced: false,
      order: undefined,
    };
    this.#open.add(span);
    return span;
  }

  #closeChildren(status: Exclude<SpanEnd["status"], "success">): void {
    // A failed run has one error, that of the node which threw it: what it took along was cancelled.
    const ended = status === "error" ? "cancelled" : status;
    for (const span of [...this.#open]) if (span !== this.root) this.end(span, { status: ended });
  }

  #finish(): void {
    this.#over = true;
    this.#byCall.clear();
    this.sink.over(this);
  }
}

/** What a model said that it used. */
export type TokenUsage = { input: number | null; output: number | null; total: number | null };

/** How a span began. */
export type SpanStart = {
  name: string;
  runType: RunType;
  inputs: unknown;
  /** The LangGraph node that it belongs to. */
  node?: string | undefined;
  metadata?: Record<string, unknown> | undefined;
  tags?: readonly string[] | undefined;
};

/** How a span ended. */
export type SpanEnd = {
  status: Exclude<SpanStatus, "pending">;
  outputs?: unknown;
  error?: SpanError | undefined;
  usage?: TokenUsage | undefined;
  metadata?: Record<string, unknown> | undefined;
};

/**
 * A span as it is while its run goes on: what went in and came out is not text yet, so that a run pays for no more
 * than taking down that something happened.
 */
export type LiveSpan = SpanStart & {
  id: string;
  parent: LiveSpan | undefined;
  startedAt: number;
  firstTokenAt: number | undefined;
  endedAt: number | undefined;
  end: SpanEnd | undefined;
  /** That it began is in the database, or on its way there. */
  announced: boolean;
  /** Sorts the spans of a trace as a tree; made when it is asked for. */
  order: string | undefined;
};

/** Where a span stands among the others of its trace. */
export function orderOf(span: LiveSpan): string {
  span.order ??= dottedOrder(span.startedAt, span.id, span.parent && orderOf(span.parent));
  return span.order;
}

/** Somebody who wants to know what runs do as they do it. Is asked in their way: has to be quick. */
export type RunWatch = {
  /** A run was asked for, by whatever is going on right now. */
  created(runId: string): void;
  /** Something that a run did is over; what it was part of comes later. */
  ended(span: EndedSpan): void;
};

type Facts = "id" | "name" | "runType" | "node" | "metadata" | "startedAt" | "firstTokenAt";

/** A span that is over; its inputs and outputs are JSON that is made when it is asked for. */
export type EndedSpan = Pick<LiveSpan, Facts> &
  Pick<SpanEnd, "status" | "error" | "usage"> & {
    runId: string;
    threadId: string;
    /** Undefined for the run itself. */
    parentId: string | undefined;
    endedAt: number;
    inputs(): string;
    outputs(): string | undefined;
  };

/** A span as those see it who watch; undefined while it goes on. */
export function endedSpan(run: { id: string; threadId: string }, span: LiveSpan): EndedSpan | undefined {
  const { end, endedAt } = span;
  if (end === undefined || endedAt === undefined) return undefined;
  const { id, name, runType, node, startedAt, firstTokenAt } = span;
  return {
    ...{ id, name, runType, node, startedAt, firstTokenAt, endedAt },
    ...{ runId: run.id, threadId: run.threadId, parentId: span.parent?.id },
    ...{ status: end.status, error: end.error, usage: end.usage },
    metadata: { ...span.metadata, ...end.metadata },
    inputs: () => bodyText(span.inputs),
    outputs: () => (end.outputs === undefined ? undefined : bodyText(end.outputs)),
  };
}
