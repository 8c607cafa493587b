import { randomBytes } from "node:crypto";
import { isLoopbackHost } from "../reach/index.ts";

/** With this header a deployed process's own graphs and routes say who they are. */
export const OWN_HEADER = "x-berth-own";

const TOKEN_BYTES = 32;
const MOST_REDIRECTS = 20;
const REDIRECTS = [301, 302, 303, 307, 308];
/** What a redirect to somebody else does not take along (fetch.spec.whatwg.org, "HTTP-redirect fetch"). */
const PRIVATE = ["authorization", "cookie", "proxy-authorization"];

type Input = string | URL | Request;
type Fetch = (input: Input, init?: RequestInit) => Promise<Response>;

/** How a deployed process, which only its gateway may call, knows what its own graphs and routes ask it. */
export type OwnCalls = {
  /** What they bring; nobody else knows it. */
  token: string;
  fetch: Fetch;
  /** Takes it back. */
  forget(): void;
};

const newToken = () => randomBytes(TOKEN_BYTES).toString("base64url");

/**
 * Has `fetch` in this process bring a token to this process's own port, be it `localhost` or any other name of this
 * machine. It goes to the address where this process listens: another may listen at the same port of `::1`.
 * @param port where this process listens
 * @param token the one that this process lets in, where another thread of it made that
 */
export function letOwnCallsIn(port: number, token = newToken()): OwnCalls {
  const outside = globalThis.fetch;
  const ask = async (request: Request, redirects: number): Promise<Response> => {
    request.headers.set(OWN_HEADER, token);
    // A redirect elsewhere would take the token along.
    const answer = await outside(request, { redirect: "manual" });
    const next = request.redirect === "follow" ? nextOf(request, answer) : undefined;
    if (next === undefined) return answer;
    if (redirects === 0) throw new TypeError("Too many redirects");
    const own = ownAddress(next.url, port);
    return own === undefined ? outside(next) : ask(new Request(own, next), redirects - 1);
  };
  const own: Fetch = (input, init) => {
    const at = ownAddress(input instanceof Request ? input.url : String(input), port);
    if (at === undefined) return outside(input, init);
    const request =
      input instanceof Request ? new Request(new Request(at, input), init) : new Request(at, init);
    return ask(request, MOST_REDIRECTS);
  };
  globalThis.fetch = Object.assign(own, { preconnect: outside.preconnect });
  return {
    token,
    fetch: own,
    forget: () => {
      globalThis.fetch = outside;
    },
  };
}

/** The same address by where this process listens; undefined for any other. */
function ownAddress(text: string, port: number): string | undefined {
  // Most are others, and are not worth reading.
  if (!text.includes(`:${port}`)) return undefined;
  const url = URL.parse(text);
  if (url?.protocol !== "http:" || url.port !== String(port)) return undefined;
  if (!isLoopbackHost(url.host) && url.hostname !== "0.0.0.0") return undefined;
  url.hostname = "127.0.0.1";
  return url.href;
}

/** The request that an answer leads on to; undefined where it does not, or its body would have to be sent again. */
function nextOf({ url, method, headers, signal }: Request, answer: Response): Request | undefined {
  const location = answer.headers.get("location");
  const isRead = method === "GET" || method === "HEAD";
  if (location === null || !REDIRECTS.includes(answer.status)) return undefined;
  if (!isRead && (answer.status === 307 || answer.status === 308)) return undefined;
  const next = new Request(new URL(location, url), { method: isRead ? method : "GET", headers, signal });
  next.headers.delete(OWN_HEADER);
  const isElsewhere = new URL(next.url).origin !== new URL(url).origin;
  for (const name of isElsewhere ? PRIVATE : []) next.headers.delete(name);
  if (!isRead) for (const name of ["content-type", "content-length"]) next.headers.delete(name);
  return next;
}

const URL_NAME = Symbol.for("langgraph_api:url");
const FETCH_NAME = Symbol.for("langgraph_api:fetch");

/**
 * Clients that graphs and custom routes make without an address find this server (`agent-server.md` §1.1), also
 * where only the gateway is let in.
 * @param url where this process listens
 * @returns takes that back
 */
export function tellClients(url: string, ownCalls: Pick<OwnCalls, "fetch"> | undefined): () => void {
  const told = { [URL_NAME]: url, ...(ownCalls && { [FETCH_NAME]: ownCalls.fetch }) };
  Object.assign(globalThis, told);
  return () => {
    for (const name of [URL_NAME, FETCH_NAME]) Reflect.deleteProperty(globalThis, name);
  };
}
