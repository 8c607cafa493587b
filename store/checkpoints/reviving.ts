import type { SerializerProtocol } from "@langchain/langgraph-checkpoint";
import { LC_ESCAPED, PLAIN } from "./encoding.ts";

type Fields = Record<string, unknown>;
type Class = (new (fields: unknown) => object) & { prototype: object };
type Classes = Map<string, Class>;

/** Classes of a project's own copies of LangChain and LangGraph, by the ids under which values name them. */
const classesOf = new WeakMap<SerializerProtocol, Classes>();

const DELTA_SNAPSHOT = "delta_snapshot";

/**
 * Returns the value a column holds; a promise only where the value names classes.
 * @param serde of the project whose graph wrote the value; undefined for a graph in Python, whose values are data and
 *   bytes of its own serializer
 */
export function decode(serde: SerializerProtocol | undefined, type: string, text: string): unknown {
  if (type === "bytes") return new Uint8Array(Buffer.from(text, "base64"));
  const isWrapped = text.includes(`"${PLAIN}":`);
  if (!serde) return isWrapped ? unwrapped(JSON.parse(text)) : JSON.parse(text);
  return isWrapped || text.includes('"lc":') ? revived(serde, JSON.parse(text)) : JSON.parse(text);
}

/** Data without the wrappers that `encodeText` put around objects with reserved keys. */
export function unwrapped(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unwrapped);
  return isFields(value) ? mapFields(dataIn(value) ?? value, unwrapped) : value;
}

/** The object that a wrapper stands for; undefined where a value is no wrapper. */
export const dataIn = (value: Fields, wrapper = PLAIN): Fields | undefined => {
  const data = value[wrapper];
  return isFields(data) && Object.keys(value).length === 1 ? data : undefined;
};

async function revived(serde: SerializerProtocol, parsed: unknown): Promise<unknown> {
  const classes = classesOf.get(serde) ?? new Map();
  classesOf.set(serde, classes);
  const reviver = new Reviver(classes);
  const value = reviver.value(parsed);
  if (reviver.unknown.size === 0) return value;
  for (const [id, sample] of reviver.unknown) {
    const found = await classOf(serde, sample);
    if (found) classes.set(id, found);
  }
  return new Reviver(classes).value(parsed);
}

/** The class that the project's serializer makes an object of; undefined where it makes none. */
async function classOf(serde: SerializerProtocol, sample: Fields): Promise<Class | undefined> {
  try {
    const made: object = await serde.loadsTyped("json", JSON.stringify(sample));
    const isKnown = sample.type === DELTA_SNAPSHOT || ("lc_serializable" in made && made.lc_serializable);
    return isKnown && Object.getPrototypeOf(made) !== Object.prototype
      ? (made.constructor as Class)
      : undefined;
  } catch {
    return undefined;
  }
}

/** Makes the objects that stored data stands for. What names no class that is known stays the data it is. */
class Reviver {
  /** By id: what the serializer can be given to learn the class. */
  readonly unknown = new Map<string, Fields>();

  constructor(private readonly classes: Classes) {}

  value = (stored: unknown): unknown => {
    if (Array.isArray(stored)) return stored.map(this.value);
    if (!isFields(stored)) return stored;
    const data = dataIn(stored);
    if (data) return mapFields(data, this.value);
    if (stored.lc === 1 && stored.type === "constructor") return this.#instance(stored, this.value);
    if (stored.lc === 2) return this.#builtIn(mapFields(stored, this.value), stored);
    return mapFields(stored, this.value);
  };

  /** Within the arguments of a constructor, where LangChain itself may have wrapped data. */
  readonly #argument = (stored: unknown): unknown => {
    if (Array.isArray(stored)) return stored.map(this.#argument);
    if (!isFields(stored)) return stored;
    const data = dataIn(stored, LC_ESCAPED);
    if (data) return data;
    if (stored.lc === 1 && stored.type === "constructor") return this.#instance(stored, this.#argument);
    return dataIn(stored) || stored.lc === 2 ? this.value(stored) : mapFields(stored, this.#argument);
  };

  #instance(stored: Fields, plain: (stored: unknown) => unknown): unknown {
    const { id, kwargs } = stored;
    if (!Array.isArray(id) || !isFields(kwargs)) return mapFields(stored, plain);
    const name = JSON.stringify(id);
    const found = this.classes.get(name);
    if (!found) {
      // Messages are made of any content; others may need their own arguments.
      const sample = id.at(-2) === "messages" ? { content: "" } : kwargs;
      this.unknown.set(name, { ...stored, kwargs: sample });
      return mapFields(stored, plain);
    }
    try {
      return new found(renamed(mapFields(kwargs, this.#argument), found));
    } catch {
      return mapFields(stored, plain);
    }
  }

  /** Of what `replace` writes; anything else is data. */
  #builtIn(revivedFields: Fields, stored: Fields): unknown {
    const { type, id, args, value } = revivedFields;
    if (type === "undefined") return undefined;
    if (type === "bigint" && typeof value === "string" && /^-?\d+$/.test(value)) return BigInt(value);
    if (type === DELTA_SNAPSHOT && "value" in revivedFields) {
      const found = this.classes.get(DELTA_SNAPSHOT);
      if (found) return new found(value);
      this.unknown.set(DELTA_SNAPSHOT, { lc: 2, type, value: null });
    }
    const make = Array.isArray(id) && id.length === 1 && BUILT_IN[String(id[0])];
    if (type !== "constructor" || !make || !Array.isArray(args)) return revivedFields;
    try {
      return make(...args) ?? revivedFields;
    } catch {
      return mapFields(stored, this.value);
    }
  }
}

const isByte = (value: unknown) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 255;
const isEntry = (value: unknown) => Array.isArray(value) && value.length === 2;

/** The same as JsonPlusSerializer's own: undefined for arguments that do not fit. */
const BUILT_IN: Record<string, ((...args: unknown[]) => unknown) | undefined> = {
  Set: (elements) => (Array.isArray(elements) ? new Set(elements) : undefined),
  Map: (entries) => (Array.isArray(entries) && entries.every(isEntry) ? new Map(entries) : undefined),
  RegExp: (source, flags) =>
    typeof source === "string" && typeof flags === "string" ? new RegExp(source, flags) : undefined,
  Error: (message) => (typeof message === "string" ? new Error(message) : undefined),
  Uint8Array: (bytes) => (Array.isArray(bytes) && bytes.every(isByte) ? new Uint8Array(bytes) : undefined),
};

/** Arguments under the names that a class takes, as LangChain's `load` does (@langchain/core/load/map_keys.js). */
function renamed(kwargs: Fields, { prototype }: Class): Fields {
  const names: Record<string, string> = {};
  for (let at: object | null = prototype; at && at !== Object.prototype; at = Object.getPrototypeOf(at)) {
    const aliases: unknown = Reflect.get(at, "lc_aliases");
    if (isFields(aliases)) for (const [own, stored] of Object.entries(aliases)) names[String(stored)] = own;
  }
  const camelCase = (key: string) =>
    key.replace(/[-_\s]+([a-z0-9])/g, (_, next: string) => next.toUpperCase());
  const nameOf = (key: string) => (Object.hasOwn(names, key) ? names[key] : camelCase(key));
  const given = Object.entries(kwargs).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([key, value]) => [nameOf(key), value]));
}

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Keeps a field that is called `__proto__`, which an assignment would lose. */
const mapFields = (fields: Fields, map: (value: unknown) => unknown): Fields =>
  Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, map(value)]));
