import type { BaseMessage } from "@langchain/core/messages";

const plain = new WeakMap<BaseMessage, Record<string, unknown>>();

/** Messages as they are on the wire, each object converted once. */
export const plainMessages = (messages: readonly BaseMessage[]): Record<string, unknown>[] =>
  messages.map((message) => {
    const known = plain.get(message);
    if (known) return known;
    const { type, data } = message.toDict();
    const made = JSON.parse(JSON.stringify({ ...data, type }));
    plain.set(message, made);
    return made;
  });
