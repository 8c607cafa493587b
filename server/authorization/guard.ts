import { type Agent, type AuthResource, type AuthUser, meantAssistant, type ProjectAuth } from "@berth/agent";
import { Conflict, Denied, type MetadataFilter, NotFound, permits, permitsItem } from "@berth/store";

export type HandlerValues = Record<string, unknown>;

type GuardDeps = {
  auth: ProjectAuth;
  agent: Pick<Agent, "project" | "assistants" | "threads" | "runs" | "crons" | "items">;
};

/** What a run is given because of who starts it. */
type RunPermit = {
  /** The id that its starter's handler was told. */
  runId: string;
  /** Of the run, and of its thread if that is new. */
  metadata: HandlerValues;
};

/** What a run is to do, whichever door asks for it; other members of a request are left out. */
export type RunWork = { input?: unknown; command?: unknown; config?: unknown; context?: unknown };

/** What a caller wants of a run that does not exist yet. */
type WantedRun = {
  threadId?: string | undefined;
  assistantId?: unknown;
  metadata?: unknown;
  work: RunWork;
  more?: HandlerValues;
};

/**
 * What one user may do, as the project's handlers say. Each method asks one question; what belongs to somebody else
 * is answered as what does not exist. Where no `Guard` is, everything may be done.
 */
export class Guard {
  constructor(
    private readonly deps: GuardDeps,
    readonly user: AuthUser,
  ) {}

  /**
   * What the user may see of the resources in question; undefined for all. Handlers may change `value`.
   * @throws Denied, AuthRefusal
   */
  ask(resource: AuthResource, action: string, value: HandlerValues): Promise<MetadataFilter | undefined> {
    return this.deps.auth.ask(this.user, { resource, action, value });
  }

  /** @throws NotFound it is somebody else's; whether it exists is for the route to find out */
  async thread(threadId: string, action: string, more: HandlerValues = {}): Promise<void> {
    const seen = await this.ask("threads", action, { thread_id: threadId, ...more });
    if (!(await this.#seesThread(threadId, seen))) throw noThread(threadId);
  }

  /** Those of the threads that the user may change in this way, or that do not exist. */
  async threads(threadIds: string[], action: string): Promise<string[]> {
    const kept: string[] = [];
    for (const id of threadIds) {
      const seen = await this.ask("threads", action, { thread_id: id });
      if (await this.#seesThread(id.toLowerCase(), seen)) kept.push(id);
    }
    return kept;
  }

  /** A run by the thread that it is on; one of a thread that is not kept by what was said of it. */
  async run(runId: string, action: string, more: HandlerValues = {}): Promise<void> {
    const run = await this.deps.agent.runs.get(runId);
    const { thread_id } = run;
    const seen = await this.ask("threads", action, { thread_id, run_id: runId, ...more });
    const thread = await this.deps.agent.threads.find(thread_id);
    if (!permits(seen, thread ? thread.metadata : run.metadata)) throw new NotFound("Run not found");
  }

  /** Whether the user may start a run. */
  async newRun({ threadId, assistantId, metadata, work, more }: WantedRun): Promise<RunPermit> {
    const assistant = assistantId ?? (await this.#lastAssistant(threadId));
    if (typeof assistant === "string") await this.runnable(assistant);
    const { input, command, config, context } = work;
    const runId = Bun.randomUUIDv7();
    const value: HandlerValues = {
      thread_id: threadId,
      assistant_id: assistantId,
      run_id: runId,
      status: "pending",
      metadata: { ...(metadata as HandlerValues | null | undefined) },
      ...more,
      kwargs: { input, command, config, context },
    };
    const seen = await this.ask("threads", "create_run", value);
    if (threadId !== undefined && !(await this.#seesThread(threadId, seen))) throw noThread(threadId);
    return { runId, metadata: { ...(value.metadata as HandlerValues) } };
  }

  /** A new thread, or one that is there; gives the metadata that it is to have. */
  async newThread(
    threadId: string | undefined,
    metadata: unknown,
    more: HandlerValues = {},
  ): Promise<HandlerValues> {
    const value: HandlerValues = {
      thread_id: threadId,
      metadata: { ...(metadata as HandlerValues | null) },
      ...more,
    };
    const seen = await this.ask("threads", "create", value);
    if (threadId !== undefined && !(await this.#seesThread(threadId, seen)))
      throw new Conflict("Thread already exists");
    return { ...(value.metadata as HandlerValues) };
  }

  /** @throws NotFound */
  async assistant(given: string, action: string, more: HandlerValues = {}): Promise<HandlerValues> {
    const value: HandlerValues = { assistant_id: this.#meant(given), ...more };
    const seen = await this.ask("assistants", action, value);
    if (seen && !(await this.#seesAssistant(given, seen))) throw new NotFound("Assistant not found");
    return value;
  }

  /** @throws Conflict its id is somebody else's */
  async newAssistant(wanted: HandlerValues): Promise<HandlerValues> {
    const value = { ...wanted, metadata: { ...(wanted.metadata as HandlerValues | null | undefined) } };
    const seen = await this.ask("assistants", "create", value);
    const { assistant_id } = wanted;
    if (typeof assistant_id === "string" && seen && !(await this.#seesAssistant(assistant_id, seen)))
      throw new Conflict("Assistant already exists");
    return value.metadata;
  }

  /** @throws NotFound */
  async cron(cronId: string, action: string, more: HandlerValues = {}): Promise<HandlerValues> {
    const value: HandlerValues = { cron_id: cronId, ...more };
    const seen = await this.ask("crons", action, value);
    const cron = await this.deps.agent.crons.get(cronId);
    if (!permits(seen, cron.metadata)) throw new NotFound("Cron not found");
    return value;
  }

  /**
   * An item of the store; gives the namespace that the handler wants, which may be another.
   * @throws NotFound it is there, and somebody else's
   * @throws Denied it would be somebody else's
   */
  async item(action: string, value: HandlerValues & { namespace: string[]; key: string }): Promise<string[]> {
    const seen = await this.ask("store", action, value);
    if (!seen) return value.namespace;
    if (action === "put" && !permitsItem(seen, { ...value, value: value.value as HandlerValues }))
      throw new Denied("Not authorized");
    const item = await this.deps.agent.items.get(value.namespace, value.key, { refresh_ttl: false });
    if (item && !permitsItem(seen, item)) throw new NotFound("Item not found");
    return value.namespace;
  }

  /** The assistants that the graphs have by themselves are there for everybody who may start runs. */
  async runnable(given: string): Promise<void> {
    const { graphs } = this.deps.agent.project;
    const own = Object.keys(graphs).map((name) => meantAssistant({ graphs }, name));
    if (own.includes(this.#meant(given))) return;
    await this.assistant(given, "read").catch((error) => {
      throw error instanceof NotFound ? noAssistant(given) : error;
    });
  }

  /** What runs where none is named; the thread's owner may have written that there. */
  async #lastAssistant(threadId: string | undefined): Promise<unknown> {
    if (threadId === undefined) return undefined;
    return (await this.deps.agent.threads.find(threadId.toLowerCase()))?.metadata.assistant_id;
  }

  #meant(given: string): string {
    return meantAssistant(this.deps.agent.project, given);
  }

  async #seesThread(threadId: string, seen: MetadataFilter | undefined): Promise<boolean> {
    if (!seen) return true;
    const thread = await this.deps.agent.threads.find(threadId.toLowerCase());
    return thread === undefined || permits(seen, thread.metadata);
  }

  async #seesAssistant(given: string, seen: MetadataFilter): Promise<boolean> {
    const assistant = await this.deps.agent.assistants.get(this.#meant(given)).catch((error) => {
      if (error instanceof NotFound) return undefined;
      throw error;
    });
    return assistant === undefined || permits(seen, assistant.metadata);
  }
}

const noThread = (threadId: string) => new NotFound(`Thread with ID ${threadId} not found`);
const noAssistant = (given: string) =>
  new NotFound(
    `No assistant found for "${given}". Make sure the assistant ID is for a valid assistant or a valid graph ID.`,
  );
