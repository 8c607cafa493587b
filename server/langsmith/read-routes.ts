import { BadRequest, NotFound, type Traces } from "@berth/store";
import { Type } from "@sinclair/typebox";
import { traceIngest } from "../access/index.ts";
import {
  Instant,
  json,
  momentOf,
  type Operation,
  offsetField,
  oneOf,
  operation,
  optional,
  Uuid,
  workspaceOf,
} from "../http/index.ts";
import { feedbackAnswer, runAnswer } from "./run-answer.ts";
import { type RunTest, runTest, searchTest } from "./run-filter.ts";
import { LOOKED_AT, searchRuns } from "./run-search.ts";

const tag = "Trace Ingest";
/** Runs of one page: inputs and outputs are in it. */
const MOST_RUNS = 100;
const MOST_IDS = 100;

const Run = Type.Object(
  { id: Uuid },
  { additionalProperties: true, description: "A run, as the clients know it." },
);
const FilterText = Type.String({ maxLength: 4_096 });

const Query = Type.Object({
  session: optional(Type.Array(Uuid, { maxItems: MOST_IDS, description: "Projects." })),
  id: optional(Type.Array(Uuid, { maxItems: MOST_IDS })),
  trace: optional(Uuid),
  parent_run: optional(Uuid),
  is_root: optional(Type.Boolean()),
  run_type: optional(Type.String({ maxLength: 100 })),
  error: optional(Type.Boolean({ description: "Only failed runs, or only runs that did not fail." })),
  start_time: optional(Instant),
  end_time: optional(Instant),
  query: optional(
    Type.String({ maxLength: 500, description: "A text in the name, the inputs, the outputs or the error." }),
  ),
  filter: optional(FilterText),
  trace_filter: optional(FilterText),
  tree_filter: optional(FilterText),
  reference_example: optional(Type.Array(Uuid, { maxItems: MOST_IDS })),
  select: optional(Type.Array(Type.String({ maxLength: 100 }), { maxItems: 100 })),
  limit: optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })),
  order: optional(oneOf(["asc", "desc"])),
  cursor: optional(Type.String({ maxLength: 500 })),
});
type Asked = (typeof Query)["static"];

/** Reads traces in the words of the `langsmith` clients: `read_run`, `list_runs`, `list_feedback`. */
export const readRoutes = (traces: Traces): Operation[] => [
  readRun(traces),
  queryRuns(traces),
  listFeedback(traces),
];

const readRun = (traces: Traces) =>
  operation(
    {
      method: "GET",
      path: "/langsmith/runs/:run_id",
      access: traceIngest,
      bodyLimit: "none",
      tag,
      summary: "Read a run",
      params: Type.Object({ run_id: Uuid }),
      answers: { 200: { description: "The run", schema: Run }, 404: "No such run" },
    },
    async ({ path: { run_id }, caller }) => {
      const whole = await traces.get(workspaceOf(caller), run_id);
      const span = whole.spans.find(({ id }) => id === run_id);
      if (!span) throw new NotFound("Run not found");
      return json(runAnswer(span, whole));
    },
  );

const queryRuns = (traces: Traces) =>
  operation(
    {
      method: "POST",
      path: "/langsmith/runs/query",
      access: traceIngest,
      bodyLimit: "process",
      tag,
      summary: "Search runs",
      description: `Runs of the newest traces first, at most ${MOST_RUNS} in one answer. For one answer, Berth looks at ${LOOKED_AT.toLocaleString("en")} traces. So the answer may have few runs, or none, although there is a \`cursors.next\`.`,
      body: Query,
      answers: {
        200: {
          description: "The page",
          schema: Type.Object({
            runs: Type.Array(Run),
            cursors: Type.Object({ next: Type.Union([Type.String(), Type.Null()]) }),
          }),
        },
        400: "A filter or the cursor cannot be read",
      },
    },
    async ({ body, caller }) => {
      const { runs, next } = await searchRuns(traces, {
        ...{ workspaceId: workspaceOf(caller), sessions: new Set(body.session ?? []) },
        ...{ ids: body.id ?? undefined, traceId: body.trace ?? undefined },
        ...{ parentId: body.parent_run ?? undefined, cursor: body.cursor ?? undefined },
        from: momentOf("body", "start_time", body.start_time),
        to: momentOf("body", "end_time", body.end_time),
        tests: testsOf(body),
        limit: Math.min(body.limit ?? MOST_RUNS, MOST_RUNS),
        oldestFirst: isOldestFirst(body),
      });
      const shown = runs.map(({ span, whole }) => selected(runAnswer(span, whole), body.select));
      return json({ runs: shown, cursors: { next } });
    },
  );

const listFeedback = (traces: Traces) =>
  operation(
    {
      method: "GET",
      path: "/langsmith/feedback",
      access: traceIngest,
      bodyLimit: "none",
      tag,
      summary: "List feedback",
      description: "The feedback on some runs, or in a whole workspace. Oldest first.",
      query: Type.Object({
        run: Type.Optional(Type.Array(Uuid, { maxItems: MOST_IDS })),
        key: Type.Optional(Type.Array(Type.String({ maxLength: 200 }), { maxItems: MOST_IDS })),
        limit: Type.Integer({ minimum: 1, maximum: 100, default: 100 }),
        offset: offsetField(),
      }),
      answers: {
        200: {
          description: "The page",
          schema: Type.Array(Type.Object({ id: Uuid, key: Type.String() }, { additionalProperties: true })),
        },
      },
    },
    async ({ query: { run, key, limit, offset }, caller }) => {
      const found = await traces.listFeedback(workspaceOf(caller), { runIds: run, keys: key, limit, offset });
      return json(found.map(feedbackAnswer));
    },
  );

function testsOf({ is_root, run_type, error, query, filter, ...body }: Asked): RunTest[] {
  const { trace_filter, tree_filter, reference_example } = body;
  const tests: RunTest[] = [];
  // There are no data sets here.
  if (reference_example?.length) tests.push(() => false);
  if (typeof is_root === "boolean") tests.push(({ parent_id }) => (parent_id === null) === is_root);
  if (run_type) tests.push((span) => span.run_type === run_type);
  if (typeof error === "boolean") tests.push((span) => (span.error !== null) === error);
  if (query) tests.push(searchTest(query));
  if (filter) tests.push(runTest(filter));
  if (trace_filter) tests.push(ofRoot(runTest(trace_filter)));
  if (tree_filter) tests.push(ofAny(runTest(tree_filter)));
  return tests;
}

const ofRoot =
  (test: RunTest): RunTest =>
  (_, whole) =>
    whole.spans.some((span) => span.id === whole.trace.id && test(span, whole));

const ofAny =
  (test: RunTest): RunTest =>
  (_, whole) =>
    whole.spans.some((span) => test(span, whole));

function isOldestFirst({ order, trace }: Asked): boolean {
  if (order !== "asc") return false;
  if (!trace)
    throw new BadRequest("The order 'oldest first' works only within one trace: name the trace in `trace`");
  return true;
}

function selected(run: ReturnType<typeof runAnswer>, names: readonly string[] | null | undefined) {
  if (!names) return run;
  const wanted = new Set(["id", ...names]);
  return Object.fromEntries(Object.entries(run).filter(([name]) => wanted.has(name)));
}
