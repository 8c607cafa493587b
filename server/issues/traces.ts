import { Type } from "@sinclair/typebox";
import { issueApi } from "../access/index.ts";
import {
  authorOf,
  empty,
  Instant,
  json,
  momentOf,
  type Operation,
  oneOf,
  operation,
  Uuid,
  workspaceOf,
} from "../http/index.ts";
import type { IssueRoutesDeps } from "./deps.ts";
import { Part, pageFields } from "./filters.ts";
import { ShownWholeTrace, SPAN_STATUSES, shownTrace, shownWholeTrace, TracesPage } from "./wire/index.ts";

type Deps = Pick<IssueRoutesDeps, "traces" | "modelPrices">;

const tag = "Traces";
const Whole = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

/** `/v1/traces`: what runs left behind. */
export const traceRoutes = (deps: Deps): Operation[] => [listTraces(deps), getTrace(deps), deleteTrace(deps)];

const listTraces = ({ traces, modelPrices }: Deps) =>
  operation(
    {
      method: "GET",
      path: "/v1/traces",
      access: issueApi,
      bodyLimit: "none",
      tag,
      summary: "Search traces",
      description:
        "Newest first. `name` and `error` find a part, in any case; `tag` is one whole tag. A page may be short, or empty, although there is a `next`: a search without an index looks at 10,000 traces at a time.",
      query: Type.Object({
        session_id: Type.Optional(Uuid),
        thread_id: Type.Optional(Part),
        status: Type.Optional(oneOf(SPAN_STATUSES)),
        name: Type.Optional(Part),
        error: Type.Optional(Part),
        from: Type.Optional(Instant),
        to: Type.Optional(Instant),
        min_latency_ms: Type.Optional(Whole),
        max_latency_ms: Type.Optional(Whole),
        tag: Type.Optional(Part),
        min_tokens: Type.Optional(Whole),
        cursor: Type.Optional(Type.String({ maxLength: 500 })),
        ...pageFields,
      }),
      answers: {
        200: { description: "The page", schema: TracesPage },
        400: "The cursor does not come from this API",
      },
    },
    async ({ query, caller }) => {
      const { limit, offset, cursor, status, name, error, tag } = query;
      const { rows, next } = await traces.search(workspaceOf(caller), {
        ...{ limit, offset, cursor, status, name, error, tag },
        sessionId: query.session_id,
        threadId: query.thread_id,
        from: momentOf("query", "from", query.from),
        to: momentOf("query", "to", query.to),
        minLatencyMs: query.min_latency_ms,
        maxLatencyMs: query.max_latency_ms,
        minTokens: query.min_tokens,
      });
      const prices = await modelPrices.book(workspaceOf(caller));
      const resources = rows.map((trace) => shownTrace(trace, prices));
      return json({ resources, offset: offset + rows.length, next });
    },
  );

const getTrace = ({ traces, modelPrices }: Deps) =>
  operation(
    {
      method: "GET",
      path: "/v1/traces/:trace_id",
      access: issueApi,
      bodyLimit: "none",
      tag,
      summary: "Get a trace with its spans and feedback",
      description: "By its id, or by that of any run in it.",
      params: Type.Object({ trace_id: Uuid }),
      answers: { 200: { description: "The trace", schema: ShownWholeTrace }, 404: "No such trace" },
    },
    async ({ path, caller }) => {
      const whole = await traces.get(workspaceOf(caller), path.trace_id);
      return json(shownWholeTrace(whole, await modelPrices.book(workspaceOf(caller))));
    },
  );

const deleteTrace = ({ traces }: Deps) =>
  operation(
    {
      method: "DELETE",
      path: "/v1/traces/:trace_id",
      access: issueApi,
      bodyLimit: "none",
      tag,
      summary: "Delete a trace",
      description: "With its spans and feedback. Issues that it shows keep their names and their counts.",
      params: Type.Object({ trace_id: Uuid }),
      answers: { 204: "Deleted", 404: "No such trace" },
    },
    async ({ path, caller }) => {
      await traces.delete(workspaceOf(caller), path.trace_id, authorOf(caller));
      return empty();
    },
  );
