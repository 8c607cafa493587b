import { WORDS } from "./words.ts";
/** What is wrong with one field of what was sent: its path, as `source_config.repo_url`, and why. */
export type FieldFault = { path: string; words: string };

/** The server's refusal of a request, in its own words. */
export class RequestFailed extends Error {
  readonly status: number;
  /** Where it says which fields it is about. */
  readonly faults: readonly FieldFault[];

  constructor(status: number, message: string, faults: readonly FieldFault[] = []) {
    super(message);
    this.name = "RequestFailed";
    this.status = status;
    this.faults = faults;
  }
}

/** Told to those who listen on `window` when a request shows that the sign-in is missing or has ended. */
export const SIGNED_OUT = "berth:signed-out";

export type RequestOptions = {
  method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
};

/** Sends a request to this server and gives the JSON of the answer; `undefined` when it has none. */
export async function request<T>(path: string, options: RequestOptions = {}): Promise<T> {
  const text = await requestText(path, options);
  return (text ? JSON.parse(text) : undefined) as T;
}

/** Sends a request to this server and gives the answer as it is. */
export async function requestText(
  path: string,
  { method = "GET", body, headers = {}, signal }: RequestOptions = {},
): Promise<string> {
  const { response, text } = await reach(path, {
    method,
    headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal ? { signal } : {}),
  });
  if (response.ok) return text;
  if (response.status === 401) window.dispatchEvent(new Event(SIGNED_OUT));
  throw failureIn(text, response);
}

/** What the browsers say of a server that does not answer, which is no help to anybody. */
const UNANSWERED = /^(?:Failed to fetch|NetworkError|Load failed)/;
/** The SDK's errors have the server's answer behind words of their own. */
const OF_SDK = /^(?:Protocol request failed: |HTTP )\d{3}\b[^{]*(\{.*\})$/s;

/** What went wrong, in words for a person: the server's own, where it has said some. */
export function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error ?? "");
  if (UNANSWERED.test(message)) return WORDS.noAnswer;
  const [, answer] = OF_SDK.exec(message) ?? [];
  return (answer && refusalIn(answer).reason) || message;
}

type Answer = { response: Response; text: string };

/**
 * The whole answer. A browser drops its requests, also those to its own machine, whenever the machine's network
 * changes, as it does with each container that starts: what only reads is asked once more.
 */
async function reach(path: string, init: RequestInit): Promise<Answer> {
  try {
    return await answerTo(path, init).catch((error) => {
      if (init.method !== "GET" || init.signal?.aborted) throw error;
      return answerTo(path, init);
    });
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new RequestFailed(0, WORDS.noAnswer);
  }
}

async function answerTo(path: string, init: RequestInit): Promise<Answer> {
  const response = await fetch(base + path, init);
  return { response, text: await response.text() };
}

function failureIn(text: string, { status, statusText, headers }: Response): RequestFailed {
  const loc = parsed(headers.get("x-error-loc") ?? "");
  const { reason, faults } = refusalIn(text, loc);
  return new RequestFailed(status, reason || `${status} ${statusText}`, faults);
}

type Refusal = { reason: string; faults: FieldFault[] };

/** @param loc the field that a refusal with one text is about */
function refusalIn(text: string, loc?: unknown): Refusal {
  const { message, detail } = readRefusal(text);
  const faults = Array.isArray(detail) ? detail.map(faultOf) : [];
  if (Array.isArray(loc)) faults.push(faultOf({ loc, msg: String(detail) }));
  const listed = faults.map(({ path, words }) => `${path}: ${words}`).join("; ");
  const reason = [message, detail].find((words): words is string => typeof words === "string");
  return { reason: reason ?? listed, faults };
}

/** What our server says; nothing of it in a proxy's page. */
function readRefusal(text: string): { message?: unknown; detail?: unknown } {
  return Object(parsed(text));
}

/** What a text means as JSON; undefined where it is none. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The server names the part of the request first, and says it as programs expect it. */
function faultOf({ loc, msg }: { loc: readonly unknown[]; msg: string }): FieldFault {
  const words = msg.replace(/^Value error, /, "");
  return {
    path: loc.slice(loc[0] === "body" ? 1 : 0).join("."),
    words: words.charAt(0).toUpperCase() + words.slice(1),
  };
}

/** What addresses of our documents end with: the chat's, the console's, the API's, and where one signs in. */
const OWN = /\/(?:chat\/[^/]*|sign-in|console(?:\/.*)?|(?:api-host\/)?docs(?:\/swagger)?\/?)?$/;

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
