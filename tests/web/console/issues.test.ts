import { describe, expect, test } from "bun:test";
import type { EngineRun, Issue, Subscription } from "@berth/server";
import { muteOf } from "../../../web/console/issue.tsx";
import { listPath } from "../../../web/console/issues/issue-list.tsx";
import { whatIsTold } from "../../../web/console/issues/issue-screen.tsx";
import { withMarks } from "../../../web/console/issues/occurrences.tsx";
import { tellOf } from "../../../web/console/issues/scan-list.tsx";

const NOW = Date.parse("2026-11-22T06:00:00Z");
const issue: Issue = {
  ...{
    id: "i",
    tenant_id: "t",
    url: "",
    updated_at: "",
    session_id: "s",
    name: "it fails",
    description: "",
    cause: null,
  },
  ...{ severity: 1, severity_kept: false, text_kept: false, status: "open", resolution: null },
  ...{ severity_reason: "", fixed_in_next_revision: false, regressions: 0, regressed_at: null },
  ...{ merged_into: null, muted_until: null, trace_count: 3, fingerprints: [] },
  ...{ first_seen_at: "", last_seen_at: "", created_at: "", closed_at: null },
};
const all: Subscription = {
  ...{ id: "w", session_id: null, url: "https://a.test", severity_threshold: 3, headers: {} },
  ...{ event_types: ["issue.created", "issue.trace.added"], state: "active", notice: null },
  ...{ created_at: "", updated_at: "" },
};

describe("a webhook hears of an issue", () => {
  const muted_until = "2026-11-22T07:00:00Z";
  test.each<[string, Partial<Subscription>, Partial<Issue>]>([
    ["every new trace", {}, {}],
    ["every new trace", { severity_threshold: 1 }, {}],
    ["every new trace", {}, { muted_until: "2026-11-22T05:00:00Z" }],
    ["every new trace", {}, { status: "closed", resolution: "fixed" }],
    ["The issue is high. It asks for urgent.", { severity_threshold: 0 }, {}],
    ["The issue is low. It asks for medium or worse.", { severity_threshold: 2 }, { severity: 3 }],
    ["another project", { session_id: "other" }, {}],
    ["when an issue opens", { event_types: ["issue.created"] }, {}],
    ["other events", { event_types: ["issue.agent_run.failed"] }, {}],
    ["disabled", { state: "disabled", severity_threshold: 0 }, {}],
    ["muted", {}, { muted_until }],
    [
      "fixed in the next revision",
      {},
      { status: "closed", resolution: "fixed", fixed_in_next_revision: true },
    ],
    ["closed for good", {}, { status: "closed", resolution: "wont_fix" }],
  ])("or not, and says why: %s", (words, subscription, of) => {
    const told = whatIsTold({ ...all, ...subscription }, { ...issue, ...of }, NOW);
    expect(told.words).toContain(words);
    expect(told.hears).toBe(words === "every new trace");
  });
});

test("an issue is muted for a time or for good", () => {
  const mute = (muted_until: string | null) => muteOf({ muted_until }, NOW);
  expect([mute(null), mute("2026-11-22T05:59:59Z"), mute("2026-11-23T00:00:00Z")]).toEqual([
    "no",
    "no",
    "until",
  ]);
  expect(mute("9999-12-31T23:59:59.999Z")).toBe("for good");
});

test("a revision is marked where its first run was, as far as that is shown", () => {
  const counts = ["04", "05", "06"].map((hour) => ({ at: `2026-11-22T${hour}:00:00.000Z`, traces: 1 }));
  const of = (number: number, at: string) => ({
    ...{ at, traces: 0, runs: 1, revision_id: `r${number}`, revision_number: number },
  });
  const revisions = [
    of(1, "2026-11-20T00:00:00Z"),
    of(2, "2026-11-22T05:00:00Z"),
    of(3, "2026-11-22T05:59:00Z"),
    of(4, "2026-11-22T07:00:00Z"),
  ];
  expect(withMarks(counts, revisions).map(({ mark }) => mark)).toEqual([
    undefined,
    "Revision 2, Revision 3",
    undefined,
  ]);
});

test("the list shows open issues, the most severe first, until the address says otherwise", () => {
  const path = (query: string) => {
    const values = new URLSearchParams(query);
    return listPath((name) => values.get(name) ?? "");
  };
  expect(path("")).toBe("/v1/issues?status=open&order=severity&trend=hour");
  expect(path("status=all&severity=0&order=trace_count")).toBe(
    "/v1/issues?severity=0&order=trace_count&trend=hour",
  );
});

test("a scan is told in a line", () => {
  const scan: EngineRun = {
    ...{
      id: "e",
      tenant_id: "t",
      thread_id: "h",
      run_id: null,
      session_id: "s",
      status: "success",
      error_message: null,
      started_at: "",
      ended_at: null,
    },
    ...{ scanned: 7, findings: 3, opened: 1, linked: 3, reopened: 0, unreadable: 0 },
  };
  expect(tellOf([scan]).text).toBe("Scanned 7 traces, opened 1 issue, linked 3 traces");
  expect(tellOf([]).text).toBe("Nothing new to scan");
  expect(tellOf([scan, { ...scan, status: "timeout", error_message: "took too long" }])).toEqual({
    text: "A scan failed: took too long",
    look: "negative",
  });
});
