import { base } from "./base.ts";

/** The server's refusal of a request, in its own words. */
export class RequestFailed extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = "RequestFailed";
    this.status = status;
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
export async function request<T>(
  path: string,
  { method = "GET", body, headers = {}, signal }: RequestOptions = {},
): Promise<T> {
  const response = await reach(path, {
    method,
    headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal ? { signal } : {}),
  });
  const text = await response.text();
  if (response.ok) return (text ? JSON.parse(text) : undefined) as T;
  if (response.status === 401) window.dispatchEvent(new Event(SIGNED_OUT));
  throw new RequestFailed(response.status, reasonOf(text) ?? `${response.status} ${response.statusText}`);
}

/** Browsers say "Failed to fetch" and the like, which is no help to anybody. */
async function reach(path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(base + path, init);
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new RequestFailed(0, "The server does not answer.");
  }
}

function reasonOf(text: string): string | undefined {
  try {
    const { message, detail } = JSON.parse(text);
    if (typeof message === "string") return message;
    if (typeof detail === "string") return detail;
    if (Array.isArray(detail)) return detail.map(({ loc, msg }) => `${loc?.join(".")}: ${msg}`).join("; ");
  } catch {
    // Not from our server: a proxy's page, or nothing.
  }
}
