import {
  booleanTexts,
  limitTexts,
  noList,
  noObject,
  noText,
  noUuid,
  noWord,
  offsetTexts,
  type RouteRow,
} from "./bad-input-wrong.ts";

const UNKNOWN_ID = "01920000-0000-7000-8000-000000000000";
const noTime = ["yesterday", 1, {}, "2026-13-01T00:00:00Z"];
const timeTexts = ["yesterday", "2026-13-01T00:00:00Z", "1"];
const idTexts = ["a", "1"];
const wordTexts = ["something else"];
const numberTexts = ["-1", "1.5", "ten"];
const longText = ["x".repeat(1_001)];
const page = { limit: [...limitTexts, "101"], offset: offsetTexts };
const severity = [-1, 4, 1.5, "high", {}, []];

const noPrice = [-1, "1", {}, [], 1_000_001];
const figures = {
  range: wordTexts,
  from: timeTexts,
  to: timeTexts,
  session_id: idTexts,
  deployment_id: idTexts,
  revision_id: ["x".repeat(201)],
  assistant_id: ["x".repeat(201)],
  model: ["x".repeat(201)],
  group_by: wordTexts,
};

const change = {
  severity_threshold: severity,
  event_types: [...noList, [], ["issue.closed"], [1]],
  headers: [...noObject, { "X-A": 1 }, { "Content-Type": "text/plain" }, { "a b": "c" }, { "X-A": "a\nb" }],
  session_id: noUuid,
};

const traceSearch = {
  q: longText,
  session_id: idTexts,
  thread_id: longText,
  status: wordTexts,
  name: longText,
  error: longText,
  from: timeTexts,
  to: timeTexts,
  min_latency_ms: numberTexts,
  max_latency_ms: numberTexts,
  tag: longText,
  min_tokens: numberTexts,
  min_cost: ["x", "-1"],
  feedback_key: ["x".repeat(201)],
  min_score: ["x"],
  max_score: ["x"],
  sort: wordTexts,
};

/** Nothing of them is there, and no address is looked up: a channel is none. */
export const ISSUE_ROUTES: RouteRow[] = [
  {
    route: "GET /v1/sessions",
    query: { name: longText, name_contains: longText, deployment_id: idTexts, served: booleanTexts, ...page },
    known: 200,
  },
  { route: "GET /v1/sessions/{session_id}", known: 404 },
  { route: "DELETE /v1/sessions/{session_id}", known: 404 },
  { route: "GET /v1/sessions/{session_id}/grouping", known: 404 },
  {
    route: "PUT /v1/sessions/{session_id}/grouping",
    body: { rules: [{ match: { message: "x*" }, key: "k" }] },
    wrong: { rules: [...noList, [1], [{}], [{ match: {}, key: "k" }], [{ match: { node: 1 }, key: "k" }]] },
    known: 404,
  },
  {
    route: "GET /v1/traces",
    query: {
      ...traceSearch,
      cursor: ["x".repeat(501)],
      ...page,
    },
    known: 200,
  },
  { route: "GET /v1/traces/export", query: { ...traceSearch, format: wordTexts }, known: 200 },
  { route: "GET /v1/traces/{trace_id}", known: 404 },
  {
    route: "PATCH /v1/traces/{trace_id}",
    body: { tags: ["good"] },
    wrong: { tags: [null, "x", [1], [""], ["x".repeat(201)], ["a", "a"], Array(51).fill("x")] },
    known: 404,
  },
  { route: "DELETE /v1/traces/{trace_id}", known: 404 },

  { route: "GET /v1/figures", query: figures, known: 200 },
  { route: "GET /v1/figures/csv", query: figures, known: 200 },
  { route: "GET /v1/model-prices", known: 200 },
  {
    route: "PUT /v1/model-prices",
    // A name of nothing but spaces is none.
    body: { model: " ", input: 1, output: 2 },
    wrong: {
      model: [...noText, "", "x".repeat(201)],
      since: noTime,
      ...{ input: noPrice, output: noPrice, cache_read: noPrice, cache_write: noPrice },
    },
    known: 400,
  },
  { route: "DELETE /v1/model-prices/{price_id}", known: 404 },

  { route: "GET /v1/failures", query: { session_id: idTexts, q: longText, ...page }, known: 200 },
  {
    route: "GET /v1/issues",
    query: {
      session_id: idTexts,
      trace_id: idTexts,
      status: wordTexts,
      severity: ["-1", "4"],
      muted: booleanTexts,
      order: wordTexts,
      trend: wordTexts,
      ...page,
    },
    known: 200,
  },
  { route: "GET /v1/issues/{issue_id}", known: 404 },
  {
    route: "PATCH /v1/issues/{issue_id}",
    body: {},
    wrong: { name: [...noText, ""], description: noText, severity },
    known: 404,
  },
  { route: "GET /v1/issues/{issue_id}/traces", query: page, known: 404 },
  { route: "GET /v1/issues/{issue_id}/history", query: page, known: 404 },
  { route: "GET /v1/issues/{issue_id}/occurrences", query: { by: ["week"] }, known: 404 },
  {
    route: "POST /v1/issues/{issue_id}/merge",
    body: { into: UNKNOWN_ID },
    wrong: { into: noUuid },
    known: 404,
  },
  {
    route: "POST /v1/issues/{issue_id}/split",
    body: { fingerprints: ["a"] },
    wrong: {
      fingerprints: [...noList, [], [1], null],
      trace_ids: [...noList, [], ["a"]],
      name: [...noText, ""],
      description: noText,
    },
    known: 404,
  },
  {
    route: "POST /v1/issues/{issue_id}/close",
    body: { resolution: "fixed" },
    wrong: { resolution: noWord, in_next_revision: ["yes", 1, {}] },
    known: 404,
  },
  { route: "POST /v1/issues/{issue_id}/reopen", body: {}, optional: true, known: 404 },
  {
    route: "POST /v1/issues/{issue_id}/mute",
    body: {},
    optional: true,
    wrong: { until: [...noTime, "2001-01-01T00:00:00Z"] },
    known: 404,
  },
  { route: "POST /v1/issues/{issue_id}/unmute", body: {}, optional: true, known: 404 },

  { route: "GET /v1/issue-webhooks", query: { session_id: idTexts, ...page }, known: 200 },
  {
    route: "POST /v1/issue-webhooks",
    body: { channel: "#agents", severity_threshold: 3, session_id: UNKNOWN_ID },
    wrong: {
      ...change,
      url: [...noText, "http://example.com", "ftp://example.com"],
      channel: [...noText, "", " #a", "http://10.0.0.1/hook"],
      secret: [...noText, "too short", "a secret that a channel cannot have"],
    },
    known: 404,
  },
  { route: "GET /v1/issue-webhooks/{webhook_id}", known: 404 },
  { route: "GET /v1/issue-webhooks/{webhook_id}/missed", known: 404 },
  {
    route: "PATCH /v1/issue-webhooks/{webhook_id}",
    body: {},
    wrong: {
      severity_threshold: severity,
      event_types: change.event_types,
      headers: [...noObject, { "X-A": 1 }],
      session_id: noUuid,
      url: noText,
      channel: [...noText, ""],
      secret: ["a secret of more than 24 bytes", 1],
    },
    known: 404,
  },
  { route: "DELETE /v1/issue-webhooks/{webhook_id}", known: 404 },
  {
    route: "POST /v1/issue-webhooks/{webhook_id}/roll",
    body: {},
    optional: true,
    wrong: { secret: [...noText, "too short"] },
    known: 404,
  },
  { route: "POST /v1/issue-webhooks/{webhook_id}/test", body: {}, optional: true, known: 404 },
  { route: "POST /v1/issue-webhooks/{webhook_id}/enable", body: {}, optional: true, known: 404 },
  { route: "POST /v1/issue-webhooks/{webhook_id}/disable", body: {}, optional: true, known: 404 },

  {
    route: "GET /v1/deliveries",
    query: {
      subscription_id: idTexts,
      issue_id: idTexts,
      state: wordTexts,
      type: ["x".repeat(101)],
      ...page,
    },
    known: 200,
  },
  { route: "GET /v1/deliveries/{delivery_id}", known: 404 },
  { route: "POST /v1/deliveries/{delivery_id}/redeliver", body: {}, optional: true, known: 404 },
  {
    route: "POST /v1/deliveries/redeliver",
    body: { since: "2026-01-01T00:00:00Z" },
    wrong: { since: noTime, until: noTime, status: noWord, subscription_id: noUuid },
    known: 202,
  },

  {
    route: "GET /v1/engine/runs",
    query: { session_id: idTexts, status: wordTexts, ...page },
    known: 200,
  },
  { route: "GET /v1/engine/runs/{engine_run_id}", known: 404 },
  {
    route: "POST /v1/engine/scan",
    body: { session_id: UNKNOWN_ID },
    optional: true,
    wrong: { session_id: noUuid },
    known: 404,
  },
];
