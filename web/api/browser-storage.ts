import { base } from "./base.ts";

/** Each deployment's chat remembers for itself. */
const keyOf = (name: string) => `berth${base}.${name}`;

/** What this browser remembered under a name. Where it remembers nothing, as in a private window, `undefined`. */
export function recall<T>(name: string): T | undefined {
  try {
    const text = localStorage.getItem(keyOf(name));
    return text === null ? undefined : (JSON.parse(text) as T);
  } catch {
    return undefined;
  }
}

/** Remembers a value in this browser, as far as it lets us; `undefined` forgets it. */
export function remember(name: string, value: unknown): void {
  try {
    if (value === undefined) localStorage.removeItem(keyOf(name));
    else localStorage.setItem(keyOf(name), JSON.stringify(value));
  } catch {
    // Full or forbidden: the page works without.
  }
}
