import { type KeyScope, newUlid } from "@berth/store";
import type { Place } from "../access/index.ts";
import type { Guard } from "../authorization/index.ts";
import type { BodyBudget } from "./body-budget.ts";
import type { PassedOn } from "./hop.ts";
import type { SocketLimit } from "./socket-limit.ts";

/** Who is behind a request. `keyId` is null where no key is needed (a keyless process on loopback). */
export type Caller = {
  keyId: string | null;
  /** What its owner calls the key. */
  keyName?: string;
  workspaceId: string;
  /** A key of the organization is good for every workspace; any other only for its own, or for less. */
  scope?: KeyScope;
  /** What this user may do, where the project decides that; others may do everything. */
  guard?: Guard;
  /** At a deployment whose project says itself who may call it. */
  atOwnAuth?: AtOwnAuth;
};

/** How somebody comes to a deployment whose project says itself who may call it. */
type AtOwnAuth = {
  /** Nobody has proved anything to us: whoever it is, the project is to find out. */
  isStranger: boolean;
  /** Headers that hold a key of ours, which are not for the project to see. */
  keyHeaders: readonly string[];
};

/** Whom nobody but a deployment's project can know. */
export const strangerWith = (keyHeaders: readonly string[]): Caller => ({
  keyId: null,
  workspaceId: "",
  atOwnAuth: { isStranger: true, keyHeaders },
});

/** What is known about one request beside its bytes; lives as long as the request object. */
export type Call = {
  readonly id: string;
  readonly startedAt: number;
  caller: Caller | null;
  /** The address of whoever calls, behind proxies that are trusted; empty where nobody knows it. */
  client: string;
  /** Throws `Unauthenticated` or `Denied` once the caller could not ask any more: for answers that take long. */
  admit?: () => unknown;
  /** Limits the bodies that the process reads at once; absent where no front is mounted. */
  bodies?: BodyBudget | undefined;
  /** Limits the WebSockets that are open at once; absent where no front is mounted. */
  sockets?: SocketLimit | undefined;
  /** Where it came to, once its path was read. */
  place?: Place;
  /** The route template that answered (`/threads/:thread_id`), for logs and metrics; null when none did. */
  route: string | null;
  /** Which headers graphs may read, where the project says so. */
  headerRule?: ((name: string) => boolean) | undefined;
  /** Names the request's own span to whoever it is passed on to, where there is one. */
  traceparent?: string;
  /** It came when the process was about to end. */
  isLate?: boolean;
  /** The gateway says that nobody proved to it who calls. */
  isNobody?: boolean;
  /** Another Berth of the database has passed it on. */
  hop?: PassedOn | undefined;
  /** Another process has answered, which minds its origins itself. */
  isPassedOn?: boolean;
};

const calls = new WeakMap<Request, Call>();
const saneId = /^[\w.:-]{1,128}$/;

/**
 * The record of `request`, made on first use. Its id is the caller's own `x-request-id` when that is a plain
 * token of at most 128 characters, else a fresh ULID; the same id is in the log and on the answer.
 */
export function callOf(request: Request): Call {
  const known = calls.get(request);
  if (known !== undefined) return known;
  const given = request.headers.get("x-request-id");
  const id = given !== null && saneId.test(given) ? given : newUlid();
  const call: Call = { id, startedAt: performance.now(), caller: null, client: "", route: null };
  calls.set(request, call);
  return call;
}
