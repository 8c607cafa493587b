import {
  type AttemptEnd,
  type ClaimedDelivery,
  type Database,
  EngineRuns,
  type Finding,
  type IssueRules,
  Issues,
  type NewSubscription,
  Outbox,
  type OutboxSettings,
  SecretBox,
  Subscriptions,
} from "@berth/store";
import type { Open } from "../every-store.ts";
import { HERE, startTraceStore, type TraceStore, traceStore } from "../traces/trace-store.ts";

export { ELSEWHERE, HERE } from "../traces/trace-store.ts";

export const OK: AttemptEnd = { outcome: "ok", retry: false, status: 200, durationMs: 5 };
export const DOWN: AttemptEnd = { outcome: "http", retry: true, status: 503, durationMs: 5 };
export const GONE: AttemptEnd = { outcome: "http", retry: false, status: 404, durationMs: 5 };

export const EVERYTHING = {
  url: "https://example.com/hook",
  severity_threshold: 3,
  event_types: ["issue.created", "issue.trace.added", "issue.agent_run.failed"],
};

export const RULES: IssueRules = {
  minTraces: 3,
  describe: ({ error_type, traces }) => ({ name: error_type, description: `${traces} runs`, severity: 1 }),
};

/** Everything that is remembered of issues and who hears of them, over a fresh database. */
export async function startIssueStore(open: Open, settings?: Partial<OutboxSettings>) {
  return issueStore(await startTraceStore(open), settings);
}

/** The same over a database that is open already. */
export async function issueStoreOver(db: Database, settings?: Partial<OutboxSettings>) {
  return issueStore(await traceStore(db), settings);
}

function issueStore(base: TraceStore, settings: Partial<OutboxSettings> = {}) {
  const { db, clock, session, run } = base;
  const box = new SecretBox("a passphrase");
  const backoff = (attempt: number) => [10_000, 60_000, 360_000][attempt - 1] ?? 0;
  const outbox = new Outbox(db, clock, box, { publicUrl: "https://berth.test", backoff, ...settings });
  const subscriptions = new Subscriptions(db, clock, box);
  const issues = new Issues(db, clock, outbox);
  const engineRuns = new EngineRuns(db, clock, outbox);
  const subscribe = async (wanted: Partial<NewSubscription> = {}, workspace = HERE) => {
    clock.advance(1);
    const { subscription } = await subscriptions.create(workspace, { ...EVERYTHING, ...wanted });
    return subscription.id;
  };
  /** A scan of these traces that finds the fingerprint in each. */
  const scan = async (traceIds: string[], found: Partial<Finding> = {}, rules: Partial<IssueRules> = {}) => {
    clock.advance(1);
    const claimed = await engineRuns.claim(session.id, { owner: "p", until: clock.now() + 1_000 });
    if (!claimed) throw new Error("somebody scans already");
    const findings = traceIds.map((id) => ({ ...FINDING, run_id: id, trace_id: id, ...found }));
    const scanned = (await base.traces.unscanned(session.id, 500)).map(({ trace }) => trace);
    const given = { hold: claimed.hold, findings, scanned };
    const recorded = await issues.recordFindings(session.id, given, { ...RULES, ...rules });
    await engineRuns.finish(claimed.hold);
    return recorded;
  };
  /** An issue that was opened for so many runs. */
  const opened = async (count = 3, found: Partial<Finding> = {}) => {
    const ids: string[] = [];
    for (let i = 0; i < count; i++) ids.push(await run({ status: "error" }));
    const { opened: all } = await scan(ids, found);
    const [issue] = all;
    if (!issue) throw new Error("no issue was opened");
    return { issue, traceIds: ids };
  };
  /** What waits or was sent, oldest first, as its receiver sees it. */
  const events = async (subscriptionId?: string) => {
    const all = await outbox.list(HERE, { subscriptionId }, { limit: 1_000, offset: 0 });
    return all.reverse().map(({ body }) => JSON.parse(body));
  };
  const claim = (owner = "worker", limits = { total: 64, perSubscription: 64 }) =>
    outbox.claim(owner, clock.now(), limits);
  /** Sends something once, with the end that a receiver would give it. */
  const send = async (delivery: ClaimedDelivery, end: AttemptEnd) =>
    (await outbox.began(delivery, clock.now())) && (await outbox.finish(delivery, end, clock.now()));
  return {
    ...base,
    box,
    outbox,
    subscriptions,
    issues,
    engineRuns,
    subscribe,
    scan,
    opened,
    events,
    claim,
    send,
  };
}

export type IssueStore = ReturnType<typeof issueStore>;

const FINDING = {
  fingerprint: "f1",
  version: 1,
  detector: "exception",
  error_type: "ToolError",
  node: "tools",
  tool: "search",
  message: "no answer from <url>",
  reason: "The tool search raised ToolError.",
};
