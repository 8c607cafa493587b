import {
  type Assistant,
  type Assistants,
  type CancelAction,
  type CancelOutcome,
  type Clock,
  Conflict,
  type Database,
  deleteEndedRun,
  END,
  findRun,
  isInflight,
  LeaseLost,
  listRuns,
  type NewRun,
  NotFound,
  noteFirstReader,
  type Run,
  type RunStatus,
  readRunEventsBack,
  runsInGroups,
  type StoredEvent,
} from "@berth/store";
import {
  CHANGES,
  type FrameText,
  followRun,
  patiently,
  RunStreamView,
  readPosition,
  SharedReads,
  type StreamPosition,
} from "../events/index.ts";
import { requirePairedSurrogates } from "../paired-surrogates.ts";
import { assistantId, type ServedProject } from "../project/index.ts";
import type { ThreadChanges } from "../threads/index.ts";
import { cancelRuns, type RunSelection } from "./bulk-cancel.ts";
import { requireCheckpoint } from "./given-checkpoint.ts";
import type { RunKwargs } from "./kwargs.ts";
import type { RunQueue } from "./queue.ts";
import { planRun, type RunPlace, type RunRequest } from "./request.ts";
import { resultInLog, resultText } from "./result.ts";
import { unannouncedMs } from "./session.ts";
import { requireSameLanguage } from "./thread-language.ts";

export type RunsDeps = {
  db: Database;
  clock: Clock;
  project: Pick<ServedProject, "graphs">;
  assistants: Assistants;
  queue: RunQueue;
  changes: Pick<ThreadChanges, "settleAtHead">;
  /** JSON of a thread's last values. */
  threadValues: (threadId: string) => Promise<string | undefined>;
  /** @throws Invalid no webhook may have this address */
  checkWebhook?: ((webhook: string) => Promise<void>) | undefined;
};

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** Behind whatever parts an event may have. */
const EVERY_PART = 1_000_000;
const SEGMENTS_A_READ = 4;

/** Runs as the HTTP areas use them: create, follow, wait, cancel, delete. */
export class Runs {
  readonly #reads: SharedReads;

  constructor(private readonly deps: RunsDeps) {
    this.#reads = new SharedReads(deps.db);
  }

  /**
   * Creates a run; it has begun or waits in the queue when this resolves.
   * @throws NotFound no such assistant, graph, thread or checkpoint
   * @throws Conflict the thread is busy and the strategy is `reject`, or a graph of the other language wrote it
   * @throws Invalid its webhook may not be called, or its graph cannot store what it is given
   */
  async create(request: RunRequest, place: RunPlace): Promise<Run> {
    const { db, queue } = this.deps;
    if (request.webhook) await this.deps.checkWebhook?.(request.webhook);
    const assistant = await this.assistant(request.assistant_id);
    this.#requireFitting(request, assistant);
    const wanted = planRun(request, assistant, place, this.deps.clock.now());
    await requireCheckpoint(db.read, wanted);
    await requireSameLanguage(db.read, this.deps.project.graphs, wanted);
    return (
      (mayStayUnannounced(wanted, place) && queue.startUnannounced(wanted)) ||
      queue.submit(wanted, place.follow === "stream", { check: place.check })
    );
  }

  /**
   * Creates stateless runs in the order given; none where one of them has no assistant.
   * @param runIds theirs, where somebody was told of them before
   * @throws NotFound no such assistant, graph or checkpoint
   */
  async createMany(
    requests: RunRequest[],
    headers: RunPlace["headers"],
    runIds: readonly string[] = [],
  ): Promise<Run[]> {
    const { clock, db, queue } = this.deps;
    const planned: NewRun[] = [];
    for (const [at, request] of requests.entries()) {
      if (request.webhook) await this.deps.checkWebhook?.(request.webhook);
      const place: RunPlace = { headers, threadId: undefined, follow: "none", runId: runIds[at] };
      const assistant = await this.assistant(request.assistant_id);
      this.#requireFitting(request, assistant);
      const wanted = planRun(request, assistant, place, clock.now());
      await requireCheckpoint(db.read, wanted);
      planned.push(wanted);
    }
    return Promise.all(planned.map((wanted) => queue.submit(wanted)));
  }

  #requireFitting({ input, command }: RunRequest, { graph_id }: Assistant): void {
    requirePairedSurrogates(this.deps.project.graphs[graph_id]?.language, { input, command });
  }

  /** So long (ms) who waits for a run need not be told its id: most are over by then. */
  get unannouncedMs(): number {
    return unannouncedMs(this.deps.db.sql.name === "postgres");
  }

  /** Has to resolve before a client is told of a run that was created for somebody who waits. */
  announce(run: Run): Promise<void> {
    return this.deps.queue.announce(run.run_id);
  }

  /**
   * A run, seen under the thread that the path names.
   * @throws NotFound
   */
  async get(runId: string, threadId?: string): Promise<Run> {
    const run = await findRun(this.deps.db, runId);
    if (!run || (threadId !== undefined && run.thread_id !== threadId)) throw new NotFound("Run not found");
    return run;
  }

  list(threadId: string, page: { limit: number; offset: number; status?: RunStatus }): Promise<Run[]> {
    return listRuns(this.deps.db, threadId, page);
  }

  /** A page of a thread's runs, newest first, some at a time. */
  listInGroups(
    threadId: string,
    page: { limit: number; offset: number; status?: RunStatus },
  ): AsyncGenerator<Run[]> {
    return runsInGroups(this.deps.db, threadId, page);
  }

  /** Server-sent events of a run behind `from`, until its end. `gone` stops a reader that waits. */
  async *stream(
    run: Run,
    from: StreamPosition,
    modes: string[] | undefined,
    gone: AbortSignal,
  ): AsyncGenerator<FrameText> {
    const asked = modes ?? (run.kwargs as RunKwargs).stream_mode;
    const view = new RunStreamView(new Set(asked), from, run.kwargs);
    let hasValues = false;
    for await (const events of followRun(this.#follow(), run.run_id, view.readAfter, gone)) {
      yield* view.render(events);
      hasValues ||= events.some(({ name }) => name === "values");
      const kept = hasValues ? "" : await this.#keptValues(run, asked, from, events.at(-1));
      if (kept) yield kept;
    }
  }

  /** What a run has published behind `after`, as it is stored, until its end. `gone` stops a reader that waits. */
  frames(run: Run, after: number, gone: AbortSignal): AsyncGenerator<StoredEvent[]> {
    return followRun(this.#follow(), run.run_id, after, gone);
  }

  /** The last values of a run whose log has none, told with its end. */
  async #keptValues(
    run: Run,
    asked: string[],
    from: StreamPosition,
    last: StoredEvent | undefined,
  ): Promise<string> {
    if (last?.name !== END || last.seq <= from.seq) return "";
    if (!keepsValuesInThread(run) || !asked.includes("values")) return "";
    if ((JSON.parse(last.json) as { status: string }).status !== "success") return "";
    const values = await this.deps.threadValues(run.thread_id);
    return values === undefined ? "" : `id: ${last.seq}\nevent: values\ndata: ${values}\n\n`;
  }

  /**
   * Where a reader joins: behind the event it names. Without one the first reader of a run begins with it, wherever the
   * run is by then; a later one at what comes next, or for an ended run at its last values and its error.
   */
  async joinAt(run: Run, lastEventId: string | null): Promise<StreamPosition> {
    const named = lastEventId === null ? undefined : readPosition(lastEventId);
    if (named) return named;
    if (run.has_reader === 0 && (await noteFirstReader(this.deps.db, run))) return { seq: 0, part: 0 };
    const behind = (seq: number) => ({ seq, part: EVERY_PART });
    let newest: StoredEvent | undefined;
    let error: StoredEvent | undefined;
    for await (const event of this.#newestFirst(run.run_id)) {
      newest ??= event;
      if (newest.name !== END) break;
      if (event.name === "values" || event.name === CHANGES) return behind(event.seq - 1);
      if (event.name === "error") error ??= event;
    }
    const last = newest?.seq ?? 0;
    return behind(error ? error.seq - 1 : keepsValuesInThread(run) ? last - 1 : last);
  }

  /** Waits for the end of a run, wherever it runs; the JSON text of its result. */
  async result(run: Run, gone: AbortSignal): Promise<string> {
    const stored = () => patiently(() => this.deps.threadValues(run.thread_id), gone);
    let failure: unknown;
    while (!gone.aborted) {
      const local = this.deps.queue.result(run);
      if (local) {
        const result = await local.catch(fault);
        if ("status" in result && result.status !== "handed back") return resultText(result, stored);
        if ("fault" in result) failure = result.fault;
      }
      const now = await patiently(() => findRun(this.deps.db, run.run_id), gone);
      // One that is in the database is tried again, here or elsewhere; one that never got there is not.
      if (!now && failure !== undefined && !(failure instanceof LeaseLost)) throw failure;
      if (!now || !isInflight(now.status))
        return resultText(
          now?.error
            ? { error: JSON.parse(now.error) }
            : await patiently(() => resultInLog(this.#newestFirst(run.run_id)), gone),
          stored,
        );
      await nudged(this.deps.queue, run.run_id, gone);
    }
    return "{}";
  }

  /** @throws Conflict the run is over */
  async cancel(run: Run, action: CancelAction): Promise<CancelOutcome> {
    const outcome = await this.deps.queue.cancel(run.run_id, action);
    if (outcome === "unknown") throw new NotFound("Run not found");
    if (outcome === "over") throw new Conflict(`Run ${run.run_id} has already ended (${run.status})`);
    return outcome;
  }

  /** @throws NotFound none of the runs that are named is there */
  cancelMany(selection: RunSelection, action: CancelAction): Promise<void> {
    return cancelRuns(this.deps, selection, action);
  }

  /**
   * Resolves when a run that was asked to stop has stopped.
   * @returns whether a node of it goes on all the same, as far as this process knows
   */
  async ended(run: Run, gone: AbortSignal): Promise<{ nodeRuns: boolean }> {
    for (;;) {
      // However this attempt ended, the database says what became of the run.
      const result = await this.deps.queue.result(run)?.catch(fault);
      const nodeRuns = result !== undefined && "nodeRuns" in result && result.nodeRuns === true;
      const now = await findRun(this.deps.db, run.run_id);
      if (gone.aborted || !now || !isInflight(now.status)) return { nodeRuns };
      await nudged(this.deps.queue, run.run_id, gone);
    }
  }

  /** Deletes a run with its checkpoints and events; one that is under way is stopped first. */
  async delete(run: Run, gone: AbortSignal): Promise<void> {
    if (isInflight(run.status)) {
      await this.deps.queue.cancel(run.run_id, "rollback");
      await this.ended(run, gone);
      // Nobody waits any more, and it has been told to leave nothing behind.
      if (gone.aborted) return;
    }
    const { db, clock, changes } = this.deps;
    const wasHead = await db.write((tx) => deleteEndedRun(tx, run, clock.now()));
    if (wasHead) await changes.settleAtHead(run.thread_id);
  }

  /**
   * The assistant that a request means; the project has its graph.
   * @throws NotFound
   */
  async assistant(given: string): Promise<Assistant> {
    const id = Object.hasOwn(this.deps.project.graphs, given) ? assistantId(given) : given;
    const unknown = new NotFound(
      `No assistant found for "${given}". Make sure the assistant ID is for a valid assistant or a valid graph ID.`,
    );
    if (!UUID.test(id)) throw unknown;
    const assistant = await this.deps.assistants.get(id.toLowerCase()).catch((error) => {
      throw error instanceof NotFound ? unknown : error;
    });
    if (Object.hasOwn(this.deps.project.graphs, assistant.graph_id)) return assistant;
    throw new NotFound(`Graph "${assistant.graph_id}" not found`);
  }

  /** A run's events from the last one back, a few segments at a time: a log may be larger than memory. */
  async *#newestFirst(runId: string): AsyncGenerator<StoredEvent> {
    let before = Number.MAX_SAFE_INTEGER;
    for (;;) {
      const events = await readRunEventsBack(this.deps.db, runId, before, SEGMENTS_A_READ);
      yield* events;
      const oldest = events.at(-1);
      if (!oldest) return;
      before = oldest.seq;
    }
  }

  #follow() {
    const { db, queue } = this.deps;
    return {
      db,
      reads: this.#reads,
      feed: (runId: string) => queue.feed(runId),
      nudged: (runId: string, signal: AbortSignal | undefined) => nudged(queue, runId, signal),
    };
  }
}

const fault = (error: unknown) => ({ fault: error });

/** Nothing of the run outlives it, and nobody hears of it before its end. */
function mayStayUnannounced(wanted: NewRun, place: RunPlace): boolean {
  const { webhook } = wanted.kwargs as RunKwargs;
  return (
    place.follow === "wait" &&
    wanted.on_completion === "delete" &&
    !webhook &&
    wanted.not_before <= wanted.created_at
  );
}

/** The thread's checkpoints hold its last values; its log does not repeat them. */
function keepsValuesInThread(run: Run): boolean {
  return run.on_completion !== "delete" && (run.kwargs as RunKwargs).final_values_only === true;
}

/** A run that is quiet here is looked at again at least this often: another process may execute it. */
const LOOK_AGAIN_MS = 1_000;

const nudged = ({ nudges }: Pick<RunQueue, "nudges">, runId: string, gone: AbortSignal | undefined) =>
  nudges.wait(runId, { abort: gone, limitMs: LOOK_AGAIN_MS });
