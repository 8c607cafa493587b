import {
  type Database,
  END,
  findRun,
  newestSegment,
  type Run,
  readRunEvents,
  type StoredEvent,
} from "@berth/store";
import { type FrameText, RunStreamView, readPosition, type StreamPosition } from "./run-stream.ts";
import { followThread, type ThreadFeeds, type ThreadFrame } from "./thread-feed.ts";

export type ThreadStreamDeps = {
  db: Database;
  feeds: ThreadFeeds;
  /** JSON of the thread's newest state; undefined once there is no such thread. */
  stateText: (threadId: string) => Promise<string | undefined>;
  /** JSON of the values that a run left in its thread. */
  runValues: (run: Pick<Run, "run_id" | "thread_id">) => Promise<string | undefined>;
};

/** Behind whatever parts a frame may have. */
const EVERY_PART = 1_000_000;
const SEGMENTS_A_READ = 16;

/**
 * Where a reader of a thread begins: behind the event it names, at the beginning (`-`), or at what comes next.
 */
export async function threadPosition(
  { db }: Pick<ThreadStreamDeps, "db">,
  threadId: string,
  lastEventId: string | null,
): Promise<StreamPosition> {
  const named = lastEventId === null ? undefined : readPosition(lastEventId);
  if (named) return named;
  const newest = await newestSegment(db, threadId);
  return { seq: newest?.events.at(-1)?.seq ?? 0, part: EVERY_PART };
}

/**
 * Server-sent events of all the runs of a thread, one after the other, until the reader leaves or the thread is
 * deleted (`agent-server.md` §9). Each run shows the modes that it was created with.
 */
export async function* streamThread(
  deps: ThreadStreamDeps,
  threadId: string,
  { modes, from, signal }: { modes: ReadonlySet<string>; from: StreamPosition; signal: AbortSignal },
): AsyncGenerator<FrameText> {
  const views = new RunViews(deps.db, from);
  for await (const { items } of followThread(deps, threadId, Math.max(0, from.seq - 1), signal)) {
    for (const frame of items) {
      const { view, isQuiet } = await views.of(frame);
      if (modes.has("run_modes")) yield* view.render([frame]);
      const own = await ownEvents(deps, threadId, frame, { modes, from, isQuiet });
      if (own) yield own;
      if (frame.name === END) views.close(frame);
    }
  }
}

/** `isQuiet`: its log has no values, its thread's checkpoints have the last ones. */
type Shown = { view: RunStreamView; isQuiet: boolean };

/** How each run that goes by is shown. */
class RunViews {
  readonly #views = new Map<string, Shown>();

  constructor(
    private readonly db: Database,
    private readonly from: StreamPosition,
  ) {}

  async of(frame: ThreadFrame): Promise<Shown> {
    const known = this.#views.get(frame.run_id);
    if (known) return known;
    const run = await findRun(this.db, frame.run_id);
    const modes = run?.kwargs.stream_mode;
    const view = new RunStreamView(
      new Set(Array.isArray(modes) ? modes : ["values"]),
      this.from,
      run?.kwargs,
    );
    const isQuiet = run?.kwargs.final_values_only === true && run.on_completion !== "delete";
    const shown = { view, isQuiet };
    this.#views.set(frame.run_id, shown);
    // It may have to see what came before: messages grow from their tokens, states from their changes.
    if (view.readAfter === 0) await this.#catchUp(view, frame);
    return shown;
  }

  close({ run_id }: ThreadFrame): void {
    this.#views.delete(run_id);
  }

  async #catchUp(view: RunStreamView, { run_id, seq }: ThreadFrame): Promise<void> {
    let cursor = 0;
    while (cursor < seq - 1) {
      const events: StoredEvent[] = await readRunEvents(this.db, run_id, cursor, SEGMENTS_A_READ);
      const before = events.filter((event) => event.seq < seq);
      // Nothing of this is news: it lies at or before the reader's own position.
      for (const _ of view.render(before));
      const last = before.at(-1);
      if (!last || before.length < events.length) return;
      cursor = last.seq;
    }
  }
}

type Asked = { modes: ReadonlySet<string>; from: StreamPosition; isQuiet: boolean };

/** What a thread's stream says by itself, as parts of the frame that it says it about. */
async function ownEvents(
  deps: ThreadStreamDeps,
  threadId: string,
  frame: ThreadFrame,
  { modes, from, isQuiet }: Asked,
): Promise<string> {
  const { seq, name, run_id } = frame;
  const part = (number: number, event: string, json: string | undefined) =>
    json !== undefined && (seq > from.seq || number > from.part)
      ? `id: ${number === 0 ? seq : `${seq}-${number}`}\nevent: ${event}\ndata: ${json}\n\n`
      : "";
  if (name === "metadata" && modes.has("lifecycle")) {
    const { attempt } = JSON.parse(frame.json) as { attempt: number };
    return part(1, "lifecycle", JSON.stringify({ event: "started", run_id, status: "running", attempt }));
  }
  if (name !== END) return "";
  const { status } = JSON.parse(frame.json) as { status: string };
  const showsValues = modes.has("run_modes") && isQuiet && status === "success";
  const values = showsValues ? await deps.runValues({ run_id, thread_id: threadId }) : undefined;
  // Of a quiet run its values are the first part, whether there are any left or not.
  const first = isQuiet ? 1 : 0;
  const done = modes.has("run_modes") ? JSON.stringify({ run_id, status }) : undefined;
  const ended = modes.has("lifecycle") ? JSON.stringify({ event: "ended", run_id, status }) : undefined;
  const state = modes.has("state_update") ? await deps.stateText(threadId) : undefined;
  return (
    part(0, "values", values) +
    part(first, "run_done", done) +
    part(first + 1, "lifecycle", ended) +
    part(first + 2, "state_update", state)
  );
}
