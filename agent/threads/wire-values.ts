import { isRecord } from "../record.ts";

type Json = Record<string, unknown>;

/** LangChain's own word for the messages whose class does not name it. */
const TYPES: Record<string, string> = { ChatMessage: "generic" };

const CONSTRUCTED: Record<string, (args: unknown[]) => unknown> = {
  Set: ([elements]) => wireValues(elements),
  Map: ([entries]) => wireValues(entries),
  RegExp: () => ({}),
  Error: ([message]) => ({ error: "Error", message }),
  Uint8Array: ([bytes]) => ({ ...(Array.isArray(bytes) ? bytes : []) }),
};

/**
 * Turns stored channel values into what clients read, without reviving anything: the same JSON that `encode`
 * gives for the live values. Messages in LangChain's serialised form become flat, with their `type`; what
 * LangGraph's serializer wrapped (sets, maps, errors, `undefined`) is unwrapped.
 */
export function wireValues(stored: unknown): unknown {
  if (Array.isArray(stored)) {
    return stored.map((element) => (isUndefined(element) ? null : wireValues(element)));
  }
  if (!isRecord(stored)) return stored;
  if (stored.lc === 1 && stored.type === "constructor") return wireConstructed(stored);
  if (stored.lc === 2) return unwrapped(stored);
  return wireFields(stored);
}

/** A record field by field; undefined ones are left out, as JSON does. */
function wireFields(record: Json): Json {
  const wire: Json = {};
  for (const [key, value] of Object.entries(record)) {
    if (!isUndefined(value)) wire[key] = wireValues(value);
  }
  return wire;
}

function wireConstructed(stored: Json): unknown {
  const path: unknown[] = Array.isArray(stored.id) ? stored.id : [];
  const name = path.at(-1);
  // Serialised objects other than messages stay what `toJSON` made of them, also when sent live.
  if (path.at(-2) !== "messages" || typeof name !== "string" || !isRecord(stored.kwargs))
    return wireFields(stored);
  return { ...wireFields(stored.kwargs), type: messageType(name) };
}

/** `AIMessageChunk` → `ai`, by the class: the stored form does not hold the type. */
function messageType(className: string): string {
  const message = className.replace(/Chunk$/, "");
  return TYPES[message] ?? message.replace(/Message$/, "").toLowerCase();
}

function unwrapped(stored: Json): unknown {
  if (stored.type === "delta_snapshot") return wireValues(stored.value);
  const name = stored.type === "constructor" && Array.isArray(stored.id) ? stored.id.at(-1) : undefined;
  const unwrap = typeof name === "string" && Object.hasOwn(CONSTRUCTED, name) ? CONSTRUCTED[name] : undefined;
  return unwrap && Array.isArray(stored.args) ? unwrap(stored.args) : wireFields(stored);
}

function isUndefined(value: unknown): boolean {
  return isRecord(value) && value.lc === 2 && value.type === "undefined";
}
