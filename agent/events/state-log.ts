import { type StateTexts, stateTexts } from "../wire.ts";

/** The name of a frame that says how a state differs from the one before it in its namespace. */
export const CHANGES = "values+";

/** A state shorter than this is always written whole. */
const SMALL_CHARS = 4_096;
/** As many namespaces are remembered; both sides forget the one that was used longest ago. */
const NAMESPACES = 64;

/** `keep`: so many elements of a list stay, and these follow. `set`: new values. `drop`: keys that went. */
type Changes = {
  keep: Record<string, [kept: number, added: unknown[]]>;
  set: Record<string, unknown>;
  drop: string[];
};

/**
 * Writes the states of a run: whole the first time, then what changed, so that what a run writes does not grow
 * with the age of its thread.
 */
export class StateWriter {
  readonly #before = new Recent<StateTexts>();

  /** The frame's mode and JSON for a state, and how long the state is. */
  write(namespace: string, state: unknown): { mode: string; json: string; shown: number } {
    const now = stateTexts(state);
    const before = this.#before.take(namespace);
    this.#before.put(namespace, now);
    const json = textOf(now);
    const whole = { mode: "values", json, shown: json.length };
    if (!before || json.length < SMALL_CHARS || typeof now === "string") return whole;
    const changes = typeof before === "string" ? undefined : changesOf(before, now);
    if (!changes || changes.length * 2 > json.length) return whole;
    return { mode: CHANGES, json: changes, shown: json.length };
  }
}

/** Reads what a {@link StateWriter} wrote; has to see all of it, in order. */
export class StateReader {
  readonly #before = new Recent<string | StateTexts>();

  /** The whole state's JSON. */
  read(mode: string, namespace: string, json: string): string {
    const before = this.#before.take(namespace);
    if (mode !== CHANGES || before === undefined) {
      this.#before.put(namespace, json);
      return json;
    }
    const texts = applied(JSON.parse(json) as Changes, before);
    this.#before.put(namespace, texts);
    return textOf(texts);
  }

  /** Another reader has put the state together: its JSON is what comes next is held against. */
  take(namespace: string, json: string): void {
    this.#before.take(namespace);
    this.#before.put(namespace, json);
  }
}

function changesOf(before: Map<string, string | string[]>, now: Map<string, string | string[]>): string {
  const keep: string[] = [];
  const set: string[] = [];
  for (const [key, text] of now) {
    const old = before.get(key);
    if (Array.isArray(text) && Array.isArray(old)) {
      let same = 0;
      while (same < old.length && same < text.length && old[same] === text[same]) same += 1;
      if (same === old.length && same === text.length) continue;
      keep.push(`${JSON.stringify(key)}:[${same},[${text.slice(same).join(",")}]]`);
    } else if (Array.isArray(text)) set.push(`${JSON.stringify(key)}:[${text.join(",")}]`);
    else if (text !== old) set.push(`${JSON.stringify(key)}:${text}`);
  }
  const drop = [...before.keys()].filter((key) => !now.has(key));
  return `{"keep":{${keep.join(",")}},"set":{${set.join(",")}},"drop":${JSON.stringify(drop)}}`;
}

function applied(changes: Changes, before: string | StateTexts): StateTexts {
  // A whole state is taken apart only when somebody changes it.
  const base = typeof before === "string" ? split(JSON.parse(before)) : before;
  if (typeof base === "string") return base;
  const now = new Map(base);
  for (const key of changes.drop) now.delete(key);
  for (const [key, [kept, added]] of Object.entries(changes.keep)) {
    const old = now.get(key);
    const stay = Array.isArray(old) ? old.slice(0, kept) : [];
    now.set(key, [...stay, ...added.map((element) => JSON.stringify(element))]);
  }
  for (const [key, value] of Object.entries(changes.set)) now.set(key, textsOf(value));
  return now;
}

/** What was encoded once comes out of JSON as it went in, byte for byte. */
function split(state: unknown): StateTexts {
  if (typeof state !== "object" || state === null || Array.isArray(state)) return JSON.stringify(state);
  return new Map(Object.entries(state).map(([key, value]) => [key, textsOf(value)]));
}

function textsOf(value: unknown): string | string[] {
  return Array.isArray(value) ? value.map((element) => JSON.stringify(element)) : JSON.stringify(value);
}

function textOf(texts: StateTexts): string {
  if (typeof texts === "string") return texts;
  const parts = [...texts].map(
    ([key, text]) => `${JSON.stringify(key)}:${Array.isArray(text) ? `[${text.join(",")}]` : text}`,
  );
  return `{${parts.join(",")}}`;
}

/** The newest few, by namespace; writer and reader see the same ones, and so forget the same ones. */
class Recent<T> {
  readonly #kept = new Map<string, T>();

  take(namespace: string): T | undefined {
    const known = this.#kept.get(namespace);
    this.#kept.delete(namespace);
    return known;
  }

  put(namespace: string, value: T): void {
    this.#kept.set(namespace, value);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > NAMESPACES && oldest !== undefined) this.#kept.delete(oldest);
  }
}
