import { type ExtractPath, extract, parseExtractPath } from "@berth/agent";
import { Invalid, type Thread, type ThreadSort, type ThreadTtl } from "@berth/store";
import { type Static, Type } from "@sinclair/typebox";
import { agentServer } from "../access/index.ts";
import { threadRules } from "../authorization/index.ts";
import {
  BoundedDictionary,
  Count,
  empty,
  json,
  jsonList,
  limitField,
  nullable,
  type Operation,
  offsetField,
  oneOf,
  operation,
  pageHeaders,
  selected,
  Uuid,
} from "../http/index.ts";
import { type ThreadStateRoutesDeps, threadStateRoutes } from "./thread-state.ts";
import { type ThreadUpkeepRoutesDeps, threadUpkeepRoutes } from "./thread-upkeep.ts";
import { ShownThread, shownThread, shownTtl, threadStatuses, ttlStrategies } from "./wire/index.ts";

/** A hundred years; a thread that is to stay longer needs no time to live. */
const MAX_MINUTES = 52_560_000;
const Minutes = Type.Number({ exclusiveMinimum: 0, maximum: MAX_MINUTES, description: "Minutes from now." });

/** A time to live as requests give it: minutes, or an object. */
const Ttl = nullable(
  Type.Union(
    [
      Minutes,
      Type.Object({
        ttl: Type.Optional(nullable(Minutes)),
        strategy: Type.Optional(nullable(oneOf([...ttlStrategies]))),
      }),
    ],
    {
      description:
        "How long the thread lives, and what happens to it then (`delete` by default). With null, Berth keeps it.",
    },
  ),
);

/** What a request asks for: undefined leaves it as it is, null lets the thread stay. @throws Invalid */
function ttlOf(
  given: Static<typeof Ttl> | undefined,
  { defaultMinutes }: { defaultMinutes: number | undefined },
): ThreadTtl | null | undefined {
  if (given === undefined || given === null) return given;
  const { ttl = null, strategy } = typeof given === "number" ? { ttl: given, strategy: null } : given;
  const minutes = ttl ?? defaultMinutes;
  if (minutes === undefined)
    throw Invalid.body("ttl", "Value error, ttl is missing and the project has no default", given);
  return { strategy: strategy ?? "delete", minutes };
}

type ThreadRoutesDeps = ThreadStateRoutesDeps &
  ThreadUpkeepRoutesDeps & {
    /** Of threads that say what becomes of them but not when. */
    threadTtl: { defaultMinutes: number | undefined };
    /** The newest values of threads, as clients read them. */
    values: (threadIds: string[]) => Promise<ReadonlyMap<string, unknown>>;
  };

const tag = "Threads";
const params = Type.Object({ thread_id: Uuid });

const Command = Type.Object(
  {
    update: Type.Optional(Type.Unknown()),
    resume: Type.Optional(Type.Unknown()),
    goto: Type.Optional(Type.Unknown()),
  },
  { title: "Command" },
);

const Superstep = Type.Object(
  {
    updates: Type.Array(
      Type.Object({
        values: Type.Optional(Type.Unknown()),
        command: Type.Optional(nullable(Command)),
        as_node: Type.String(),
      }),
    ),
  },
  { title: "Superstep" },
);

const filters = {
  metadata: Type.Optional(nullable(BoundedDictionary)),
  values: Type.Optional(nullable(BoundedDictionary)),
  status: Type.Optional(nullable(oneOf(threadStatuses))),
};

const sorts: ThreadSort[] = ["thread_id", "status", "created_at", "updated_at", "state_updated_at"];
// `context` is in the clients' lists; a thread has none.
const fields = [...sorts, "metadata", "config", "values", "interrupts", "error", "context"];

/** `/threads`: the conversations, and their states (`agent-server.md` §4). */
export const threadRoutes = (deps: ThreadRoutesDeps): Operation[] => [
  createThread(deps),
  searchThreads(deps),
  countThreads(deps),
  getThread(deps),
  patchThread(deps),
  deleteThread(deps),
  ...threadStateRoutes(deps),
  ...threadUpkeepRoutes(deps),
];

const createThread = (deps: ThreadRoutesDeps) =>
  operation(
    {
      method: "POST",
      path: "/threads",
      access: agentServer(threadRules.create),
      bodyLimit: "process",
      mayBeEmpty: true,
      tag,
      summary: "Create a thread",
      description:
        "`supersteps` write its first checkpoints in the name of nodes; for that, set `metadata.graph_id`. " +
        "With `if_exists: do_nothing`, the answer is the existing thread.",
      body: Type.Object({
        thread_id: Type.Optional(nullable(Uuid)),
        metadata: Type.Optional(nullable(BoundedDictionary)),
        if_exists: Type.Optional(nullable(oneOf(["raise", "do_nothing"], { default: "raise" }))),
        ttl: Type.Optional(Ttl),
        supersteps: Type.Optional(nullable(Type.Array(Superstep))),
      }),
      answers: {
        200: { description: "The thread", schema: ShownThread },
        400: "The supersteps do not fit the graph",
        404: "No such graph",
        409: "The id is taken",
      },
    },
    async ({ body: { thread_id, metadata, if_exists, supersteps, ttl } }) => {
      const wanted = {
        thread_id: thread_id?.toLowerCase(),
        metadata: metadata ?? undefined,
        ttl: ttlOf(ttl, deps.threadTtl),
      };
      const thread = await deps.changes.create(wanted, {
        ifExists: if_exists ?? "raise",
        supersteps: supersteps ?? [],
      });
      return json(await withValues(deps, thread));
    },
  );

/** As many as a page has unless asked for more. */
const THREADS_A_READ = 10;

const SearchBody = Type.Object({
  ids: Type.Optional(nullable(Type.Array(Uuid, { maxItems: 10_000 }))),
  ...filters,
  limit: limitField({ default: 10, maximum: 1000 }),
  offset: offsetField(),
  sort_by: Type.Optional(nullable(oneOf(sorts))),
  sort_order: Type.Optional(nullable(oneOf(["asc", "desc"]))),
  select: Type.Optional(nullable(Type.Array(oneOf(fields)))),
  extract: Type.Optional(
    nullable(
      Type.Record(Type.String(), Type.String(), {
        maxProperties: 10,
        description:
          "Maps a name to a path such as `values.messages[-1].content`. The answer has these parts in `extracted`.",
      }),
    ),
  ),
});

const searchThreads = (deps: ThreadRoutesDeps) =>
  operation(
    {
      method: "POST",
      path: "/threads/search",
      access: agentServer(threadRules.search),
      bodyLimit: "small",
      mayBeEmpty: true,
      tag,
      summary: "Search threads",
      description:
        "One page, last changed first by default; `X-Pagination-*` headers describe the other pages.",
      body: SearchBody,
      answers: { 200: { description: "The page", schema: Type.Array(ShownThread) } },
    },
    async (input) => {
      const { limit, offset, ids, sort_by, sort_order, select, extract: wanted } = input.body;
      const paths = extractPaths(wanted);
      const { rows, total } = await deps.threads.search({
        ...filterOf(deps, input.body),
        permitted: input.permit.seen,
        ids: ids?.map((id) => id.toLowerCase()),
        sort_by: sort_by ?? undefined,
        sort_order: sort_order ?? undefined,
        limit,
        offset,
      });
      const needed = !select || select.includes("values") || paths.some(({ path }) => path.root === "values");
      const shown = ([row, values]: [Thread, unknown]) => {
        const thread = shownThread(row, values);
        const parts = paths.map(({ alias, path }) => [alias, extract(thread, path)]);
        const extracted = wanted ? { extracted: Object.fromEntries(parts) } : {};
        return JSON.stringify({ ...selected(thread, select), ...extracted });
      };
      const headers = pageHeaders({ total, offset, limit });
      return jsonList(input, withTheirValues(deps, rows, needed), shown, { headers });
    },
  );

/** Threads with their values, of a few at a time: each may be large. */
async function* withTheirValues(
  { values }: ThreadRoutesDeps,
  rows: Thread[],
  needed: boolean,
): AsyncGenerator<[Thread, unknown][]> {
  for (let from = 0; from < rows.length; from += THREADS_A_READ) {
    const some = rows.slice(from, from + THREADS_A_READ);
    const found = needed ? await values(some.filter(mayHaveValues).map((row) => row.thread_id)) : undefined;
    yield some.map((row) => [row, found?.get(row.thread_id)]);
  }
}

/** A thread that nothing ever ran on has no values to look for. */
const mayHaveValues = ({ state_updated_at, status }: Thread) =>
  state_updated_at !== null || status === "busy";

const countThreads = (deps: ThreadRoutesDeps) =>
  operation(
    {
      method: "POST",
      path: "/threads/count",
      access: agentServer(threadRules.search),
      bodyLimit: "small",
      tag,
      summary: "Count threads",
      body: Type.Object(filters),
      answers: { 200: { description: "How many match", schema: Count } },
    },
    async ({ body, permit }) =>
      json(await deps.threads.count({ ...filterOf(deps, body), permitted: permit.seen })),
  );

const getThread = (deps: ThreadRoutesDeps) =>
  operation(
    {
      method: "GET",
      path: "/threads/:thread_id",
      access: agentServer(threadRules.read),
      bodyLimit: "none",
      tag,
      summary: "Get a thread",
      params,
      query: Type.Object({
        include: Type.Optional(
          Type.Array(Type.String(), {
            explode: false,
            description: "With `ttl`, the answer says how long the thread lives.",
          }),
        ),
      }),
      answers: { 200: { description: "The thread", schema: ShownThread }, 404: "No such thread" },
    },
    async ({ path, query }) => {
      const thread = await deps.threads.get(path.thread_id);
      const shown = await withValues(deps, thread);
      return json(query.include?.includes("ttl") ? { ...shown, ttl: shownTtl(thread.ttl) } : shown);
    },
  );

const patchThread = (deps: ThreadRoutesDeps) =>
  operation(
    {
      method: "PATCH",
      path: "/threads/:thread_id",
      access: agentServer(threadRules.patch),
      bodyLimit: "small",
      tag,
      summary: "Change a thread's metadata and time to live",
      description: "Berth merges `metadata`; `ttl` begins now. `Prefer: return=minimal` asks for no body.",
      params,
      body: Type.Object({ metadata: Type.Optional(nullable(BoundedDictionary)), ttl: Type.Optional(Ttl) }),
      answers: {
        200: { description: "The thread", schema: ShownThread },
        204: "Changed; the request asked for no body",
        404: "No such thread",
      },
    },
    async ({ path, body, request }) => {
      const thread = await deps.threads.patch(
        path.thread_id,
        body.metadata ?? {},
        ttlOf(body.ttl, deps.threadTtl),
      );
      const minimal = /(^|[,;\s])return=minimal\b/i.test(request.headers.get("prefer") ?? "");
      return minimal ? empty() : json(await withValues(deps, thread));
    },
  );

const deleteThread = ({ changes }: ThreadRoutesDeps) =>
  operation(
    {
      method: "DELETE",
      path: "/threads/:thread_id",
      access: agentServer(threadRules.remove),
      bodyLimit: "none",
      tag,
      summary: "Delete a thread",
      description: "With its runs, checkpoints and crons. Stops runs in progress.",
      params,
      answers: { 204: "Deleted", 404: "No such thread" },
    },
    async ({ path }) => {
      await changes.delete(path.thread_id);
      return empty();
    },
  );

async function withValues({ values }: ThreadRoutesDeps, thread: Thread) {
  // The time is written when a run or an update ends: without it a thread at rest has no checkpoint.
  const isNew = thread.state_updated_at === null && thread.status === "idle";
  const found = isNew ? undefined : await values([thread.thread_id]);
  return shownThread(thread, found?.get(thread.thread_id));
}

type Filter = Pick<Static<typeof SearchBody>, "metadata" | "values" | "status">;

function filterOf(deps: ThreadRoutesDeps, { metadata, values, status }: Filter) {
  return {
    metadata: metadata ?? undefined,
    status: status ?? undefined,
    values: values && Object.keys(values).length > 0 ? { contain: values, of: deps.values } : undefined,
  };
}

/** @throws Invalid with a fault for each path that cannot be read */
function extractPaths(wanted: Record<string, string> | null | undefined) {
  const paths: { alias: string; path: ExtractPath }[] = [];
  const faults = [];
  for (const [alias, text] of Object.entries(wanted ?? {})) {
    const path = parseExtractPath(text);
    if (path) paths.push({ alias, path });
    else {
      const msg =
        "Value error, a path starts with values, metadata, config or interrupts, as in values.messages[-1]";
      faults.push({ loc: ["body", "extract", alias], msg, type: "value_error", input: text });
    }
  }
  if (faults.length > 0) throw new Invalid(faults);
  return paths;
}
