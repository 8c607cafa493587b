import { type NewTraceFeedback, type Sessions, type SpanWrite, type Traces, Turns } from "@berth/store";
import { feedbackOf, type RunForm, spanOf, traceIdOf, uuid } from "./run-form.ts";
import type { Told } from "./run-parts.ts";

/** What became of a request: what is kept now, and what could not be, with the first reason. */
export type IngestOutcome = { written: number; dropped: number; reason?: string };

/** Whose runs are told of; where `place` says so, all of them are of one project, whatever they say. */
export type RunsOwner = { workspaceId: string; place?: { sessionId: string; revisionId: string } };

type IngestDeps = { sessions: Sessions; traces: Traces };

/** Where runs go that name no project. */
const DEFAULT_PROJECT = "default";
const LONGEST_NAME = 200;
/** Clients send in several requests at once: feedback may overtake the run that it is about. */
const OVERTAKEN_MS = 1_000;
const LOOK_EVERY_MS = 200;
const NO_RUN = "The run of a feedback is not here";

/** Turns what the `langsmith` clients send into spans and feedback of a workspace. */
export class Ingest {
  constructor(private readonly deps: IngestDeps) {}

  /** Keeps what is told; resolves when it is committed. */
  async take(owner: RunsOwner, told: Told): Promise<IngestOutcome> {
    const runs = await this.runs(owner, told.runs);
    if (told.feedback.length === 0) return runs;
    const feedback = await this.feedback(owner.workspaceId, told.feedback);
    const reason = runs.reason ?? feedback.reason;
    return {
      written: runs.written + feedback.written,
      dropped: runs.dropped + feedback.dropped,
      ...(reason !== undefined && { reason }),
    };
  }

  /** Keeps runs; the same ones twice change nothing the second time. */
  async runs({ workspaceId, place }: RunsOwner, forms: readonly RunForm[]): Promise<IngestOutcome> {
    const places = new Places(this.deps, workspaceId);
    const spans: SpanWrite[] = [];
    const reasons: string[] = [];
    const turns = new Turns();
    for (const told of forms) {
      await turns.rest();
      const form = place ? { ...told, session_name: undefined, session_id: place.sessionId } : told;
      const placed = await places.of(form);
      if (typeof placed === "string") reasons.push(placed);
      else spans.push(withRevision({ ...spanOf(form, placed), session_id: placed.sessionId }, place));
    }
    const { written, dropped } = await this.deps.traces.write(spans);
    if (dropped > 0) reasons.push("A trace has more spans than are kept, or belongs to another workspace");
    return taken(written, dropped + forms.length - spans.length, reasons);
  }

  /** Keeps feedback on runs that are here, or come within a second. */
  async feedback(workspaceId: string, forms: readonly Record<string, unknown>[]): Promise<IngestOutcome> {
    const entries = forms.map(feedbackOf).filter((entry) => entry !== undefined);
    const limit = performance.now() + OVERTAKEN_MS;
    let written = 0;
    let waiting: NewTraceFeedback[] = entries;
    while (waiting.length > 0) {
      const outcome = await this.deps.traces.feedback(workspaceId, waiting);
      written += outcome.written;
      waiting = outcome.early;
      if (waiting.length === 0 || performance.now() > limit) break;
      await Bun.sleep(LOOK_EVERY_MS);
    }
    const reasons: string[] = [];
    if (entries.length < forms.length) reasons.push("Feedback needs a key and the id of a run or a trace");
    if (written < entries.length) reasons.push(NO_RUN);
    return taken(written, forms.length - written, reasons);
  }
}

function taken(written: number, dropped: number, [reason]: string[]): IngestOutcome {
  return reason === undefined ? { written, dropped } : { written, dropped, reason };
}

/** The span of a run itself says which revision it ran on. */
function withRevision(span: SpanWrite, place: RunsOwner["place"]): SpanWrite {
  if (!place || span.id !== span.trace_id) return span;
  return { ...span, metadata: { ...span.metadata, revision_id: place.revisionId } };
}

type Place = { id: string; traceId: string; sessionId: string };

/** Finds the trace and the session of each run of one request. */
class Places {
  readonly #named = new Map<string, string>();
  readonly #ofTrace = new Map<string, string>();

  constructor(
    private readonly deps: IngestDeps,
    private readonly workspaceId: string,
  ) {}

  /** The place of a run, or why it has none. */
  async of(form: RunForm): Promise<Place | string> {
    const id = uuid(form.id);
    if (!id) return "A run needs an id, which is a UUID";
    const traceId = await this.#traceOf(form, id);
    if (!traceId) return `The trace of run ${id} is not known: it needs a trace_id`;
    const sessionId = await this.#sessionOf(form, id, traceId);
    if (!sessionId) return "There is no project of this session_id";
    this.#ofTrace.set(traceId, sessionId);
    return { id, traceId, sessionId };
  }

  async #traceOf(form: RunForm, id: string): Promise<string | undefined> {
    const said = traceIdOf(form, id);
    if (said) return said;
    const { traces } = this.deps;
    const own = await traces.place(this.workspaceId, id);
    if (own) return own.trace_id;
    const parent = uuid(form.parent_run_id);
    if (parent) return (await traces.place(this.workspaceId, parent))?.trace_id;
    // One that begins, with nothing above it, is a trace of its own; news of one that nobody knows are not.
    return form.start_time === undefined ? undefined : id;
  }

  async #sessionOf(form: RunForm, id: string, traceId: string): Promise<string | undefined> {
    const { session_name, session_id, address } = form;
    const name = nameOf(session_name) ?? (session_id ? undefined : nameOf(address));
    if (name) return this.#ensure(name);
    if (session_id) return this.#existing(String(session_id));
    const ofTrace = this.#ofTrace.get(traceId);
    if (ofTrace) return ofTrace;
    const { traces } = this.deps;
    const place =
      (await traces.place(this.workspaceId, traceId)) ?? (await traces.place(this.workspaceId, id));
    return place?.session_id ?? this.#ensure(DEFAULT_PROJECT);
  }

  async #ensure(name: string): Promise<string> {
    const known = this.#named.get(name);
    if (known) return known;
    const { id } = await this.deps.sessions.ensure(this.workspaceId, name);
    this.#named.set(name, id);
    return id;
  }

  async #existing(id: string): Promise<string | undefined> {
    const known = this.#named.get(id);
    if (known) return known;
    const session = await this.deps.sessions.find(id.toLowerCase());
    if (session?.workspace_id !== this.workspaceId) return undefined;
    this.#named.set(id, session.id);
    return session.id;
  }
}

const nameOf = (value: unknown): string | undefined =>
  typeof value === "string" && value.trim() !== "" ? value.trim().slice(0, LONGEST_NAME) : undefined;
