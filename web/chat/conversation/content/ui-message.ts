import {
  type RemoveUIMessage,
  type UIMessage,
  uiMessageReducer,
} from "@langchain/langgraph-sdk/react-ui/server";
import { isRecord } from "./message.ts";

/** A component that a graph shows: its name among the graph's, and what it is given. */
export type UiMessage = UIMessage;
/** What a node tells of components while it runs. */
export type UiChange = UIMessage | RemoveUIMessage;

/** The components of a state. */
export function uiOf(values: unknown): UiMessage[] {
  const list = isRecord(values) && Array.isArray(values.ui) ? values.ui : [];
  return list.filter(isUi);
}

/** Reads a custom event; undefined for one that is about something else. */
export function readUiChange(data: unknown): UiChange | undefined {
  const told = isRecord(data) ? data.payload : undefined;
  if (isUi(told)) return told;
  if (!isRecord(told) || told.type !== "remove-ui" || typeof told.id !== "string") return undefined;
  return { type: "remove-ui", id: told.id };
}

export const changedUi = (ui: UiMessage[], changes: readonly UiChange[]): UiMessage[] =>
  changes.reduce<UiMessage[]>((known, change) => uiMessageReducer(known, change), ui);

function isUi(value: unknown): value is UiMessage {
  return (
    isRecord(value) &&
    value.type === "ui" &&
    typeof value.id === "string" &&
    typeof value.name === "string" &&
    isRecord(value.props)
  );
}

/** The place of what belongs to no message yet: the end of the conversation. */
export const AT_END = "";

type Placed = { id: string; role: string };

/**
 * The components by the message that they are drawn under. One that names none follows what its run said last; one
 * whose message is still on its way waits for it.
 * @param runOf the run that a message is of, where that is known
 */
export function placedUi(
  ui: readonly UiMessage[],
  messages: readonly Placed[],
  { busy, runOf }: { busy: boolean; runOf: (messageId: string) => string | undefined },
): ReadonlyMap<string, UiMessage[]> {
  const known = new Set(messages.map(({ id }) => id));
  const last = messages.at(-1);
  const end = last && last.role !== "user" ? last.id : AT_END;
  const placed = new Map<string, UiMessage[]>();
  for (const one of ui) {
    const { message_id, id, run_id } = one.metadata ?? {};
    const wanted = typeof message_id === "string" ? message_id : id;
    if (wanted && !known.has(wanted) && busy) continue;
    const ofRun = messages.findLast(
      (message) => message.role !== "user" && run_id !== undefined && runOf(message.id) === run_id,
    );
    const place = wanted && known.has(wanted) ? wanted : (ofRun?.id ?? end);
    placed.set(place, [...(placed.get(place) ?? []), one]);
  }
  return placed;
}
