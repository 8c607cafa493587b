import {
  type Baseline,
  type EngineRuns,
  type GroupingRules,
  type IssueRules,
  type Issues,
  LeaseLost,
  type Traces,
  type Unreadable,
  type WholeTrace,
} from "@berth/store";
import { END, START, StateGraph, StateSchema, UntrackedValue } from "@langchain/langgraph";
import { z } from "zod";
import { detect } from "./detectors/index.ts";
import { grouped, isSameAsBefore, type Observed } from "./grouping.ts";
import { plainTrace } from "./plain-trace.ts";
import { describe } from "./texts.ts";
import type { Writer } from "./writer.ts";

/** Traces that are looked at together. */
const BATCH = 200;
/** Detectors let everybody else have a turn after this long. */
const TURN_MS = 8;
/** How long a scan stays with a process that gives no sign of life. */
export const SCAN_LEASE_MS = 60_000;
/** For this part of the time that a scan may take, it begins with more traces. */
const PART_OF_TIME = 0.5;
/** Of its batches, every so many-th learns anew what is usual. */
const BASELINE_BATCHES = 20;

export type ScanDeps = {
  traces: Traces;
  issues: Issues;
  rules: GroupingRules;
  runs: EngineRuns;
  writer: Writer;
  /** In real time, not the turned clock's: what a scan may take. */
  timeoutMs: number;
  minTraces: number;
  now: () => number;
  log: (event: string, fields: Record<string, unknown>) => void;
  /** Instead of the detectors: for tests of what becomes of a scan that fails. */
  detect?: typeof detect | undefined;
};

/** What a scan was asked for, and what it came to. The traces themselves are in no checkpoint. */
const State = new StateSchema({
  session_id: z.string(),
  engine_run_id: z.string(),
  /** By the clock of what is kept. */
  began_at: z.number().default(0),
  started_at: z.number().default(0),
  batches: z.number().default(0),
  scanned: z.number().default(0),
  findings: z.number().default(0),
  opened: z.number().default(0),
  linked: z.number().default(0),
  reopened: z.number().default(0),
  /** There were more traces than one scan has time for. */
  remaining: z.boolean().default(false),
  /** Traces that a detector could not look at, and the first reason. */
  faults: z.number().default(0),
  fault: z.string().default(""),
  /** Of this batch. */
  faulty: z.number().default(0),
  // Not there any more when another attempt goes on from a checkpoint.
  batch: new UntrackedValue<WholeTrace[] | undefined>(),
  found: new UntrackedValue<Observed[] | undefined>(),
  /** What could not even be read: left out, and counted. */
  skipped: new UntrackedValue<Unreadable[] | undefined>(),
  usual: new UntrackedValue<Baseline | undefined>(),
});

type Values = typeof State.State;
type Update = Partial<Values>;
type Config = { signal?: AbortSignal };

/**
 * The engine's own graph: one run scans the traces of one tracing project, some at a time.
 *
 *   load --nothing left--> finish
 *     \--> detect --> record --> load
 *
 * What it recorded before a crash stays; the next attempt goes on with what is not marked as scanned.
 */
export function scanGraph(deps: ScanDeps) {
  return new StateGraph(State)
    .addNode("load", (state) => load(deps, state))
    .addNode("detect", (state, config) => look(deps, state, config))
    .addNode("record", (state) => record(deps, state))
    .addNode("finish", (state) => finish(deps, state))
    .addEdge(START, "load")
    .addConditionalEdges(
      "load",
      ({ batch = [], skipped = [] }) => (batch.length + skipped.length === 0 ? "finish" : "detect"),
      ["detect", "finish"],
    )
    .addEdge("detect", "record")
    .addEdge("record", "load")
    .addEdge("finish", END)
    .compile();
}

async function load(deps: ScanDeps, state: Values): Promise<Update> {
  const { traces, runs, timeoutMs, now } = deps;
  if (!(await runs.renew(state.engine_run_id, { leaseMs: SCAN_LEASE_MS })))
    throw new LeaseLost(`engine run ${state.engine_run_id} is over`);
  const started_at = state.started_at || now();
  const skipped: Unreadable[] = [];
  const batch = await traces.unscanned(state.session_id, BATCH, (trace) => {
    skipped.push(trace);
    deps.log("engine.unreadable", { session_id: state.session_id, trace_id: trace.id, error: trace.error });
  });
  const isOver = batch.length + skipped.length === 0;
  const isLate = now() - started_at > timeoutMs * PART_OF_TIME;
  if (isLate || isOver) return { started_at, batch: [], skipped: [], remaining: isLate && !isOver };
  const [first] = batch;
  if (!first) return { started_at, batch, skipped };
  const kept = state.batches % BASELINE_BATCHES === 0 ? undefined : state.usual;
  const usual = kept ?? (await traces.baseline(state.session_id, first.trace.start_time));
  return { started_at, batch, skipped, usual, batches: state.batches + 1 };
}

/** A trace that a detector cannot read must not keep the others from being looked at: it is told at the end. */
async function look(deps: ScanDeps, state: Values, { signal }: Config): Promise<Update> {
  const found: Observed[] = [];
  const { batch = [], usual } = state;
  if (!usual) return { found };
  let faulty = 0;
  let { fault } = state;
  let turn = performance.now();
  for (const whole of batch) {
    signal?.throwIfAborted();
    try {
      found.push(...(deps.detect ?? detect)(plainTrace(whole), usual));
    } catch (error) {
      faulty += 1;
      fault ||= `trace ${whole.trace.id}: ${error instanceof Error ? error.message : String(error)}`;
    }
    if (performance.now() - turn > TURN_MS) {
      await new Promise<void>((resume) => setImmediate(resume));
      turn = performance.now();
    }
  }
  return { found, faulty, faults: state.faults + faulty, fault };
}

async function record(deps: ScanDeps, state: Values): Promise<Update> {
  const { engine_run_id: engineRunId, batch = [], found = [], skipped = [] } = state;
  const findings = await grouped(deps, state.session_id, found);
  const scan = {
    ...{ engineRunId, findings, unreadable: skipped.length + state.faulty },
    scanned: [...batch.map(({ trace }) => trace), ...skipped],
  };
  const { opened, linked, reopened } = await deps.issues.recordFindings(
    state.session_id,
    scan,
    rulesOf(deps, state),
  );
  return {
    scanned: state.scanned + scan.scanned.length,
    findings: state.findings + findings.length,
    opened: state.opened + opened.length,
    linked: state.linked + linked,
    reopened: state.reopened + reopened.length,
    batch: [],
    found: [],
    skipped: [],
    faulty: 0,
  };
}

/** How findings become issues in this scan. */
function rulesOf({ runs, writer, minTraces }: ScanDeps, { engine_run_id, began_at }: Values): IssueRules {
  return {
    minTraces,
    describe: async (group) => {
      // A model may take its time, for every issue.
      await runs.renew(engine_run_id, { leaseMs: SCAN_LEASE_MS });
      return writer.describe(group);
    },
    judge: describe,
    replaces: isSameAsBefore,
    judgedSince: began_at,
  };
}

async function finish(deps: ScanDeps, state: Values): Promise<Update> {
  // Also what nothing was added to: the more runs go well, the smaller is its part of them.
  if (state.scanned > 0) await deps.issues.judgeAgain(state.session_id, rulesOf(deps, state));
  if (state.faults > 0)
    throw new Error(`${state.faults} of the traces could not be looked at; the first: ${state.fault}`);
  await deps.runs.finish(state.engine_run_id);
  return {};
}
