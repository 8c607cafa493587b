import type { Logger } from "@logtape/logtape";
import { Counts } from "../readings/index.ts";
import type { Send } from "./exporter.ts";
import type { ExportedSpan } from "./span.ts";

type ExportQueueOptions = {
  /** Opens what sends: with the first spans, not before. */
  open: () => Promise<Send>;
  counts: SpanCounts;
  log: Logger;
};

/** How many spans were exported, and how many were not. */
export type SpanCounts = Counts<"outcome">;

export const spanCounts = (): SpanCounts =>
  new Counts("berth_telemetry_spans_total", "Spans that were exported, or dropped", ["outcome"]);

const MOST_WAITING = 4_096;
const BATCH = 512;
const PAUSE_MS = 1_000;
const TELL_EVERY_MS = 60_000;

/**
 * Spans on their way to a collector. Whoever hands one over goes on at once; when the collector cannot follow, what is
 * too much is dropped and counted.
 */
export class ExportQueue {
  #waiting: ExportedSpan[] = [];
  #send: Promise<Send> | undefined;
  #timer: Timer | undefined;
  #sending: Promise<void> | undefined;
  #isStopping = false;
  #toldAt = Number.NEGATIVE_INFINITY;
  #untold = 0;

  constructor(private readonly options: ExportQueueOptions) {}

  take(span: ExportedSpan): void {
    if (this.#isStopping || this.#waiting.length >= MOST_WAITING) this.#drop(1, "the queue is full");
    else this.#waiting.push(span);
    this.#timer ??= setTimeout(() => void this.#sendAll(), PAUSE_MS).unref();
  }

  /** Sends what waits, for so long at most; takes nothing more. */
  async stop(limitMs: number): Promise<void> {
    clearTimeout(this.#timer);
    const timeout = Promise.withResolvers<void>();
    const timer = setTimeout(timeout.resolve, limitMs);
    await Promise.race([this.#sendAll(), timeout.promise]);
    clearTimeout(timer);
    this.#isStopping = true;
    if (this.#waiting.length > 0) this.#drop(this.#waiting.length, "the process stops");
    this.#waiting = [];
  }

  #sendAll(): Promise<void> {
    this.#sending ??= this.#sendBatches().finally(() => {
      this.#sending = undefined;
      this.#timer = undefined;
    });
    return this.#sending;
  }

  async #sendBatches(): Promise<void> {
    while (this.#waiting.length > 0 && !this.#isStopping) {
      const batch = this.#waiting.splice(0, BATCH);
      try {
        this.#send ??= this.options.open();
        await (await this.#send)(batch);
        this.options.counts.add({ outcome: "exported" }, batch.length);
      } catch (error) {
        this.#drop(batch.length, error);
      }
    }
  }

  /** Counted each time, told once in a while. */
  #drop(spans: number, reason: unknown): void {
    this.options.counts.add({ outcome: "dropped" }, spans);
    this.#untold += spans;
    const now = performance.now();
    if (now - this.#toldAt < TELL_EVERY_MS) return;
    this.#toldAt = now;
    const error = reason instanceof Error ? reason.message : String(reason);
    this.options.log.warn("telemetry.dropped", { spans: this.#untold, error });
    this.#untold = 0;
  }
}
