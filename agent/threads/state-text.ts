import { isRecord } from "../record.ts";
import { encode, encodeState } from "../wire.ts";
import type { ThreadState } from "./thread-state.ts";

/** JSON of a state: the same bytes as `encode`, but a message that the states of a history share costs once. */
export function encodeThreadState({ values, ...rest }: ThreadState): string {
  return `{"values":${encodeState(values)},${encode(rest).slice(1)}`;
}

/**
 * JSON of the states of a history, which it is asked for one after the other, newest first: a message is whole only in
 * the newest state that has it in this form; the others have its id. The states of a long thread are the same messages
 * over and over.
 */
export function encodeHistoryOnce(): (state: ThreadState) => string {
  const sent = new Map<string, unknown>();
  const shorten = (message: unknown) => {
    if (!isRecord(message) || typeof message.id !== "string") return message;
    if (sent.get(message.id) === message) return { id: message.id };
    sent.set(message.id, message);
    return message;
  };
  return ({ values, ...rest }) => {
    if (!isRecord(values) || !Array.isArray(values.messages)) return encodeThreadState({ values, ...rest });
    return encodeThreadState({ ...rest, values: { ...values, messages: values.messages.map(shorten) } });
  };
}
