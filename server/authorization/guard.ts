import { type Agent, type AuthResource, type AuthUser, meantAssistant, type ProjectAuth } from "@berth/agent";
import {
  Conflict,
  type Cron,
  Denied,
  type MetadataFilter,
  NotFound,
  permits,
  permitsItem,
} from "@berth/store";
import { changeable, type HandlerValues, withChanges } from "./handler-values.ts";

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
  /** What the run is to do, as the handler left it. */
  work: RunWork;
  /** The other members of the request that the handler could change, as the handler left them. */
  more: HandlerValues;
};

/** What a run is to do, whichever door asks for it; other members of a request are left out. */
export type RunWork = { input?: unknown; command?: unknown; config?: unknown; context?: unknown };

/** What a caller wants of a run that does not exist yet. */
type WantedRun = {
  threadId?: string | undefined;
  /** Whether a missing thread is created. */
  createsThread?: boolean;
  assistantId?: unknown;
  metadata?: unknown;
  work: RunWork;
  /** Other members of `value`, which handlers only read. */
  about?: HandlerValues;
  /** Other members of the request, which handlers may change. */
  more?: HandlerValues;
};

/** What a question to the handlers is about. */
type Question = {
  /** Members of `value` that handlers only read: ids. */
  about?: HandlerValues;
  /** Members of `value` that handlers may change. */
  fields?: HandlerValues;
};

/** The answer to a question: what the user may see, undefined for everything, and the fields as the handler left them. */
type Decision = { seen: MetadataFilter | undefined; fields: HandlerValues };

/**
 * Whether the user may use a resource. A foreign resource, which belongs to another user, gets the answer of a missing
 * one. Without a filter every resource is permitted, and the route finds out whether it exists.
 */
type ResourceAccess = "permitted" | "foreign" | "missing";

/**
 * What one user may do, as the project's handlers say. Each method asks one question. Foreign and missing resources
 * get their answer from the same line, so that the answers cannot differ. Where no `Guard` is, everything may be done.
 */
export class Guard {
  constructor(
    private readonly deps: GuardDeps,
    readonly user: AuthUser,
  ) {}

  /**
   * Asks the handler of an operation. Every operation asks here, so that a handler's changes count in each of them,
   * whether the handler replaces a member of `value` or changes it in place.
   * @throws Denied, AuthRefusal
   */
  async decide(resource: AuthResource, action: string, { about, fields = {} }: Question): Promise<Decision> {
    const value: HandlerValues = { ...about, ...changeable(fields) };
    const seen = await this.deps.auth.ask(this.user, { resource, action, value });
    return { seen, fields: withChanges(fields, value, `${resource}:${action}`) };
  }

  /**
   * What a list without a filter of its own may show. Metadata that the handler puts into `value` narrows the list.
   * @throws Denied, AuthRefusal
   */
  async listed(resource: AuthResource): Promise<MetadataFilter | undefined> {
    const { seen, fields } = await this.decide(resource, "search", { fields: { metadata: {} } });
    const contain = { ...(fields.metadata as HandlerValues) };
    if (Object.keys(contain).length === 0) return seen;
    return seen ? { all: [seen, { contain }] } : { contain };
  }

  /** @throws NotFound it is foreign or missing */
  async thread(threadId: string, action: string, question: Question = {}): Promise<HandlerValues> {
    const { access, fields } = await this.threadAccess(threadId, action, question);
    if (access !== "permitted") throw missingThread(threadId);
    return fields;
  }

  /** For operations that also answer for a missing thread. */
  async threadAccess(
    threadId: string,
    action: string,
    { about, fields }: Question = {},
  ): Promise<{ access: ResourceAccess; fields: HandlerValues }> {
    const asked = { about: { thread_id: threadId, ...about }, fields };
    const decision = await this.decide("threads", action, asked);
    return { access: await this.#threadAccess(threadId, decision.seen), fields: decision.fields };
  }

  /** Those of the threads that the user may change in this way. */
  async threads(threadIds: string[], action: string): Promise<string[]> {
    const kept: string[] = [];
    for (const id of threadIds) {
      const { access } = await this.threadAccess(id, action);
      if (access === "permitted") kept.push(id);
    }
    return kept;
  }

  /**
   * A run by the thread that it is on; one of a thread that is not kept by what was said of it.
   * @param threadId the thread that the path names
   * @throws NotFound
   */
  async run(runId: string, action: string, threadId?: string, more: HandlerValues = {}): Promise<void> {
    const run = await this.deps.agent.runs.get(runId, threadId).catch(noneOf);
    // Also for a missing run: a handler that refuses must not tell it from a foreign one.
    const about = { thread_id: threadId ?? run?.thread_id, run_id: runId, ...more };
    const { seen } = await this.decide("threads", action, { about });
    const thread = run && (await this.deps.agent.threads.find(run.thread_id));
    if (!run || !permits(seen, thread ? thread.metadata : run.metadata)) throw new NotFound("Run not found");
  }

  /**
   * Whether the user may start a run.
   * @throws NotFound its thread is foreign, or missing and not created; its assistant is foreign or missing
   */
  async newRun(wanted: WantedRun): Promise<RunPermit> {
    const { threadId, createsThread, assistantId, metadata, work, more } = wanted;
    if (typeof assistantId === "string") await this.runnable(assistantId);
    const { input, command, config, context } = work;
    const runId = Bun.randomUUIDv7();
    const assistant_id = this.#namedAssistant(assistantId);
    const about = { thread_id: threadId, assistant_id, run_id: runId, status: "pending" };
    const { seen, fields } = await this.decide("threads", "create_run", {
      about: { ...about, ...wanted.about },
      fields: { metadata, ...more, kwargs: { input, command, config, context } },
    });
    if (threadId !== undefined) {
      const access = await this.#threadAccess(threadId, seen);
      const mayBeMissing = createsThread || fields.if_not_exists === "create";
      if (access === "foreign" || (access === "missing" && !mayBeMissing)) throw missingThread(threadId);
      // Only now: the metadata of a foreign thread must not show in an answer.
      if (assistantId === undefined) await this.#lastRunnable(threadId);
    }
    const { metadata: changed, kwargs, ...rest } = fields;
    return {
      runId,
      metadata: { ...(changed as HandlerValues) },
      work: { ...(kwargs as RunWork) },
      more: rest,
    };
  }

  /**
   * A new thread, or one that is there; gives the metadata that it is to have.
   * @throws Conflict its id is another user's
   */
  async newThread(threadId: string | undefined, metadata: unknown, more: HandlerValues = {}) {
    const about = { thread_id: threadId, ...more };
    const { seen, fields } = await this.decide("threads", "create", { about, fields: { metadata } });
    if (threadId !== undefined && (await this.#threadAccess(threadId, seen)) === "foreign")
      throw new Conflict("Thread already exists");
    return { ...(fields.metadata as HandlerValues) };
  }

  /** @throws NotFound it is foreign or missing */
  async assistant(given: string, action: string, fields: HandlerValues = {}): Promise<HandlerValues> {
    const about = { assistant_id: this.#meant(given) };
    const decision = await this.decide("assistants", action, { about, fields });
    if ((await this.#assistantAccess(given, decision.seen)) !== "permitted")
      throw new NotFound("Assistant not found");
    return decision.fields;
  }

  /** @throws Conflict its id is another user's */
  async newAssistant(
    assistantId: unknown,
    about: HandlerValues,
    fields: HandlerValues,
  ): Promise<HandlerValues> {
    const asked = { about: { assistant_id: assistantId, ...about }, fields };
    const decision = await this.decide("assistants", "create", asked);
    if (
      typeof assistantId === "string" &&
      (await this.#assistantAccess(assistantId, decision.seen)) === "foreign"
    )
      throw new Conflict("Assistant already exists");
    return decision.fields;
  }

  /** @throws NotFound it is foreign or missing */
  async cron(
    cronId: string,
    action: string,
    fields: HandlerValues = {},
  ): Promise<{ cron: Cron; fields: HandlerValues }> {
    const decision = await this.decide("crons", action, { about: { cron_id: cronId }, fields });
    const cron = await this.deps.agent.crons.get(cronId);
    if (!permits(decision.seen, cron.metadata)) throw new NotFound("Cron not found");
    return { cron, fields: decision.fields };
  }

  /**
   * An item of the store, by the namespace and the key that the handler leaves, which may be others.
   * @throws Denied a put would make it another user's
   */
  async item(
    action: string,
    fields: HandlerValues,
  ): Promise<{ access: ResourceAccess; fields: HandlerValues }> {
    const decision = await this.decide("store", action, { fields });
    const { namespace, key, value } = decision.fields as { namespace: string[]; key: string; value: unknown };
    const { seen } = decision;
    if (!seen) return { access: "permitted", fields: decision.fields };
    if (action === "put" && !permitsItem(seen, { namespace, key, value: value as HandlerValues }))
      throw new Denied("Not authorized");
    const item = await this.deps.agent.items.get(namespace, key, { refresh_ttl: false });
    const access = item === null ? "missing" : permitsItem(seen, item) ? "permitted" : "foreign";
    return { access, fields: decision.fields };
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
  async #lastRunnable(threadId: string): Promise<void> {
    const thread = await this.deps.agent.threads.find(threadId.toLowerCase());
    const last = thread?.metadata.assistant_id;
    if (typeof last === "string") await this.runnable(last);
  }

  /** Returns the name of a graph as it is, and an id in lower case, in which it is stored. */
  #namedAssistant(given: unknown): unknown {
    if (typeof given !== "string" || Object.hasOwn(this.deps.agent.project.graphs, given)) return given;
    return given.toLowerCase();
  }

  #meant(given: string): string {
    return meantAssistant(this.deps.agent.project, given);
  }

  async #threadAccess(threadId: string, seen: MetadataFilter | undefined): Promise<ResourceAccess> {
    if (!seen) return "permitted";
    return accessTo(await this.deps.agent.threads.find(threadId.toLowerCase()), seen);
  }

  async #assistantAccess(given: string, seen: MetadataFilter | undefined): Promise<ResourceAccess> {
    if (!seen) return "permitted";
    return accessTo(await this.deps.agent.assistants.get(this.#meant(given)).catch(noneOf), seen);
  }
}

function accessTo(found: { metadata: HandlerValues } | undefined, seen: MetadataFilter): ResourceAccess {
  if (!found) return "missing";
  return permits(seen, found.metadata) ? "permitted" : "foreign";
}

function noneOf(error: unknown): undefined {
  if (!(error instanceof NotFound)) throw error;
}

export const missingThread = (threadId: string) => new NotFound(`Thread with ID ${threadId} not found`);
const noAssistant = (given: string) =>
  new NotFound(
    `No assistant found for "${given}". Make sure the assistant ID is for a valid assistant or a valid graph ID.`,
  );
