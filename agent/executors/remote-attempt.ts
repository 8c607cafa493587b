import { plansOf } from "@berth/store";
import type {
  AttemptHost,
  AttemptUnderWay,
  ExecutorLost,
  GraphEnd,
  OpenState,
  RunVerdict,
  StopReason,
} from "../runs/index.ts";
import type { GraphOutput, Outcome, PlainWrite, Question, QuestionAnswers, ToExecutor } from "./protocol.ts";

type Line = {
  send(message: ToExecutor): void;
  ask<Of extends Question["of"]>(job: number, of: Of): Promise<QuestionAnswers[Of]>;
};

/** An attempt that goes on in an executor elsewhere, as the process sees it that records the run. */
export class RemoteAttempt implements AttemptUnderWay {
  readonly begun = Promise.resolve();
  readonly end: Promise<GraphEnd>;
  readonly #ended = Promise.withResolvers<GraphEnd>();
  /** Writes with lists that are not stored yet, or whose outcomes the executor was not told. */
  #untold: { number: number; write: PlainWrite }[] = [];
  #text: string | undefined;

  constructor(
    readonly job: number,
    readonly runId: string,
    private readonly host: AttemptHost,
    private readonly line: Line,
  ) {
    this.end = this.#ended.promise;
    // It may be lost while nobody waits for it yet.
    this.end.catch(() => undefined);
  }

  stop(why: StopReason): void {
    this.line.send({ type: "stop", job: this.job, why });
  }

  openState(): Promise<OpenState> {
    return this.line.ask(this.job, "openState");
  }

  values(): string | Promise<string | undefined> {
    return this.#text ?? this.line.ask(this.job, "values").catch(() => undefined);
  }

  async lastValues(): Promise<string | undefined> {
    return this.#text ?? this.line.ask(this.job, "lastValues").catch(() => undefined);
  }

  close(verdict: RunVerdict | undefined): void {
    const { status, error } = verdict ?? {};
    this.line.send({
      type: "close",
      job: this.job,
      verdict: status === undefined ? undefined : { status, error },
    });
  }

  /** What the graph emitted and wrote goes to whoever records the run. */
  take(given: GraphOutput[]): void {
    for (const one of given) {
      if ("event" in one) this.host.emit(one.event, one.shown);
      else this.#write(one);
    }
    const outcomes = this.#outcomes();
    if (outcomes.length > 0) this.line.send({ type: "stored", job: this.job, outcomes });
  }

  /** Resolves when all that the executor wrote is committed; where its lists went. */
  async settle(): Promise<Outcome[]> {
    await this.host.settled();
    return this.#outcomes();
  }

  finish(end: GraphEnd): void {
    this.#text = end.text;
    this.#ended.resolve(end);
  }

  lose(lost: ExecutorLost): void {
    this.#ended.reject(lost);
  }

  #write({ write, number }: Extract<GraphOutput, { number: number }>): void {
    if (plansOf(write).length > 0) this.#untold.push({ write, number });
    // A failure stops the run by itself.
    this.host.write(write).catch(() => undefined);
  }

  /** Of the writes that are stored since the last look. */
  #outcomes(): Outcome[] {
    const stored = ({ write }: { write: PlainWrite }) =>
      plansOf(write).every(({ outcome }) => outcome !== undefined);
    const told = this.#untold.filter(stored);
    if (told.length === 0) return [];
    this.#untold = this.#untold.filter((one) => !stored(one));
    return told.map(({ write, number }) => ({ number, lists: plansOf(write).map(({ outcome }) => outcome) }));
  }
}
