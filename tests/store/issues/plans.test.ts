import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { type Database, EngineRuns, Issues, Outbox, openDatabase, Subscriptions } from "@berth/store";
import { temporaryFolder } from "../every-store.ts";
import { allPlans } from "../query-plan.ts";
import { HERE, type IssueStore, issueStoreOver } from "./issue-store.ts";

const page = { limit: 20, offset: 40 };
const DAY = 86_400_000;

describe("by index is looked up, however many there are,", () => {
  const folder = temporaryFolder();
  let db: Database;
  let store: IssueStore;
  let issue: string;
  let trace: string;
  let subscription: string;

  beforeAll(async () => {
    db = await openDatabase(`sqlite:${join(folder, "berth.db")}`);
    store = await issueStoreOver(db);
    subscription = await store.subscribe();
    const { issue: opened, traceIds } = await store.opened();
    issue = opened.id;
    trace = traceIds[0] ?? "";
  });

  afterAll(async () => {
    await db.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const reads: [string, string, (store: IssueStore) => Promise<unknown>][] = [
    [
      "a page of issues",
      "issues_created",
      ({ issues }) => issues.list(HERE, { status: "open", muted: false }, page),
    ],
    [
      "issues of a project",
      "issues_session",
      ({ issues, session }) => issues.list(HERE, { sessionId: session.id }, page),
    ],
    ["an issue", "issue_fingerprints_issue", ({ issues }) => issues.get(HERE, issue)],
    ["traces of an issue", "issue_traces_start", ({ issues }) => issues.traces(HERE, issue, page)],
    ["how often it was seen", "issue_traces_start", ({ issues }) => issues.occurrences(HERE, issue, "day")],
    ["what no issue has", "findings_waiting", ({ issues }) => issues.waiting(HERE, page)],
    [
      "failed runs of a project that no issue has",
      "traces_session_status",
      ({ issues, session }) => issues.waiting(HERE, { ...page, sessionId: session.id, q: "x" }),
    ],
    ["what became of an issue", "issue_history_issue", ({ issues }) => issues.history(HERE, issue, page)],
    ["its first and last revision", "issue_traces_revision", ({ issues }) => issues.figures(HERE, issue)],
    ["what it is a part of", "traces_session", ({ issues }) => issues.figures(HERE, issue)],
    ["what is old", "findings_old", ({ issues }) => issues.sweep(14 * DAY)],
    ["old links", "issue_traces_old", ({ issues }) => issues.sweep(14 * DAY)],
    ["old scans", "engine_runs_old", ({ issues }) => issues.sweep(14 * DAY)],
    ["scans that were left behind", "engine_runs_running", ({ engineRuns }) => engineRuns.lapsed()],
    ["a page of scans", "engine_runs_started", ({ engineRuns }) => engineRuns.list(HERE, {}, page)],
    [
      "scans of a project",
      "engine_runs_session",
      ({ engineRuns, session }) => engineRuns.list(HERE, { sessionId: session.id }, page),
    ],
    [
      "a page of subscriptions",
      "subscriptions_created",
      ({ subscriptions }) => subscriptions.list(HERE, {}, page),
    ],
    ["a page of deliveries", "deliveries_created", ({ outbox }) => outbox.list(HERE, {}, page)],
    ["deliveries of a state", "deliveries_state", ({ outbox }) => outbox.list(HERE, { state: "dead" }, page)],
    [
      "deliveries to a subscription",
      "deliveries_subscription",
      ({ outbox }) => outbox.list(HERE, { subscriptionId: subscription }, page),
    ],
    [
      "deliveries about an issue",
      "deliveries_issue",
      ({ outbox }) => outbox.list(HERE, { issueId: issue }, page),
    ],
    ["the next one", "deliveries_due", ({ outbox }) => outbox.nextDue()],
    ["how much waits", "deliveries_due", ({ outbox }) => outbox.depth(0)],
    ["leases that are over", "deliveries_leased", ({ outbox }) => outbox.reap(0)],
    ["deliveries to forget", "deliveries_over", ({ outbox }) => outbox.sweep(0)],
    [
      "what is due",
      "deliveries_lane",
      ({ outbox }) => outbox.claim("a", 1e15, { total: 9, perSubscription: 9 }),
    ],
    ["what failed", "deliveries_state", ({ outbox }) => outbox.redeliverRange(HERE, { since: 0, until: 1 })],
    ["what did not arrive", "deliveries_state", ({ outbox }) => outbox.missed(HERE, subscription)],
    [
      "what a fingerprint is known for",
      "findings_seen",
      async ({ issues, engineRuns, session }) => {
        const claimed = await engineRuns.claim(session.id, { owner: "p", until: 1e15 });
        const hold = claimed?.hold ?? { id: "", owner: "", attempt: 0 };
        const finding = {
          fingerprint: "f9",
          version: 1,
          detector: "d",
          error_type: "E",
          node: null,
          tool: null,
        };
        const found = { ...finding, message: "m", reason: "r", run_id: trace, trace_id: trace };
        const rules = {
          minTraces: 1,
          describe: () => ({ name: "n", description: "d", severity: 1 }),
          severity: () => 1,
        };
        await issues.recordFindings(session.id, { hold, findings: [found], scanned: [] }, rules);
        await engineRuns.finish(hold);
      },
    ],
  ];

  test.each(reads)("%s", async (_, index, read) => {
    const found = await allPlans(db, async (recorded) => {
      const { clock, box } = store;
      const outbox = new Outbox(recorded, clock, box, store.outbox.settings);
      await read({
        ...store,
        outbox,
        issues: new Issues(recorded, clock, outbox),
        engineRuns: new EngineRuns(recorded, clock, outbox),
        subscriptions: new Subscriptions(recorded, clock, box),
      });
    });
    const lines = found.flat().join("\n");
    expect(lines).toContain(index);
    // To go through an index of nothing but what waits, is leased or runs, is not to scan; nor is to go through its lanes.
    expect(lines).not.toMatch(
      /SCAN (?!\w+ USING (COVERING )?INDEX (?:deliveries_(?:leased|due)|engine_runs_running)\b|lanes\b|CONSTANT|newest)/,
    );
    // What is counted is sorted by what it is counted for.
    expect(lines).not.toMatch(/TEMP B-TREE FOR (?!GROUP BY|count)/);
  });
});
