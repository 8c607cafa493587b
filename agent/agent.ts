import {
  Assistants,
  Checkpoints,
  type Clock,
  type Database,
  Items,
  ItemsStore,
  ListCache,
  latestValues,
  sweepEndedRuns,
  syncSystemAssistants,
  Threads,
} from "@berth/store";
import { assistantId, type Project } from "./project/index.ts";
import { RunQueue, Runs } from "./runs/index.ts";
import { ThreadStates } from "./threads/index.ts";
import { wireValues } from "./threads/_w.ts";

/** How much is swept in one transaction, so that a large backlog blocks nobody. */
const SWEEP_BATCH = 500;

export type AgentSettings = {
  concurrency: number;
  leaseMs: number;
  renewMs: number;
  jobTimeoutMs: number;
  eventsTtlMs: number;
  /** Graph id → config and context of its system assistant (`LANGGRAPH_CONFIG`). */
  graphConfig: Readonly<Record<string, Record<string, unknown>>>;
  /** Goes into every run's metadata as the server's own address. */
  publicUrl: () => string;
};

export type AgentDeps = {
  db: Database;
  clock: Clock;
  project: Project;
  settings: AgentSettings;
  log: (event: string, fields: Record<string, unknown>) => void;
};

/** One project's Agent Server without its HTTP: everything that reads, writes and runs. */
export type Agent = {
  project: Project;
  assistants: Assistants;
  threads: Threads;
  states: ThreadStates;
  items: Items;
  queue: RunQueue;
  runs: Runs;
  /** Forgets what is past its retention; returns how much that was. */
  sweep(now: number): Promise<number>;
};

/** Puts a project and a database together, and registers the project's graphs as assistants. */
export async function createAgent(deps: AgentDeps): Promise<Agent> {
  const { db, clock, project, settings } = deps;
  await syncSystemAssistants(db, clock, systemAssistants(project, settings));
  const lists = new ListCache();
  const items = new Items(db, clock);
  const itemsStore = new ItemsStore(items);
  const assistants = new Assistants(db, clock);
  const queue = new RunQueue({
    db,
    clock,
    project,
    items: itemsStore,
    lists,
    owner: Bun.randomUUIDv7(),
    log: deps.log,
    limits: settings,
    settings,
    metadata: () => runMetadata(project, settings),
  });
  const saver = new Checkpoints(db, { serde: project.langgraph.serde, cache: lists });
  return {
    project,
    assistants,
    threads: new Threads(db, clock),
    states: new ThreadStates({ project, saver, store: itemsStore }),
    items,
    queue,
    runs: new Runs({ db, clock, project, assistants, queue, threadValues: (id) => threadValues(db, id) }),
    sweep: (now) => sweepEndedRuns(db, now, SWEEP_BATCH),
  };
}

async function threadValues(db: Database, threadId: string): Promise<string | undefined> {
  const latest = (await latestValues(db, [threadId])).get(threadId);
  return latest && JSON.stringify(wireValues(latest.values));
}

function systemAssistants(project: Project, { graphConfig }: AgentSettings) {
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
function runMetadata(project: Project, settings: AgentSettings): Record<string, unknown> {
  return {
    langgraph_version: project.langgraph.version,
    langgraph_plan: "developer",
    langgraph_host: "self-hosted",
    langgraph_api_url: settings.publicUrl(),
  };
}
