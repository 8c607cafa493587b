import { type Clock, type SpanWrite, Turns } from "@berth/store";
import { BodyTexts } from "./body-text.ts";
import {
  endedSpan,
  type LiveSpan,
  orderOf,
  type RunTrace,
  type RunWatch,
  type SpanSink,
} from "./run-trace.ts";
import type { TraceStore } from "./trace-store.ts";

/** Spans are written when so many wait, and at the latest after so long. */
const BATCH = 40;
const FLUSH_MS = 500;
/** More wait only when the database cannot follow: then the newest are left out. */
const MOST_WAITING = 20_000;
/** Making texts of many large bodies lets everybody else have a turn after this long. */
const TURN_MS = 4;
/** The texts of so few spans are made at once: it is over soon, and nothing but text is held on to. */
const FEW_SPANS = 24;

export type TraceWriterDeps = {
  store: TraceStore;
  clock: Clock;
  watch?: RunWatch | undefined;
  log: (event: string, fields: Record<string, unknown>) => void;
};

/** News of a span: that it began, or that it ended. */
type News = { trace: RunTrace; span: LiveSpan; of: "begin" | "end" };

/** All that a run left, as it is to be written or as it was. */
type Whole = SpanWrite[] | { trace: RunTrace; spans: LiveSpan[] };

/**
 * Writes what runs leave behind, beside their way: a run hands over what has ended and goes on. Nothing waits for
 * the database, and nothing fails with it; what it does not take is counted and told in the log.
 */
export class TraceWriter implements SpanSink {
  #waiting: News[] = [];
  #whole: Whole[] = [];
  #spansWaiting = 0;
  /** Runs under way. One that lasts is shown while it does. */
  readonly #live = new Set<RunTrace>();
  #sessionId: string | undefined;
  #timer: Timer | undefined;
  #flushing: Promise<void> | undefined;
  #dropped = 0;

  constructor(private readonly deps: TraceWriterDeps) {}

  /** Makes the tracing project, so that it is there before the first run. */
  async open(): Promise<void> {
    await this.#session();
  }

  now(): number {
    return this.deps.clock.now();
  }

  /** From now on what the run has begun is written too, every half second. */
  follow(trace: RunTrace): void {
    this.#live.add(trace);
    this.#schedule();
  }

  over(trace: RunTrace): void {
    this.#live.delete(trace);
  }

  ended(trace: RunTrace, span: LiveSpan): void {
    const { watch, log } = this.deps;
    const ended = watch && endedSpan(trace, span);
    try {
      if (ended) watch.ended(ended);
    } catch (error) {
      // Whoever watches is no reason for a run to fail.
      log("traces.unwatched", { error: String(error) });
    }
  }

  take(trace: RunTrace, span: LiveSpan): void {
    if (this.#hasRoom(1)) this.#waiting.push({ trace, span, of: "end" });
  }

  takeWhole(trace: RunTrace, spans: LiveSpan[]): void {
    if (!this.#hasRoom(spans.length)) return;
    this.#whole.push(this.#textOf(trace, spans) ?? { trace, spans });
  }

  /** What is to be written of a run; undefined when there is too much to do at once, or when it cannot be done. */
  #textOf(trace: RunTrace, spans: LiveSpan[]): SpanWrite[] | undefined {
    if (this.#sessionId === undefined || spans.length > FEW_SPANS) return undefined;
    try {
      return wholeWrite(trace, spans, this.#sessionId);
    } catch {
      // The run is not to hear of it. It is tried again when it is written, and told in the log then.
    }
  }

  /** Whether so many more may wait; a batch that is full is written. */
  #hasRoom(spans: number): boolean {
    if (this.#spansWaiting >= MOST_WAITING) {
      this.#dropped += spans;
      return false;
    }
    const before = this.#spansWaiting;
    this.#spansWaiting += spans;
    if (before < BATCH && this.#spansWaiting >= BATCH) setImmediate(() => void this.flush());
    else this.#schedule();
    return true;
  }

  /** Writes everything that waits; resolves when it is in the database or given up. */
  async flush(): Promise<void> {
    while (this.#flushing) await this.#flushing;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    // Not by the timer alone: where there is much to write, it never comes to its end.
    this.#announce();
    this.#flushing = this.#writeAll().finally(() => {
      this.#flushing = undefined;
    });
    await this.#flushing;
    this.#schedule();
  }

  /** What an attempt left open whose process is gone is closed; the run goes on in the same trace. */
  closeLost({ id, root }: RunTrace): Promise<void> {
    return this.deps.store.closeLost(id, root.startedAt);
  }

  #schedule(): void {
    if (this.#timer || (this.#spansWaiting === 0 && this.#live.size === 0)) return;
    this.#timer = setTimeout(() => void this.flush(), FLUSH_MS);
  }

  /** Those that have been going on for a while, so that they are seen, and stay when the process does not. */
  #announce(): void {
    const before = this.now() - FLUSH_MS;
    for (const trace of this.#live) {
      if (trace.root.startedAt > before) continue;
      for (const span of trace.unannounced()) {
        this.#waiting.push({ trace, span, of: "begin" });
        this.#spansWaiting += 1;
      }
    }
  }

  async #writeAll(): Promise<void> {
    const batch = { news: this.#waiting, whole: this.#whole };
    const spans = this.#spansWaiting;
    this.#waiting = [];
    this.#whole = [];
    this.#spansWaiting = 0;
    try {
      if (spans > 0) await this.#write(batch);
    } catch (error) {
      this.#dropped += spans;
      this.deps.log("traces.unwritten", { error: String(error) });
    }
    if (this.#dropped === 0) return;
    this.deps.log("traces.dropped", { spans: this.#dropped });
    this.#dropped = 0;
  }

  async #write({ news, whole }: { news: News[]; whole: Whole[] }): Promise<void> {
    const sessionId = await this.#session();
    const turns = new Turns(TURN_MS);
    const spans: SpanWrite[] = [];
    let texts = new BodyTexts();
    for (const one of news) {
      spans.push(...this.#tried(1, () => [spanWrite(one, sessionId, texts)]));
      const rest = turns.rest();
      if (!rest) continue;
      await rest;
      // The runs have gone on meanwhile, and a message may say something else.
      texts = new BodyTexts();
    }
    const traces: SpanWrite[][] = [];
    for (const one of whole) {
      if (Array.isArray(one)) traces.push(one);
      else {
        const { trace, spans: all } = one;
        const made = this.#tried(all.length, () => wholeWrite(trace, all, sessionId));
        if (made.length > 0) traces.push(made);
      }
      await turns.rest();
    }
    const told = [await this.deps.store.write(spans), await this.deps.store.writeWhole(traces)];
    // Somebody has deleted it: what comes next begins it anew.
    if (told.some(({ unknownSessions }) => unknownSessions.length > 0)) this.#sessionId = undefined;
  }

  /** What cannot be made text, since code of the project throws as it is read, takes nothing else with it. */
  #tried(spans: number, make: () => SpanWrite[]): SpanWrite[] {
    try {
      return make();
    } catch {
      this.#dropped += spans;
      return [];
    }
  }

  async #session(): Promise<string> {
    this.#sessionId ??= await this.deps.store.session();
    return this.#sessionId;
  }
}

function wholeWrite(trace: RunTrace, spans: readonly LiveSpan[], sessionId: string): SpanWrite[] {
  const texts = new BodyTexts();
  return spans.map((span) => spanWrite({ trace, span, of: "end" }, sessionId, texts, true));
}

function spanWrite(
  { trace, span, of }: News,
  sessionId: string,
  texts: BodyTexts,
  isWhole = false,
): SpanWrite {
  const { end } = span;
  const { usage } = end ?? {};
  return {
    id: span.id,
    trace_id: trace.id,
    session_id: sessionId,
    parent_id: span.parent?.id,
    thread_id: trace.threadId,
    name: span.name,
    run_type: span.runType,
    status: end?.status ?? "pending",
    start_time: span.startedAt,
    first_token_time: span.firstTokenAt,
    end_time: span.endedAt,
    error: end?.error,
    // They went with its beginning, where that was told of.
    inputs: span.announced && of === "end" ? undefined : texts.of(span.inputs),
    outputs: end?.outputs === undefined ? undefined : texts.of(end.outputs),
    metadata: end?.metadata ? { ...span.metadata, ...end.metadata } : span.metadata,
    tags: span.tags,
    input_tokens: usage?.input,
    output_tokens: usage?.output,
    total_tokens: usage?.total,
    node: span.node,
    // The store makes it of a whole trace when somebody asks for it.
    dotted_order: isWhole ? undefined : orderOf(span),
  };
}
