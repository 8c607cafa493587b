import { EVENT_TYPES } from "@berth/store";
import { type TSchema, Type } from "@sinclair/typebox";
import { Dictionary, Instant, limitField, nullable, offsetField, oneOf, Uuid } from "../http/fields.ts";

/** The objects of traces, issues and webhooks as they are on the wire. */

export const SPAN_STATUSES = ["pending", "success", "error", "timeout", "interrupted", "cancelled"] as const;
export const DELIVERY_STATES = ["queued", "leased", "delivered", "dead", "cancelled"] as const;
export const ENGINE_RUN_STATUSES = ["running", "success", "error", "timeout"] as const;
export const ISSUE_STATUSES = ["open", "closed"] as const;
export const RESOLUTIONS = ["fixed", "wont_fix", "not_an_issue"] as const;

export const pageFields = {
  limit: limitField({ default: 20, maximum: 100 }),
  offset: offsetField(),
};
export const Severity = Type.Integer({
  minimum: 0,
  maximum: 3,
  description: "0 urgent, 1 high, 2 medium, 3 low.",
});
export const EventType = oneOf(EVENT_TYPES);

/** Part of a name or an error that is looked for. */
export const Part = Type.String({ minLength: 1, maxLength: 1_000 });

const listOf = (title: string, item: TSchema, more: Record<string, TSchema> = {}) =>
  Type.Object(
    {
      resources: Type.Array(item),
      offset: Type.Integer({ description: "What to send as `offset` to get the next page." }),
      ...more,
    },
    { $id: title },
  );

const Text = Type.String();
const Count = Type.Integer();
const SpanError = nullable(Type.Object({ type: Text, message: Text }));

export const SessionSchema = Type.Object(
  {
    id: Uuid,
    tenant_id: Uuid,
    name: Text,
    deployment_id: nullable(Uuid),
    served: Type.Boolean({ description: "It is that of the project which this Berth serves itself." }),
    created_at: Instant,
    updated_at: Instant,
    url: Type.String({ description: "Its page." }),
  },
  { $id: "Session" },
);
export const SessionsList = listOf("SessionsList", SessionSchema);

const traceFields = {
  id: Uuid,
  tenant_id: Uuid,
  session_id: Uuid,
  thread_id: nullable(Text),
  name: Text,
  status: oneOf(SPAN_STATUSES),
  start_time: Instant,
  end_time: nullable(Instant),
  latency_ms: nullable(Count),
  error: SpanError,
  input_tokens: Count,
  output_tokens: Count,
  total_tokens: Count,
  span_count: Count,
  dropped_spans: Type.Integer({ description: "Spans beyond the 1,000 that a trace keeps." }),
  dropped_bodies: Type.Integer({ description: "Spans whose inputs and outputs were too much." }),
  metadata: Dictionary,
  tags: Type.Array(Text),
  created_at: Instant,
  updated_at: Instant,
};
export const TraceSchema = Type.Object(traceFields, { $id: "Trace" });
export const TracesList = listOf("TracesList", TraceSchema, {
  next: nullable(Type.String({ description: "What to send as `cursor` to go on; null behind the last." })),
});

const SpanSchema = Type.Object(
  {
    id: Uuid,
    parent_id: nullable(Uuid),
    name: Text,
    run_type: Text,
    status: oneOf(SPAN_STATUSES),
    node: nullable(Text),
    start_time: Instant,
    first_token_time: nullable(Instant),
    end_time: nullable(Instant),
    error: SpanError,
    inputs: Type.Unknown(),
    outputs: Type.Unknown(),
    input_tokens: nullable(Count),
    output_tokens: nullable(Count),
    total_tokens: nullable(Count),
    metadata: Dictionary,
    tags: Type.Array(Text),
    dotted_order: Text,
  },
  { $id: "Span" },
);
const TraceFeedbackSchema = Type.Object(
  {
    id: Uuid,
    span_id: nullable(Uuid),
    key: Text,
    score: nullable(Type.Number()),
    value: Type.Unknown(),
    comment: nullable(Text),
    created_at: Instant,
    modified_at: Instant,
  },
  { $id: "TraceFeedback" },
);
export const WholeTraceSchema = Type.Object(
  { ...traceFields, spans: Type.Array(SpanSchema), feedback: Type.Array(TraceFeedbackSchema) },
  { $id: "WholeTrace" },
);

const FingerprintSchema = Type.Object(
  {
    fingerprint: Text,
    version: Count,
    detector: Text,
    error_type: Text,
    node: nullable(Text),
    tool: nullable(Text),
    message: Type.String({ description: "Without its variable parts." }),
    reason: Type.String({ description: "Why traces were put together, for people." }),
    thrown_at: nullable(Type.String({ description: "Where in the project's code: `load (src/load.ts)`." })),
    created_at: Instant,
  },
  { $id: "IssueFingerprint" },
);
const issueFields = {
  id: Uuid,
  tenant_id: Uuid,
  session_id: Uuid,
  name: Text,
  description: Text,
  cause: nullable(Type.String({ description: "What a model thinks is behind it." })),
  severity: Severity,
  severity_reason: Type.String({ description: "Why it is that severe, as it was judged last." }),
  severity_kept: Type.Boolean({ description: "Somebody chose it: the engine leaves it alone." }),
  text_kept: Type.Boolean(),
  status: oneOf(ISSUE_STATUSES),
  resolution: nullable(oneOf(RESOLUTIONS)),
  fixed_in_next_revision: Type.Boolean({
    description: "It is closed until a revision shows it that was not there when it was closed.",
  }),
  regressions: Type.Integer({ description: "How often it came back after it was fixed." }),
  regressed_at: nullable(Instant),
  merged_into: nullable(Uuid),
  muted_until: nullable(Instant),
  trace_count: Count,
  fingerprints: Type.Array(FingerprintSchema),
  first_seen_at: Instant,
  last_seen_at: Instant,
  created_at: Instant,
  updated_at: Instant,
  closed_at: nullable(Instant),
  url: Type.String({ description: "Its page." }),
};
export const IssueSchema = Type.Object(issueFields, { $id: "Issue" });

const RevisionName = nullable(
  Type.Object({ id: Text, number: nullable(Type.Integer({ description: "Of one of a deployment here." })) }),
);
const ShownBy = nullable(Type.Object({ trace_id: Uuid, run_id: Text, start_time: Instant, url: Text }));
export const IssueWithFigures = Type.Object(
  {
    ...issueFields,
    figures: Type.Object({
      runs: Type.Integer({
        description: "Runs of the project since the first that shows it; of very many, the newest 10,000.",
      }),
      shown: Type.Integer({ description: "How many of them show it." }),
      share: nullable(Type.Number({ description: "`shown / runs`; null where no run is left to count." })),
      handled: Type.Boolean({ description: "None of the newest twenty runs that show it failed." }),
      first_revision: RevisionName,
      last_revision: RevisionName,
      recent_trace: ShownBy,
      typical_trace: ShownBy,
    }),
  },
  { $id: "IssueWithFigures" },
);
export const IssueHistoryList = listOf(
  "IssueHistoryList",
  Type.Object({
    at: Instant,
    kind: oneOf([
      ...["opened", "closed", "reopened", "regressed", "merged", "split"],
      ...["muted", "unmuted", "severity", "worded"],
    ]),
    actor: oneOf(["engine", "person"]),
    by: nullable(
      Type.Object(
        { key_id: nullable(Text), name: Text },
        { description: "Whose key it was; null where it is not known." },
      ),
    ),
    detail: Type.Object({}, { additionalProperties: true, description: "What became of it, by `kind`." }),
  }),
);
export const IssuesList = listOf(
  "IssuesList",
  Type.Composite([
    IssueSchema,
    Type.Object({
      trend: Type.Optional(
        Type.Array(Count, {
          description: "Where it was asked for: traces in each hour or day, oldest first.",
        }),
      ),
    }),
  ]),
);

const FailureSchema = Type.Object(
  {
    fingerprint: Text,
    session_id: Uuid,
    detector: Text,
    error_type: Text,
    node: nullable(Text),
    tool: nullable(Text),
    message: Type.String({ description: "Without its variable parts." }),
    reason: Text,
    traces: Type.Integer({ description: "How many show it." }),
    trace_id: Type.String({ description: "The newest of them." }),
    run_id: Type.String({ description: "The span of it that shows it." }),
    first_seen_at: Instant,
    last_seen_at: Instant,
  },
  { $id: "Failure" },
);
export const FailuresList = listOf("FailuresList", FailureSchema, {
  total: Type.Integer({ description: "How many there are, on all pages." }),
  failed_runs: Type.Integer({
    description: "Runs that failed; at most 5,000 with an error and 5,000 that ran out of time.",
  }),
  failed_runs_without_issue: Type.Integer({ description: "How many of those no issue has." }),
});

const IssueTraceSchema = Type.Object(
  {
    trace_id: Uuid,
    run_id: Type.String({ description: "The span that shows it." }),
    thread_id: nullable(Text),
    fingerprint: Text,
    comment: nullable(Text),
    start_time: Instant,
    linked_at: Instant,
    revision_id: nullable(Type.String({ description: "The revision that the run was on." })),
  },
  { $id: "IssueTrace" },
);
export const IssueTracesList = listOf("IssueTracesList", IssueTraceSchema);
export const OccurrencesList = Type.Object(
  {
    resources: Type.Array(
      Type.Object({
        at: Instant,
        traces: Count,
        revision_id: Type.Optional(
          nullable(Type.String({ description: "`revision_id` in the metadata of the runs." })),
        ),
        revision_number: Type.Optional(nullable(Count)),
        runs: Type.Optional(Count),
      }),
    ),
  },
  { $id: "OccurrencesList" },
);

const subscriptionFields = {
  id: Uuid,
  session_id: nullable(Uuid),
  url: Type.Optional(Text),
  channel: Type.Optional(Text),
  severity_threshold: Severity,
  event_types: Type.Array(EventType),
  headers: Type.Record(Text, Type.String({ description: "`********`" })),
  state: oneOf(["active", "failing", "disabled"]),
  notice: nullable(Type.String({ description: "Why it is disabled." })),
  created_at: Instant,
  updated_at: Instant,
};
export const SubscriptionSchema = Type.Object(subscriptionFields, { $id: "IssueWebhook" });
export const SubscriptionsList = listOf("IssueWebhooksList", SubscriptionSchema);
export const MissedSchema = Type.Object(
  {
    dead: Type.Integer({ description: "Given up; at most the newest 10,000 are counted." }),
    cancelled: Type.Integer({ description: "Not sent while it was disabled; the same." }),
    since: nullable(Instant),
    until: nullable(Instant),
  },
  { $id: "MissedDeliveries" },
);
export const SubscriptionWithSecret = Type.Object(
  {
    ...subscriptionFields,
    secret: Type.Optional(Type.String({ description: "Shown this once; none for a channel." })),
  },
  { $id: "IssueWebhookWithSecret" },
);

const deliveryFields = {
  id: Type.String({ format: "uuid", description: "The `id` of the event." }),
  subscription_id: nullable(Uuid),
  url: nullable(Type.String({ description: "Where it goes without a subscription." })),
  type: Text,
  request_id: Uuid,
  session_id: nullable(Uuid),
  issue_id: nullable(Uuid),
  test: Type.Boolean(),
  state: oneOf(DELIVERY_STATES),
  reason: nullable(Type.String({ description: "Why it is dead or cancelled." })),
  due_at: Instant,
  attempt_count: Type.Integer({ description: "Attempts that count, at most four." }),
  try_count: Type.Integer({ description: "All attempts, those that somebody asked for too." }),
  manual: Type.Boolean(),
  created_at: Instant,
  updated_at: Instant,
};
export const DeliverySchema = Type.Object(deliveryFields, { $id: "Delivery" });
export const DeliveriesList = listOf("DeliveriesList", DeliverySchema);
const AttemptSchema = Type.Object(
  {
    number: Count,
    manual: Type.Boolean(),
    target: Type.String({ description: "Host and port, or the channel." }),
    started_at: Instant,
    outcome: nullable(Text),
    status: nullable(Count),
    duration_ms: nullable(Count),
    error: nullable(Text),
    request_headers: nullable(Type.Record(Text, Text)),
    response: nullable(Text),
    late: Type.Boolean(),
  },
  { $id: "DeliveryAttempt" },
);
export const WholeDelivery = Type.Object(
  {
    ...deliveryFields,
    body: Type.String({ description: "What is sent, as it is sent." }),
    attempts: Type.Array(AttemptSchema),
  },
  { $id: "WholeDelivery" },
);

export const EngineRunSchema = Type.Object(
  {
    id: Uuid,
    tenant_id: Uuid,
    session_id: Uuid,
    thread_id: Text,
    run_id: nullable(Text),
    status: oneOf(ENGINE_RUN_STATUSES),
    error_message: nullable(Text),
    scanned: Type.Integer({ description: "Traces that it looked at." }),
    findings: Count,
    opened: Count,
    linked: Count,
    reopened: Count,
    unreadable: Type.Integer({ description: "Of those, traces that could not be read: they are left out." }),
    started_at: Instant,
    ended_at: nullable(Instant),
  },
  { $id: "EngineRun" },
);
export const EngineRunsList = listOf("EngineRunsList", EngineRunSchema);
