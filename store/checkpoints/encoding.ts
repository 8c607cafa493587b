/** A value as a column holds it: JSON text, or base64 for bytes. */
export type Encoded = { type: "json" | "bytes"; value: string };

/**
 * Wraps an object of plain data that has a key with a meaning of its own (`isReserved`): `{"berth:plain": {…}}`. A stored
 * object with `lc` that is not wrapped was therefore an instance of a class, whatever clients send. Values of 0.1.0
 * lack the wrapping.
 */
export const PLAIN = "berth:plain";
/** Wraps data in the arguments of a message of LangChain, in values that 0.1.0 stored. */
export const LC_ESCAPED = "__lc_escaped__";

/** Text of a value that JSON.stringify refuses for another reason than a cycle; the same as LangGraph's own. */
const UNABLE = '"[unable to serialize, circular reference is too complex to analyze]"';

const UNDEFINED = { lc: 2, type: "undefined" };

class Wrapped {
  readonly [PLAIN]: object;

  constructor(data: object) {
    this[PLAIN] = data;
  }
}

function constructed(name: string, args: unknown[], method: string | null = null) {
  return { lc: 2, type: "constructor", id: [name], method, args, kwargs: {} };
}

/** Replaces what JSON cannot hold by what JsonPlusSerializer (langgraph-checkpoint/serde/jsonplus.js) writes for it. */
function replace(this: unknown, key: string, value: unknown): unknown {
  if (value === undefined) return UNDEFINED;
  if (typeof value === "bigint") return { lc: 2, type: "bigint", value: value.toString() };
  if (typeof value !== "object" || value === null || this instanceof Wrapped) return value;
  // An object whose toJSON made the value.
  const instance = (this as Record<string, object>)[key] ?? value;
  if (isSerializable(instance) && "lc" in value) return withOwnFields(instance, value);
  if ("lg_name" in instance && isInstance(instance)) {
    const { lg_name: name } = instance;
    if (name === "DeltaSnapshot" && "value" in value)
      return { lc: 2, type: "delta_snapshot", value: value.value };
    if (name === "Send" && "node" in value && "args" in value) {
      const timeout = "timeout" in value && value.timeout !== undefined ? { timeout: value.timeout } : {};
      return { node: value.node, args: value.args, ...timeout };
    }
  }
  if (value instanceof Set) return constructed("Set", [Array.from(value)]);
  if (value instanceof Map) return constructed("Map", [Array.from(value)]);
  if (value instanceof RegExp) return constructed("RegExp", [value.source, value.flags]);
  if (value instanceof Error) return constructed("Error", [value.message]);
  if (value instanceof Uint8Array) return constructed("Uint8Array", [Array.from(value)], "from");
  return isReserved(value) ? new Wrapped(value) : value;
}

/** Whether an object has the key that names the class of stored objects, or that of a wrapper. */
const isReserved = (value: object): boolean => "lc" in value || PLAIN in value || LC_ESCAPED in value;

/**
 * Whether an object was made by a class. The prototype alone does not say so: code that copies JSON with an
 * assignment turns its field `__proto__` into a prototype. A constructor cannot come from JSON.
 */
function isInstance(value: object): boolean {
  const prototype: object | null = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null) return false;
  const made: unknown = Reflect.get(prototype, "constructor");
  return typeof made === "function" && made !== Object;
}

type Serializable = { lc_kwargs: Record<string, unknown>; lc_secrets?: unknown };

/**
 * Whether LangChain serializes an object by itself. Data of clients can have any field, but no method and no class
 * (by shape, not by class: a project brings its own copy of LangChain).
 */
function isSerializable(value: object): value is Serializable {
  return "lc_kwargs" in value && isInstance(value) && "toJSON" in value && typeof value.toJSON === "function";
}

/**
 * The serialized form of a message (or another object without secrets) with its fields as they are: LangChain copies
 * them key by key, which loses `__proto__`, maps and dates.
 */
function withOwnFields(instance: Serializable, serialized: object): object {
  const { lc_kwargs, lc_secrets } = instance;
  if (!("kwargs" in serialized) || lc_secrets !== undefined) return serialized;
  // Both are in the same order.
  const names = Object.keys(Object(serialized.kwargs));
  const keys = Object.keys(lc_kwargs);
  if (names.length !== keys.length) return serialized;
  const valueAt = (key: string) => (key in instance ? Reflect.get(instance, key) : lc_kwargs[key]);
  return { ...serialized, kwargs: Object.fromEntries(keys.map((key, at) => [names[at], valueAt(key)])) };
}

/** The same with `"[Circular]"` for an object that contains itself; slower, because it follows the path to each value. */
function withoutCycles() {
  const path: { holder: unknown; instance: unknown }[] = [];
  return function replaceOnce(this: unknown, key: string, value: unknown): unknown {
    while (path.length > 0 && path.at(-1)?.holder !== this) path.pop();
    const instance = (this as Record<string, unknown>)[key] ?? value;
    const isObject = typeof instance === "object" && instance !== null;
    if (isObject && !(this instanceof Wrapped) && path.some((above) => above.instance === instance))
      return "[Circular]";
    const replaced = replace.call(this, key, value);
    if (isObject) path.push({ holder: replaced, instance });
    return replaced;
  };
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
  if (isInstance(value) || "toJSON" in value || isReserved(value)) return false;
  for (const key in value) if (!isPlain((value as Record<string, unknown>)[key], depth + 1)) return false;
  return true;
}

/** JSON text of any value. What JsonPlusSerializer's output means, it means too, and data of clients stays data. */
export function encodeText(value: unknown): string {
  if (isPlain(value)) return JSON.stringify(value);
  try {
    return JSON.stringify(value, replace) ?? JSON.stringify(UNDEFINED);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return encodeCycles(value);
  }
}

function encodeCycles(value: unknown): string {
  try {
    return JSON.stringify(value, withoutCycles()) ?? JSON.stringify(UNDEFINED);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return UNABLE;
  }
}

/** A value as a column holds it. */
export function encode(value: unknown): Encoded {
  if (value instanceof Uint8Array) return { type: "bytes", value: base64(value) };
  return { type: "json", value: encodeText(value) };
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}
