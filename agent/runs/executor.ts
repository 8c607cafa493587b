import type { CheckpointSink, Run } from "@berth/store";
import type { StopReason } from "./stop.ts";

/** One attempt of a run, as an executor is told of it. */
export type RunAttempt = {
  run: Run;
  /** The run has checkpoints of an earlier attempt: it goes on from the last one instead of its input. */
  resume: boolean;
  /** Where and as what this server speaks to the graph (`langgraph_api_url` …). */
  metadata: Record<string, unknown>;
};

/** An event of a run before the log gives it a number; `json` is one line. */
export type Emission = { name: string; json: string; tail?: number };

/** Where a graph under way puts its events and its checkpoints, in one order. */
export type AttemptHost = CheckpointSink & {
  /** @param shown its length for readers, where that is another than the log's */
  emit(event: Emission, shown?: number): void;
};

type WireError = { error: string; message: string };

/** What a client that waits for a run receives of it. */
export type ResultParts = "values" | "interrupts" | "values and interrupts";

/** What a graph came to, by itself or because it was stopped. */
export type GraphEnd = {
  /** What it threw, as clients see it. */
  thrown?: WireError | undefined;
  /** The same with its stack and its causes. For the log: clients are not told of them. */
  origin?: string | undefined;
  /** It was cancelled, and a node that does not heed that is still running. */
  nodeRuns?: boolean | undefined;
  /** Wire JSON; set where it stopped at an interrupt, `[]` at a breakpoint. */
  interrupts?: string | undefined;
  /** Set together with `interrupts`. */
  result?: ResultParts | undefined;
  /** Whether it brought the last values itself. */
  hasValues: boolean;
  /** Their JSON, where that was needed already. */
  text?: string | undefined;
};

/** What stands open at the last checkpoint of a thread; the interrupts are wire JSON. */
export type OpenState = { next: boolean; interrupts: string };

/** How an attempt ended for the database; undefined where another process goes on with the run. */
export type RunVerdict = { status: string; error?: WireError | undefined };

/** An attempt that an executor has taken. */
export interface AttemptUnderWay {
  /** Resolves when an executor has taken it: all of them may have to start first. */
  readonly begun: Promise<void>;
  /**
   * Resolves when the graph has ended, whatever came of it.
   * @throws whatever keeps the executor from going on with it
   */
  readonly end: Promise<GraphEnd>;
  /** Makes the graph stop: its abort signal fires, down to the model call. The first reason counts. */
  stop(why: StopReason): void;
  /** What stands open now, this attempt's own checkpoints included. */
  openState(): Promise<OpenState>;
  /** The JSON of the values that the graph brought; undefined where it brought none, or they are forgotten. */
  values(): string | undefined | Promise<string | undefined>;
  /** The JSON of those values, or else of what the thread holds now; undefined where that cannot be read. */
  lastValues(): Promise<string | undefined>;
  /** The end is in the database: the trace can be closed. */
  close(verdict: RunVerdict | undefined): void;
}

/** Whoever runs graphs: this process itself, or one of its threads. */
export interface Executor {
  /** Takes an attempt; what it emits and writes goes to `host`. */
  begin(attempt: RunAttempt, host: AttemptHost): AttemptUnderWay;
  /** Writes down what the traces of runs still hold. */
  flush(): Promise<void>;
}
