import { Type } from "@sinclair/typebox";
import { issueApi } from "../access/index.ts";
import { authorOf, empty, json, type Operation, operation, Uuid, workspaceOf } from "../http/index.ts";
import type { IssueRoutesDeps } from "./deps.ts";
import { pageFields } from "./filters.ts";
import { exportTraces } from "./trace-export.ts";
import { traceSearchFields, traceSearchOf } from "./trace-filters.ts";
import { ShownTrace, ShownWholeTrace, shownTrace, shownWholeTrace, TracesPage } from "./wire/index.ts";

type Deps = Pick<IssueRoutesDeps, "traces" | "modelPrices">;

const tag = "Traces";

/** `/v1/traces`: what runs left behind. */
export const traceRoutes = (deps: Deps): Operation[] => [
  listTraces(deps),
  exportTraces(deps),
  getTrace(deps),
  labelTrace(deps),
  deleteTrace(deps),
];

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
        "Newest first. `q` has words of inputs, outputs, errors and names. All words have to match; of the last word, the beginning is enough. The first search for words after many runs looks at those of one second's work, and goes on behind `next`. `name` and `error` have a part of the text. For all three, upper and lower case are the same. `tag` is one whole tag. `sort` puts the largest first, among the newest 10,000 that match. A page may have few traces, or none, although there is a `next`: a search without an index looks at 10,000 traces at a time.",
      query: Type.Object({
        ...traceSearchFields,
        cursor: Type.Optional(Type.String({ maxLength: 500 })),
        ...pageFields,
      }),
      answers: {
        200: { description: "The page", schema: TracesPage },
        400: "The cursor does not come from this API",
      },
    },
    async ({ query, caller }) => {
      const { limit, offset, cursor } = query;
      const prices = await modelPrices.book(workspaceOf(caller));
      const { rows, next } = await traces.search(workspaceOf(caller), {
        ...{ limit, offset, cursor },
        ...traceSearchOf(query),
        costOf: (trace) => prices.costOfTrace(trace),
      });
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

const labelTrace = ({ traces, modelPrices }: Deps) =>
  operation(
    {
      method: "PATCH",
      path: "/v1/traces/:trace_id",
      access: issueApi,
      bodyLimit: "small",
      tag,
      summary: "Change the tags of a trace",
      description: "They replace the present tags. If the run still sends data, its own tags come back.",
      params: Type.Object({ trace_id: Uuid }),
      body: Type.Object({
        tags: Type.Array(Type.String({ minLength: 1, maxLength: 200 }), { maxItems: 50, uniqueItems: true }),
      }),
      answers: { 200: { description: "The trace", schema: ShownTrace }, 404: "No such trace" },
    },
    async ({ path, body, caller }) => {
      const trace = await traces.label(workspaceOf(caller), path.trace_id, body.tags);
      return json(shownTrace(trace, await modelPrices.book(workspaceOf(caller))));
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
