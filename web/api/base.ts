/** What addresses of our documents end with: the chat's, the console's, and where one signs in. */
const OWN = /\/(?:chat\/[^/]*|sign-in|console(?:\/.*)?)?$/;

/**
 * The path in front of every address of this server, with no slash at the end: a deployment's chat is at
 * `/d/{deployment_id}/`. Read from the address under which the page was opened.
 */
export const base: string = (globalThis.location?.pathname ?? "/").replace(OWN, "");

/** The address of the console: a deployment's chat is below the Berth that has it. */
export const consoleAddress: string = `${base.replace(/\/d\/[^/]+$/, "")}/console`;

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
