import type { Checkpoint, ThreadState } from "@berth/server";
import {
  type ChatMessage,
  changedUi,
  isRecord,
  readMessages,
  type UiChange,
  type UiMessage,
  uiOf,
} from "../content.ts";

export type Todo = { content: string; status: "pending" | "in_progress" | "completed" };

/** What the page keeps of a checkpoint. */
export type Snapshot = {
  /** Ids of checkpoints grow with time, so the greatest is the newest. */
  id: string;
  parentId?: string;
  /** When it was written, in milliseconds. */
  at?: number;
  runId?: string;
  messageIds: string[];
  todos: Todo[];
  ui: UiMessage[];
  /** The questions at which the run stopped there. */
  asked: { id: string; value: unknown }[];
};

/** Every checkpoint of a thread that is known here, of all branches, and the messages that they hold. */
export type Timeline = {
  snapshots: ReadonlyMap<string, Snapshot>;
  messages: ReadonlyMap<string, ChatMessage>;
  /** The newest state. Without a checkpoint of its own where a message was just taken back. */
  head?: Snapshot;
  /** What was told of components since; the next values have it. */
  uiChanges: UiChange[];
  /** Whether the first checkpoint of the thread is among them. */
  complete: boolean;
  /** Whether the newest page of the history was read, or turned out not to be readable. */
  isRead: boolean;
};

export const NO_TIMELINE: Timeline = {
  snapshots: new Map(),
  messages: new Map(),
  uiChanges: [],
  complete: false,
  isRead: false,
};

type Named = Pick<Checkpoint, "checkpoint_id">;
/** What is read of a state of the history. */
type ReadState = Pick<ThreadState, "values" | "metadata" | "created_at"> & {
  tasks?: readonly { interrupts?: unknown }[];
  checkpoint: Named;
  parent_checkpoint: Named | null;
};

/** The timeline with states of the history in it; `complete` says that none is older. */
export function withHistory(timeline: Timeline, states: readonly ReadState[], complete: boolean): Timeline {
  const snapshots = new Map(timeline.snapshots);
  const messages = new Map(timeline.messages);
  let head = timeline.head;
  // Newest first: the newest form of a message stays.
  for (const state of states) {
    const id = state.checkpoint.checkpoint_id;
    const known = snapshots.get(id);
    const list = isRecord(state.values) ? state.values.messages : undefined;
    const read = readMessages(list);
    for (const message of read) if (!messages.has(message.id)) messages.set(message.id, message);
    const runId = state.metadata.run_id;
    const snapshot: Snapshot = {
      id,
      parentId: state.parent_checkpoint?.checkpoint_id,
      at: state.created_at ? Date.parse(state.created_at) : known?.at,
      runId: typeof runId === "string" ? runId : known?.runId,
      messageIds: known?.messageIds ?? idsOf(list),
      todos: todosOf(state.values),
      ui: uiOf(state.values),
      asked: askedIn(state.tasks ?? []),
    };
    snapshots.set(id, snapshot);
    if (!head || id > head.id || (id === head.id && !timeline.snapshots.has(id))) head = snapshot;
  }
  return { ...timeline, snapshots, messages, head, complete: timeline.complete || complete, isRead: true };
}

/** Older states of a page name a message by its id when a newer one has it whole. */
function idsOf(list: unknown): string[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((raw, place) => {
    const isOnlyId = isRecord(raw) && typeof raw.id === "string" && Object.keys(raw).length === 1;
    return isOnlyId
      ? String(raw.id)
      : readMessages([raw]).map(({ id }) => (id === "at-0" ? `at-${place}` : id));
  });
}

function askedIn(tasks: readonly { interrupts?: unknown }[]): Snapshot["asked"] {
  return tasks.flatMap(({ interrupts }) =>
    (Array.isArray(interrupts) ? interrupts : []).flatMap((one) =>
      isRecord(one) && typeof one.id === "string" ? [{ id: one.id, value: one.value }] : [],
    ),
  );
}

/** A checkpoint that the stream has announced; its values follow it. */
export type Announced = { id: string; parentId?: string; at?: number };

/**
 * The timeline after the stream told the thread's values. Those of a replay are older than the head and do not
 * move it. Values without a new checkpoint correct the head: that is how a message is taken back.
 * @param last the checkpoint that was announced last; in a replay, values without one correct that, and not the head
 */
export function withValues(
  timeline: Timeline,
  values: unknown,
  announced: Announced | undefined,
  last: Announced | undefined = announced,
): Timeline {
  // Of values without a checkpoint before any state is known the stream has the messages, and shows them behind it.
  if (!isRecord(values) || !(announced ?? timeline.head)) return timeline;
  const read = readMessages(values.messages);
  const isOld = timeline.head && last && last.id < timeline.head.id;
  const messages = new Map(timeline.messages);
  for (const message of read) if (!isOld || !messages.has(message.id)) messages.set(message.id, message);
  if (!announced) {
    if (isOld) return { ...timeline, messages };
    const messageIds = read.map(({ id }) => id);
    const head = timeline.head && { ...timeline.head, messageIds, todos: todosOf(values), ui: uiOf(values) };
    return { ...timeline, messages, ...(head && { head }), uiChanges: [] };
  }
  const known = timeline.snapshots.get(announced.id);
  const snapshot: Snapshot = {
    ...announced,
    parentId: announced.parentId ?? known?.parentId,
    runId: known?.runId,
    messageIds: read.map(({ id }) => id),
    todos: todosOf(values),
    ui: uiOf(values),
    asked: known?.asked ?? [],
  };
  const snapshots = new Map(timeline.snapshots).set(announced.id, snapshot);
  if (isOld) return { ...timeline, snapshots, messages };
  return { ...timeline, snapshots, messages, head: snapshot, uiChanges: [] };
}

/** The timeline after a node told of a component, before the state has it. */
export function withUi(timeline: Timeline, change: UiChange): Timeline {
  return { ...timeline, uiChanges: [...timeline.uiChanges, change] };
}

/** The agent's plan in a state, or in the arguments of the call that wrote it. */
export function todosOf(values: unknown): Todo[] {
  const list = isRecord(values) && Array.isArray(values.todos) ? values.todos : [];
  return list.flatMap((todo) => {
    if (!isRecord(todo) || typeof todo.content !== "string") return [];
    const status = todo.status === "completed" || todo.status === "in_progress" ? todo.status : "pending";
    return [{ content: todo.content, status }];
  });
}

/** The messages of a snapshot, in order. */
function messagesOf(timeline: Timeline, snapshot: Snapshot): ChatMessage[] {
  return snapshot.messageIds.flatMap((id) => timeline.messages.get(id) ?? []);
}

/** What the reader looks at, beside the newest state. */
export type ConversationView = {
  /** A checkpoint that was chosen: the end of another branch, or a place to begin again from. */
  chosen?: string;
  /** A message was just sent to follow this checkpoint, and the thread's head is still the old one. */
  sentAfter?: { checkpoint: string; head: Snapshot | undefined };
  /** Messages of the stream that belong to something that was left behind. */
  left: ReadonlySet<string>;
};

export const NEWEST: ConversationView = { left: new Set() };

/** The state that the conversation is drawn from. */
export function shownSnapshot(timeline: Timeline, view: ConversationView): Snapshot | undefined {
  const { chosen, sentAfter } = view;
  if (chosen) return timeline.snapshots.get(chosen) ?? timeline.head;
  if (sentAfter && isStill(sentAfter.head, timeline.head))
    return timeline.snapshots.get(sentAfter.checkpoint) ?? timeline.head;
  return timeline.head;
}

/** Of a server that announces no checkpoints, values alone say that there is a newer state. */
const isStill = (before: Snapshot | undefined, now: Snapshot | undefined): boolean =>
  before?.id === now?.id && before?.messageIds.join() === now?.messageIds.join();

/**
 * Returns the messages of the shown state, followed by those that only the stream has. The client's own list is not
 * used for the rest: after a fork it keeps the messages of the branch that was left. No messages are shown before the
 * history was read: the client rebuilds finished messages while it replays a run, and they would be seen growing again.
 */
export function shownMessages(
  timeline: Timeline,
  view: ConversationView,
  streamed: ChatMessage[],
): ChatMessage[] {
  if (!timeline.isRead) return [];
  const shown = shownSnapshot(timeline, view);
  if (!shown) return streamed;
  const settled = messagesOf(timeline, shown);
  if (view.chosen) return settled;
  const fresh = streamed.filter(({ id }) => !timeline.messages.has(id) && !view.left.has(id));
  return fresh.length > 0 ? [...settled, ...fresh] : settled;
}

/** The components of the shown state, and what was told of them since. */
export function shownUi(timeline: Timeline, view: ConversationView): UiMessage[] {
  const ui = shownSnapshot(timeline, view)?.ui ?? [];
  return view.chosen ? ui : changedUi(ui, timeline.uiChanges);
}
