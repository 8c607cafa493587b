import { type Database, END, findRun, newestSegment, readRunEvents, type StoredEvent } from "@berth/store";
import { followThread } from "./follow-thread.ts";
import { RunStreamView, readPosition, type StreamPosition } from "./run-stream.ts";
import type { ThreadFeeds, ThreadFrame } from "./thread-feed.ts";

/** What a reader of a whole thread may ask for: its runs' events, when they begin and end, its state after each. */
export type ThreadStreamMode = "run_modes" | "lifecycle" | "state_update";

export type ThreadStreamDeps = {
  db: Database;
  feeds: ThreadFeeds;
  /** JSON of the thread's newest state; undefined once there is no such thread. */
  stateText: (threadId: string) => Promise<string | undefined>;
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
): AsyncGenerator<string> {
  const views = new RunViews(deps.db, from);
  for await (const { frames } of followThread(deps, threadId, Math.max(0, from.seq - 1), signal)) {
    let text = "";
    for (const frame of frames) {
      const view = await views.of(frame);
      if (modes.has("run_modes")) text += view.render([frame]);
      text += await ownEvents(deps, threadId, frame, { modes, from });
      if (frame.name === END) views.close(frame);
    }
    if (text) yield text;
  }
}

/** How each run that goes by is shown. */
class RunViews {
  readonly #views = new Map<string, RunStreamView>();

  constructor(
    private readonly db: Database,
    private readonly from: StreamPosition,
  ) {}

  async of(frame: ThreadFrame): Promise<RunStreamView> {
    const known = this.#views.get(frame.run_id);
    if (known) return known;
    const run = await findRun(this.db, frame.run_id);
    const modes = run?.kwargs.stream_mode;
    const view = new RunStreamView(
      new Set(Array.isArray(modes) ? modes : ["values"]),
      this.from,
      run?.kwargs,
    );
    this.#views.set(frame.run_id, view);
    // It may have to see what came before: messages grow from their tokens, states from their changes.
    if (view.readAfter === 0) await this.#catchUp(view, frame);
    return view;
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
      view.render(before);
      const last = before.at(-1);
      if (!last || before.length < events.length) return;
      cursor = last.seq;
    }
  }
}

type Asked = { modes: ReadonlySet<string>; from: StreamPosition };

/** What a thread's stream says by itself, as parts of the frame that it says it about. */
async function ownEvents(
  { stateText }: ThreadStreamDeps,
  threadId: string,
  frame: ThreadFrame,
  { modes, from }: Asked,
): Promise<string> {
  const { seq, name, run_id } = frame;
  const part = (number: number, event: string, json: string) =>
    seq > from.seq || number > from.part
      ? `id: ${number === 0 ? seq : `${seq}-${number}`}\nevent: ${event}\ndata: ${json}\n\n`
      : "";
  if (name === "metadata" && modes.has("lifecycle")) {
    const { attempt } = JSON.parse(frame.json) as { attempt: number };
    return part(1, "lifecycle", JSON.stringify({ event: "started", run_id, status: "running", attempt }));
  }
  if (name !== END) return "";
  const { status } = JSON.parse(frame.json) as { status: string };
  let text = modes.has("run_modes") ? part(0, "run_done", JSON.stringify({ run_id, status })) : "";
  if (modes.has("lifecycle")) {
    text += part(1, "lifecycle", JSON.stringify({ event: "ended", run_id, status }));
  }
  const state = modes.has("state_update") ? await stateText(threadId) : undefined;
  return state === undefined ? text : text + part(2, "state_update", state);
}
