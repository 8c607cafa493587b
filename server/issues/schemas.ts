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
    created_at: Instant,
  },
  { $id: "IssueFingerprint" },
);
export const IssueSchema = Type.Object(
  {
    id: Uuid,
    tenant_id: Uuid,
    session_id: Uuid,
    name: Text,
    description: Text,
    cause: nullable(Type.String({ description: "What a model thinks is behind it." })),
    severity: Severity,
    severity_kept: Type.Boolean({ description: "Somebody chose it: the engine leaves it alone." }),
    text_kept: Type.Boolean(),
    status: oneOf(ISSUE_STATUSES),
    resolution: nullable(oneOf(RESOLUTIONS)),
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
  },
  { $id: "Issue" },
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

const IssueTraceSchema = Type.Object(
  {
    trace_id: Uuid,
    run_id: Type.String({ description: "The span that shows it." }),
    thread_id: nullable(Text),
    fingerprint: Text,
    comment: nullable(Text),
    start_time: Instant,
    linked_at: Instant,
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
    started_at: Instant,
    ended_at: nullable(Instant),
  },
  { $id: "EngineRun" },
);
export const EngineRunsList = listOf("EngineRunsList", EngineRunSchema);
