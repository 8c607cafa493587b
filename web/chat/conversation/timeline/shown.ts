import { type ChatMessage, changedUi, type UiMessage } from "../content/index.ts";
import { messagesOf, type Snapshot, type Timeline } from "./timeline.ts";

/** What the reader looks at, beside the newest state. */
export type View = {
  /** A checkpoint that was chosen: the end of another branch, or a place to begin again from. */
  chosen?: string;
  /** A message was just sent to follow this checkpoint, and the thread's head is still the old one. */
  sentAfter?: { checkpoint: string; head: string | undefined };
  /** Messages of the stream that belong to something that was left behind. */
  left: ReadonlySet<string>;
};

export const NEWEST: View = { left: new Set() };

/** The state that the conversation is drawn from. */
export function shownSnapshot(timeline: Timeline, view: View): Snapshot | undefined {
  const { chosen, sentAfter } = view;
  if (chosen) return timeline.snapshots.get(chosen) ?? timeline.head;
  if (sentAfter && timeline.head?.id === sentAfter.head)
    return timeline.snapshots.get(sentAfter.checkpoint) ?? timeline.head;
  return timeline.head;
}

/**
 * The messages of the shown state, and behind them what only the stream has yet. The client's own list is not
 * used for the rest: after a fork it keeps the messages of the branch that was left.
 */
export function shownMessages(timeline: Timeline, view: View, streamed: ChatMessage[]): ChatMessage[] {
  const shown = shownSnapshot(timeline, view);
  if (!shown) return streamed;
  const settled = messagesOf(timeline, shown);
  if (view.chosen) return settled;
  const fresh = streamed.filter(({ id }) => !timeline.messages.has(id) && !view.left.has(id));
  return fresh.length > 0 ? [...settled, ...fresh] : settled;
}

/** The components of the shown state, and what was told of them since. */
export function shownUi(timeline: Timeline, view: View): UiMessage[] {
  const ui = shownSnapshot(timeline, view)?.ui ?? [];
  return view.chosen ? ui : changedUi(ui, timeline.uiChanges);
}
