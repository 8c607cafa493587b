import {
  type Baseline,
  type ClaimedScan,
  type GroupingRules,
  type IssueRules,
  type Issues,
  plainText,
  type Traces,
  Turns,
  type Unreadable,
  type WholeTrace,
} from "@berth/store";
import { detect } from "./detectors/index.ts";
import { grouped, isSameAsBefore, type Observed } from "./grouping.ts";
import { describe } from "./texts.ts";
import type { Writer } from "./writer.ts";

/** Traces that are looked at together. */
const BATCH = 200;
/** For this part of the time that a scan may take, it begins with more traces. */
const PART_OF_TIME = 0.5;
/** Of its batches, every so many-th learns anew what is usual. */
const BASELINE_BATCHES = 20;

export type ScanDeps = {
  traces: Traces;
  issues: Issues;
  rules: GroupingRules;
  writer: Writer;
  timeoutMs: number;
  minTraces: number;
  log: (event: string, fields: Record<string, unknown>) => void;
  /** Instead of the detectors: for tests of what becomes of a scan that fails. */
  detect?: typeof detect | undefined;
};

type Batch = { traces: WholeTrace[]; unreadable: Unreadable[] };
/** What was seen, and the traces that a detector could not look at. */
type Look = { found: Observed[]; faults: number; fault: string | undefined };

/**
 * One attempt of a scan: looks at the new traces of one tracing project, some at a time. What it recorded stays,
 * whatever becomes of it; the next attempt goes on with what is not marked as scanned.
 * @returns whether there were more traces than one scan has time for
 * @throws LeaseLost the scan is over, or another process has it now
 */
export async function scan(deps: ScanDeps, claimed: ClaimedScan, signal: AbortSignal): Promise<boolean> {
  const { session_id: sessionId } = claimed.run;
  const late = performance.now() + deps.timeoutMs * PART_OF_TIME;
  let { faults } = claimed;
  let fault = claimed.fault ?? undefined;
  let scanned = claimed.run.scanned;
  let remaining = false;
  let usual: Baseline | undefined;
  for (let batches = 0; ; ) {
    signal.throwIfAborted();
    const batch = await load(deps, sessionId);
    const size = batch.traces.length + batch.unreadable.length;
    remaining = size > 0 && performance.now() > late;
    if (size === 0 || remaining) break;
    const [first] = batch.traces;
    if (first) {
      if (batches % BASELINE_BATCHES === 0) usual = undefined;
      usual ??= await deps.traces.baseline(sessionId, first.trace.start_time);
      batches += 1;
    }
    const look = await lookAt(deps, batch, usual, signal);
    await record(deps, claimed, batch, look);
    scanned += size;
    faults += look.faults;
    fault ??= look.fault;
  }
  // Also what nothing was added to: the more runs go well, the smaller is its part of them.
  if (scanned > 0) await deps.issues.judgeAgain(sessionId, rulesOf(deps, claimed));
  if (faults > 0) throw new Error(`${faults} of the traces could not be looked at; the first: ${fault}`);
  return remaining;
}

async function load({ traces, log }: ScanDeps, sessionId: string): Promise<Batch> {
  const unreadable: Unreadable[] = [];
  const batch = await traces.unscanned(sessionId, BATCH, (trace) => {
    unreadable.push(trace);
    log("engine.unreadable", { session_id: sessionId, trace_id: trace.id, error: trace.error });
  });
  return { traces: batch, unreadable };
}

/** A trace that a detector cannot read must not keep the others from being looked at: it is told at the end. */
async function lookAt(
  deps: ScanDeps,
  { traces }: Batch,
  usual: Baseline | undefined,
  signal: AbortSignal,
): Promise<Look> {
  const look: Look = { found: [], faults: 0, fault: undefined };
  if (!usual) return look;
  const turns = new Turns();
  for (const whole of traces) {
    signal.throwIfAborted();
    try {
      look.found.push(...(deps.detect ?? detect)(plainTrace(whole), usual));
    } catch (error) {
      look.faults += 1;
      look.fault ??= `trace ${whole.trace.id}: ${error instanceof Error ? error.message : String(error)}`;
    }
    await turns.rest();
  }
  return look;
}

async function record(deps: ScanDeps, claimed: ClaimedScan, batch: Batch, look: Look): Promise<void> {
  const { session_id: sessionId } = claimed.run;
  const findings = await grouped(deps, sessionId, look.found);
  const { faults, fault } = look;
  const done = {
    ...{ hold: claimed.hold, findings, faults, fault, unreadable: batch.unreadable.length + faults },
    scanned: [...batch.traces.map(({ trace }) => trace), ...batch.unreadable],
  };
  await deps.issues.recordFindings(sessionId, done, rulesOf(deps, claimed));
}

/** How findings become issues in this scan. */
function rulesOf({ writer, minTraces }: ScanDeps, { run }: ClaimedScan): IssueRules {
  return {
    minTraces,
    describe: (group) => writer.describe(group),
    judge: describe,
    replaces: isSameAsBefore,
    judgedSince: run.started_at,
  };
}

/** A trace whose errors are as people see them: colours and overrides tell nothing of what failed. */
function plainTrace(whole: WholeTrace): WholeTrace {
  if (!whole.spans.some(({ error }) => error !== null)) return whole;
  const spans = whole.spans.map((span) =>
    span.error === null
      ? span
      : { ...span, error: { type: plainText(span.error.type), message: plainText(span.error.message) } },
  );
  return { ...whole, spans };
}
