import {
  BadRequest,
  DEFAULT_PRICES_DATE,
  FIGURE_GROUPS,
  type FoundFigures,
  LONGEST_RANGE_MS,
  type RunValues,
  stepFor,
} from "@berth/store";
import { Type } from "@sinclair/typebox";
import { issueApi } from "../access/index.ts";
import {
  csv,
  Instant,
  isoTime,
  json,
  momentOf,
  type Operation,
  oneOf,
  operation,
  Uuid,
  workspaceOf,
} from "../http/index.ts";
import type { IssueRoutesDeps } from "./deps.ts";
import { ShownRunFigures, shownRunFigures } from "./wire/index.ts";

type Deps = Pick<IssueRoutesDeps, "figures" | "modelPrices" | "sessions" | "now">;

const HOUR_MS = 3_600_000;
const RANGES = { "1h": 1, "6h": 6, "24h": 24, "7d": 168, "30d": 720, "90d": 2_160, "1y": 8_760 } as const;
const RANGE_NAMES = ["1h", "6h", "24h", "7d", "30d", "90d", "1y"] as const;

/** `/v1/figures`: what runs did over time. */
export const figureRoutes = (deps: Deps): Operation[] => [getFigures(deps), getFiguresCsv(deps)];

const Key = Type.String({ maxLength: 200 });
const common = {
  method: "GET",
  access: issueApi,
  bodyLimit: "none",
  tag: "Figures",
  query: Type.Object({
    range: oneOf(RANGE_NAMES, { default: "24h" }),
    from: Type.Optional(
      Type.String({ format: "date-time", description: "Instead of `range`; at most 400 days before `to`." }),
    ),
    to: Type.Optional(Instant),
    session_id: Type.Optional(Uuid),
    deployment_id: Type.Optional(Uuid),
    revision_id: Type.Optional(Key),
    assistant_id: Type.Optional(Key),
    model: Type.Optional(
      Type.String({
        maxLength: 200,
        description: "Only calls of this model; latency and errors are those of the calls.",
      }),
    ),
    group_by: Type.Optional(oneOf(FIGURE_GROUPS)),
  }),
} as const;

const getFigures = (deps: Deps) =>
  operation(
    {
      ...common,
      path: "/v1/figures",
      summary: "Get what runs did over time",
      description:
        "Runs, errors, latency, time to the first token, tokens and cost of the runs that began in the range and have ended. They are runs of the project that this Berth serves, of deployments, and of programs that report here. Berth adds them up while it writes their traces, by minute (kept for 2 days), hour (42 days) and day (400 days). So a year takes as little time as an hour.",
      answers: {
        200: { description: "The figures", schema: ShownRunFigures },
        400: "The range is empty or too long",
      },
    },
    async ({ query, caller }) => {
      const workspaceId = workspaceOf(caller);
      const { found, names, sessionIds } = await read(deps, workspaceId, query);
      const running = await deps.figures.running(workspaceId, sessionIds);
      return json(shownRunFigures(found, { names, running, pricesDate: DEFAULT_PRICES_DATE }));
    },
  );

const getFiguresCsv = (deps: Deps) =>
  operation(
    {
      ...common,
      path: "/v1/figures/csv",
      summary: "Get what runs did over time as CSV",
      description:
        "One row for each bucket. With `group_by`, one row for each bucket of each group; at most 100 groups.",
      answers: {
        200: { description: "The table", mediaType: "text/csv" },
        400: "The range is empty or too long",
      },
    },
    async ({ query, caller }) => {
      const { found, names } = await read(deps, workspaceOf(caller), { ...query, series: Infinity });
      const day = isoTime(found.from).slice(0, 10);
      if (!query.group_by) return csv(`figures-${day}.csv`, ["start", ...COLUMNS], rowsOf(found.buckets));
      const columns = ["start", query.group_by, "name", ...COLUMNS];
      return csv(`figures-${day}-by-${query.group_by}.csv`, columns, groupRows(found, names));
    },
  );

type Query = {
  range: (typeof RANGE_NAMES)[number];
  from?: string;
  to?: string;
  session_id?: string;
  deployment_id?: string;
  revision_id?: string;
  assistant_id?: string;
  model?: string;
  group_by?: (typeof FIGURE_GROUPS)[number];
  series?: number;
};

async function read({ figures, modelPrices, sessions, now }: Deps, workspaceId: string, query: Query) {
  const to = momentOf("query", "to", query.to) ?? now();
  const from = momentOf("query", "from", query.from) ?? to - RANGES[query.range] * HOUR_MS;
  if (from >= to) throw new BadRequest("The range is empty: from has to be before to.");
  if (to - from > LONGEST_RANGE_MS) throw new BadRequest("The range is too long: 400 days at most.");
  const { group_by: by, session_id, deployment_id } = query;
  const sessionIds = await sessionsOf(sessions, workspaceId, session_id, deployment_id);
  const found = await figures.read(
    workspaceId,
    {
      ...{ from, to, by, model: query.model, series: query.series },
      stepMs: stepFor(from, to, now()),
      sessionIds,
      revisionId: query.revision_id,
      assistantId: query.assistant_id,
    },
    await modelPrices.book(workspaceId),
  );
  const keys = found.groups.map(({ key }) => key);
  return { found, sessionIds, names: by ? await figures.names(workspaceId, by, keys) : new Map() };
}

/** The tracing projects that are meant; undefined for all. */
async function sessionsOf(
  sessions: Deps["sessions"],
  workspaceId: string,
  sessionId: string | undefined,
  deploymentId: string | undefined,
): Promise<string[] | undefined> {
  if (deploymentId === undefined) return sessionId === undefined ? undefined : [sessionId.toLowerCase()];
  const found = await sessions.list(workspaceId, { deploymentId }, { limit: 100, offset: 0 });
  const ids = found.map(({ id }) => id).filter((id) => sessionId === undefined || id === sessionId);
  // A deployment without a run has none yet: nothing is found under no id.
  return ids.length > 0 ? ids : [""];
}

const COLUMNS = [
  ...["runs", "errors", "interrupted", "cancelled"],
  ...["latency_p50_ms", "latency_p95_ms", "latency_p99_ms"],
  ...["first_token_p50_ms", "first_token_p95_ms", "first_token_p99_ms"],
  ...["model_calls", "failed_model_calls", "input_tokens", "output_tokens"],
  ...["cache_read_tokens", "cache_write_tokens", "cost_usd", "unpriced_models"],
];

type Bucket = RunValues & { start: number };

const rowsOf = (buckets: readonly Bucket[]) => buckets.map((one) => [isoTime(one.start), ...cells(one)]);

const groupRows = ({ groups }: FoundFigures, names: ReadonlyMap<string, { name: string | null }>) =>
  groups.flatMap(({ key, buckets }) =>
    (buckets ?? []).map((one) => [isoTime(one.start), key, names.get(key)?.name ?? null, ...cells(one)]),
  );

function cells({ latency, firstToken, ...values }: RunValues) {
  const { runs, errors, interrupted, cancelled, calls, failedCalls } = values;
  return [
    ...[runs, errors, interrupted, cancelled],
    ...[latency?.p50 ?? null, latency?.p95 ?? null, latency?.p99 ?? null],
    ...[firstToken?.p50 ?? null, firstToken?.p95 ?? null, firstToken?.p99 ?? null],
    ...[calls, failedCalls, values.inputTokens, values.outputTokens],
    ...[values.cacheReadTokens, values.cacheWriteTokens, Number(values.cost.toFixed(6))],
    values.unpriced.join(" "),
  ];
}
