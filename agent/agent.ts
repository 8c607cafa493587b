import {
  Assistants,
  type Clock,
  type Database,
  databaseReader,
  Fault,
  findThread,
  ItemOperations,
  Items,
  LateIndexing,
  type LatestValues,
  ListCache,
  type LogLimits,
  newUlid,
  nextWork,
  type Run,
  Crons as StoredCrons,
  storeRebuiltValues,
  sweepEndedRuns,
  syncSystemAssistants,
  type TailBatch,
  Threads,
  type ThreadTtl,
  Traces,
  valuesOfRun,
} from "@berth/store";
import { type RemovalOptions, removeAssistant } from "./assistants.ts";
import { Commands } from "./commands/index.ts";
import { CronScheduler, CronService } from "./crons/index.ts";
import {
  type FrameText,
  followThread,
  streamThread,
  ThreadFeeds,
  type ThreadFrame,
  threadPosition,
} from "./events/index.ts";
import type { ProjectCode } from "./executors/index.ts";
import { assistantId, type ServedProject, type TtlSettings, ttlSettings } from "./project/index.ts";
import { ThreadEvents } from "./protocol/index.ts";
import { LogFolds, RunQueue, Runs, type RunWebhooks } from "./runs/index.ts";
import { Tasks } from "./tasks.ts";
import {
  encodeThreadState,
  StateShapes,
  storedValues,
  ThreadChanges,
  ThreadStates,
  ThreadUpkeep,
  threadRemoval,
  valuesOf,
} from "./threads/index.ts";
import { type RunWatch, type TraceStore, traceStore } from "./traces/index.ts";

/** How much is swept in one transaction, so that a large backlog blocks nobody. */
const SWEEP_BATCH = 500;
const MINUTE = 60_000;
/** Expired items are seen by nobody: they only take room. */
const ITEMS_SWEEP_MINUTES = 1;
const THREADS_SWEEP_MINUTES = 5;

export type AgentSettings = {
  concurrency: number;
  leaseMs: number;
  renewMs: number;
  jobTimeoutMs: number;
  eventsTtlMs: number;
  /** How long, and how much, the log of a thread is kept that people talk on. */
  threadLog: LogLimits & { ttlMs: number };
  /** Graph id → config and context of its system assistant (`LANGGRAPH_CONFIG`). */
  graphConfig: Readonly<Record<string, Record<string, unknown>>>;
  /** Whether runs and crons are left to another process on this database until `claim` says otherwise. */
  standby?: boolean;
  /** False where other processes of this database execute the runs that are created here. */
  executes?: boolean;
  /** Goes into every run's metadata as the server's own address. */
  publicUrl: () => string;
  /** Where feedback on a run can be given under a key. */
  feedbackUrl?: (run: Run, key: string) => string;
  /** Tells the webhooks of runs that they have ended; without it, nobody is told. */
  webhooks?: RunWebhooks | undefined;
  /** Where the traces of runs go; without it, they leave none. */
  tracing?: TracingSettings | undefined;
  /** Whether traces still say what was said on a thread when that is deleted. */
  keepsTracesOfThreads?: boolean | undefined;
};

/** `session`: the name of the tracing project, otherwise the project's own. */
type TracingSettings = { session?: string | undefined; ships?: boolean | undefined };

type AgentDeps = {
  db: Database;
  clock: Clock;
  /** The project that is served, and its graphs. */
  code: ProjectCode;
  settings: AgentSettings;
  /** Hears what runs do, where they leave traces. */
  watch?: RunWatch | undefined;
  log: (event: string, fields: Record<string, unknown>) => void;
};

/** One project's Agent Server without its HTTP: everything that reads, writes and runs. */
export type Agent = {
  project: ServedProject;
  assistants: Assistants;
  threads: Threads;
  /** Changes of threads that reach further than their rows. */
  changes: ThreadChanges;
  upkeep: ThreadUpkeep;
  /** Of threads that say what becomes of them but not when: the project's own. */
  threadTtl: { defaultMinutes: number | undefined };
  states: ThreadStates;
  /** The newest values of threads, as clients read them. */
  values(threadIds: string[]): Promise<ReadonlyMap<string, unknown>>;
  /** Updates the full-text index of at most `limit` threads at rest. @returns their number */
  indexThreads(limit: number): Promise<number>;
  removeAssistant(assistantId: string, options: RemovalOptions): Promise<void>;
  /** Creates the assistants that graphs have by themselves, where they are missing. */
  registerGraphs(): Promise<void>;
  items: Items;
  /** What clients of the thread protocol ask for. */
  commands: Commands;
  /** What threads publish, as the protocol shows it and as it is stored. */
  threadEvents: ThreadEvents;
  threadFrames(threadId: string, after: number, signal: AbortSignal): AsyncGenerator<TailBatch<ThreadFrame>>;
  /** All runs of a thread as server-sent events, from where the reader was last. */
  threadStream(
    threadId: string,
    modes: ReadonlySet<string>,
    lastEventId: string | null,
  ): Promise<(gone: AbortSignal) => AsyncGenerator<FrameText>>;
  queue: RunQueue;
  runs: Runs;
  /** Runs as other agents follow them. */
  tasks: Tasks;
  crons: CronService;
  /**
   * Takes up runs and fires crons from now on, or leaves both to another process on this database. Runs that are under
   * way go on.
   */
  claim(claims: boolean): Promise<void>;
  /** Whether something is under way or due, and when the next thing is that waits for its time. */
  rest(): Promise<{ busy: boolean; next_at: number | null }>;
  /** Creates the runs that crons are due for; returns how many. */
  fireCrons(now: number): Promise<number>;
  /** Indexes items that were stored while there was no embedding, or another one; returns how many. */
  indexItems(now: number): Promise<number>;
  /** Writes down what runs have left behind so far. */
  flushTraces(): Promise<void>;
  /** Forgets what is past its retention; returns how much that was. */
  sweep(now: number): Promise<number>;
  /** Forgets the items and threads whose time is over, at the pace that the project asks for. */
  expire(now: number): Promise<number>;
  /** The same now, whatever that pace is. */
  expireNow(now: number): Promise<number>;
  /** Whose the leases of its runs are. */
  owner: string;
};

/** Puts a project and a database together, and registers the project's graphs as assistants. */
export async function createAgent(deps: AgentDeps): Promise<Agent> {
  const { db, clock, code, settings } = deps;
  const { project, embedder } = code;
  const system = systemAssistants(project, settings);
  const register = async (options: { keepOthers?: boolean } = {}) => {
    for (const removed of await syncSystemAssistants(db, clock, system, options))
      deps.log("assistant.removed", { ...removed, reason: "its graph is gone" });
  };
  // While another process serves, what only that one has stays.
  await register({ keepOthers: settings.standby ?? false });
  const lists = new ListCache();
  const owner = newUlid();
  const ttl = ttlsOf(project);
  const lateIndexing = embedder && new LateIndexing(db, embedder);
  const items = new Items(db, clock, {
    embedder,
    defaultTtlMinutes: ttl.items.defaultMinutes,
    refreshOnRead: ttl.items.refreshOnRead,
    told: (why) => deps.log("memory.search", { why }),
  });
  const operations = new ItemOperations(items);
  const assistants = new Assistants(db, clock);
  const feeds = new ThreadFeeds();
  const kept = tracesOf(deps);
  await kept?.session();
  const { executor, states: stateCode } = code.work({
    ...{ checkpoints: databaseReader(db), clock, items: operations, lists, traces: kept, log: deps.log },
    watch: kept && deps.watch,
  });
  const queue = new RunQueue({
    db,
    clock,
    executor,
    created: kept && ((runId) => deps.watch?.created(runId)),
    threads: feeds,
    folds: new LogFolds(db, deps.log),
    owner,
    log: deps.log,
    standby: settings.standby ?? false,
    executes: settings.executes,
    limits: settings,
    settings,
    threadTtl: ttl.default,
    metadata: () => runMetadata(project, settings),
  });
  const threads = new Threads(db, clock);
  const states = new ThreadStates({ db, code: stateCode });
  const shapes = new StateShapes({
    project,
    rebuild: (latest) => rebuiltState({ db, states }, latest),
    keep: (at, values) => db.write((tx) => storeRebuiltValues(tx, at, values)),
  });
  const remove = threadRemoval(clock, settings.keepsTracesOfThreads ?? false);
  const traces = new Traces(db, clock);
  const changes = new ThreadChanges({
    ...{ db, clock, threads, states, queue, feeds, remove, defaultTtl: ttl.default },
    stripTraces: () => traces.strip(),
  });
  const upkeep = new ThreadUpkeep({ db, clock, feeds, remove });
  const sweeper = new Sweeper([
    { everyMs: ttl.items.sweepMinutes * MINUTE, run: (now) => items.sweep(now, ttl.items.sweepLimit) },
    { everyMs: ttl.threads.sweepMinutes * MINUTE, run: (now) => upkeep.sweep(now, ttl.threads.sweepLimit) },
  ]);
  const checkWebhook = async (webhook: string) => settings.webhooks?.check(webhook);
  const runs = new Runs({
    db,
    clock,
    project,
    assistants,
    queue,
    changes,
    threadValues: (id) => threadValues(db, shapes, id),
    checkWebhook,
  });
  const stored = new StoredCrons(db, clock);
  const scheduled = { crons: stored, assistant: (given: string) => runs.assistant(given) };
  const scheduler = new CronScheduler({ ...scheduled, db, queue, log: deps.log });
  const events = new ThreadEvents({ db, feeds });
  const stateText = async (threadId: string) => {
    const thread = await findThread(db, threadId);
    return thread && encodeThreadState(await states.state(thread));
  };
  return {
    project,
    assistants,
    threads,
    changes,
    upkeep,
    threadTtl: ttl.threads,
    states,
    values: (threadIds) => storedValues(db, threadIds, shapes),
    indexThreads: (limit) => threads.index(limit, (latest) => shapes.valuesOf(latest)),
    registerGraphs: () => register({ keepOthers: true }),
    removeAssistant: (id, options) =>
      removeAssistant({ db, clock, assistants, queue, removeThread: remove, system }, id, options),
    items,
    commands: new Commands({ db, project, assistants, states, changes, runs, events }),
    threadEvents: events,
    threadFrames: (threadId, after, signal) => followThread({ db, feeds }, threadId, after, signal),
    threadStream: async (threadId, modes, lastEventId) => {
      const from = await threadPosition({ db }, threadId, lastEventId);
      const runValues = (run: Pick<Run, "run_id" | "thread_id">) => valuesLeftBy(db, shapes, run);
      return (signal) => streamThread({ db, feeds, stateText, runValues }, threadId, { modes, from, signal });
    },
    queue,
    runs,
    tasks: new Tasks({ db, clock, states }),
    crons: new CronService({ ...scheduled, clock, checkWebhook }),
    fireCrons: async (now) => (queue.tends ? scheduler.once(now) : 0),
    claim: async (claims) => {
      if (claims) await register();
      await queue.setClaims(claims);
    },
    rest: async () => {
      const { isDue, at } = await nextWork(db, clock.now());
      // Some runs are not in the database while they go on.
      return { busy: isDue || queue.running > 0, next_at: at };
    },
    indexItems: async (now) => {
      if (!queue.tends) return 0;
      await items.fillEmbeddings(now);
      return (await lateIndexing?.once(now)) ?? 0;
    },
    flushTraces: () => executor.flush(),
    sweep: (now) => sweepEndedRuns(db, now, SWEEP_BATCH),
    expire: (now) => sweeper.once(now),
    expireNow: (now) => sweeper.all(now),
    owner,
  };
}

type Ttls = { items: TtlSettings; threads: TtlSettings; default: ThreadTtl | undefined };

/** How long the project's items and threads stay. @throws ProjectError */
function ttlsOf({ config }: ServedProject): Ttls {
  const items = ttlSettings(config, "store", { sweepMinutes: ITEMS_SWEEP_MINUTES });
  const threads = ttlSettings(config, "checkpointer", { sweepMinutes: THREADS_SWEEP_MINUTES });
  const { strategy, defaultMinutes: minutes } = threads;
  return { items, threads, default: minutes === undefined ? undefined : { strategy, minutes } };
}

function tracesOf({ db, clock, code: { project }, settings }: AgentDeps): TraceStore | undefined {
  if (!settings.tracing) return undefined;
  const { session: name = project.name, ships } = settings.tracing;
  return traceStore(db, clock, { name, ships });
}

async function threadValues(
  db: Database,
  shapes: StateShapes,
  threadId: string,
): Promise<string | undefined> {
  const values = (await storedValues(db, [threadId], shapes)).get(threadId);
  return values === undefined ? undefined : JSON.stringify(values);
}

/** The values at the checkpoint of stored ones as their graph reads them; undefined if the graph cannot. */
async function rebuiltState(
  { db, states }: { db: Database; states: ThreadStates },
  { threadId, checkpointId, graphId }: LatestValues,
): Promise<unknown> {
  const thread = await findThread(db, threadId);
  if (!thread) return undefined;
  const metadata = { ...thread.metadata, ...(graphId !== undefined && { graph_id: graphId }) };
  try {
    const checkpoint = { checkpoint_id: checkpointId };
    return valuesOf(await states.state({ ...thread, metadata }, { checkpoint }));
  } catch (error) {
    // A project may have lost the graph, and a schema may refuse the values: what is stored remains readable.
    if (error instanceof Fault) return undefined;
    throw error;
  }
}

async function valuesLeftBy(
  db: Database,
  shapes: StateShapes,
  run: Pick<Run, "run_id" | "thread_id">,
): Promise<string | undefined> {
  const left = await valuesOfRun(db, run);
  return left && JSON.stringify(await shapes.valuesOf(left));
}

function systemAssistants(project: ServedProject, { graphConfig }: AgentSettings) {
  return Object.entries(project.graphs).map(([graph_id, { description }]) => {
    const { context, ...config } = graphConfig[graph_id] ?? {};
    return {
      assistant_id: assistantId(graph_id),
      graph_id,
      description: description ?? null,
      config,
      context: (context ?? {}) as Record<string, unknown>,
    };
  });
}

/** What the reference server tells graphs about itself (`agent-server.md` §5.6). */
function runMetadata(project: ServedProject, settings: AgentSettings): Record<string, unknown> {
  return {
    langgraph_version: hasOnlyPython(project) ? project.python?.langgraph : project.langgraph.version,
    langgraph_plan: "developer",
    langgraph_host: "self-hosted",
    langgraph_api_url: settings.publicUrl(),
  };
}

const hasOnlyPython = ({ graphs }: ServedProject): boolean =>
  Object.values(graphs).every(({ language }) => language === "python");

/** Work that is done again and again, each kind at its own pace. */
type Sweep = { everyMs: number; run(now: number): Promise<number> };

/** Does each sweep when its time has come; the first time at once. */
class Sweeper {
  readonly #next = new Map<Sweep, number>();

  constructor(private readonly sweeps: Sweep[]) {}

  /** Does what is due; returns how much was swept. */
  async once(now: number): Promise<number> {
    let swept = 0;
    for (const sweep of this.sweeps) {
      const next = this.#next.get(sweep) ?? 0;
      // Also when the clock was set back: no pause is longer.
      if (now < next && now >= next - sweep.everyMs) continue;
      this.#next.set(sweep, now + sweep.everyMs);
      swept += await sweep.run(now);
    }
    return swept;
  }

  /** Does every sweep, whether its time has come or not. */
  async all(now: number): Promise<number> {
    let swept = 0;
    for (const sweep of this.sweeps) swept += await sweep.run(now);
    return swept;
  }
}
