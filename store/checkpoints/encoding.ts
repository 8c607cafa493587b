import type { SerializerProtocol } from "@langchain/langgraph-checkpoint";

/** A value as a column holds it: JSON text, or base64 for bytes. */
export type Encoded = { type: "json" | "bytes"; value: string };

const UNDEFINED = { lc: 2, type: "undefined" };

function constructed(name: string, args: unknown[], method: string | null = null) {
  return { lc: 2, type: "constructor", id: [name], method, args, kwargs: {} };
}

/** What JsonPlusSerializer's own replacer does (langgraph-checkpoint/serde/jsonplus.js), without its classes. */
function replace(_key: string, value: unknown): unknown {
  if (value === undefined) return UNDEFINED;
  if (typeof value !== "object" || value === null) return value;
  if ("lg_name" in value) {
    if (value.lg_name === "DeltaSnapshot" && "value" in value) {
      return { lc: 2, type: "delta_snapshot", value: value.value };
    }
    if (value.lg_name === "Send" && "node" in value && "args" in value) {
      const timeout = "timeout" in value && value.timeout !== undefined ? { timeout: value.timeout } : {};
      return { node: value.node, args: value.args, ...timeout };
    }
  }
  if (value instanceof Set) return constructed("Set", [Array.from(value)]);
  if (value instanceof Map) return constructed("Map", [Array.from(value)]);
  if (value instanceof RegExp) return constructed("RegExp", [value.source, value.flags]);
  if (value instanceof Error) return constructed("Error", [value.message]);
  if (value instanceof Uint8Array) return constructed("Uint8Array", [Array.from(value)], "from");
  return value;
}

const DEEPEST_PLAIN = 16;

/** True for data that `replace` would leave as it is: calling it for each field costs several times the rest. */
function isPlain(value: unknown, depth = 0): boolean {
  if (typeof value !== "object")
    return typeof value === "string" || typeof value === "number" || value === true || value === false;
  if (value === null) return true;
  if (depth > DEEPEST_PLAIN) return false;
  if (Array.isArray(value)) {
    for (const element of value) if (!isPlain(element, depth + 1)) return false;
    return true;
  }
  const prototype = Object.getPrototypeOf(value);
  if ((prototype !== Object.prototype && prototype !== null) || "toJSON" in value || "lg_name" in value)
    return false;
  for (const key in value) if (!isPlain((value as Record<string, unknown>)[key], depth + 1)) return false;
  return true;
}

/**
 * JSON text that means what JsonPlusSerializer's output means, at once.
 * @throws TypeError for what JSON.stringify refuses (cycles, bigint): those take `encodeSlowly`
 */
export function encodeText(value: unknown): string {
  if (isPlain(value)) return JSON.stringify(value);
  return JSON.stringify(value, replace) ?? JSON.stringify(UNDEFINED);
}

/**
 * @throws TypeError as `encodeText`
 */
export function encode(value: unknown): Encoded {
  if (value instanceof Uint8Array) return { type: "bytes", value: base64(value) };
  return { type: "json", value: encodeText(value) };
}

/** By the serializer itself, which reads the value before it first waits. */
export async function encodeSlowly(serde: SerializerProtocol, value: unknown): Promise<Encoded> {
  const [type, bytes] = await serde.dumpsTyped(value);
  if (type === "bytes") return { type, value: base64(bytes) };
  return { type: "json", value: new TextDecoder().decode(bytes) };
}

/** The value a column holds; a promise only where the serializer has objects to revive. */
export function decode(serde: SerializerProtocol, type: string, value: string): unknown {
  if (type === "bytes") return new Uint8Array(Buffer.from(value, "base64"));
  // Everything the serializer revives is a record with an `lc` key; the rest is plain JSON.
  return value.includes('"lc":') ? serde.loadsTyped("json", value) : JSON.parse(value);
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}
