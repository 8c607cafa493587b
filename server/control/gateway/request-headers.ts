import type { OutgoingHttpHeaders } from "node:http";
import {
  type Caller,
  GATEWAY_HEADER,
  HOP_HEADER,
  NOBODY_HEADER,
  PROXY_HEADER,
  SESSION_COOKIE,
  USER_COOKIE,
} from "../../http/index.ts";
import { OWN_HEADER } from "../../own-calls/index.ts";
import { ASKED_ON_ONE_CONNECTION } from "./one-connection.ts";

/** What the one hop to the deployed process needs to say. */
type Hop = {
  /** The instance's, which opens its door. */
  token: string;
  requestId: string;
  /** The caller's address, if it is known. */
  address: string | undefined;
  /** Path of the deployment's address as clients see it, no slash at the end. */
  prefix: string;
  /** As clients reach Berth. */
  scheme: "http" | "https";
  /** Null where nobody had to say who it is. */
  caller: Caller | null;
  /** Our own span of the request, where there is one; otherwise whatever came passes. */
  traceparent?: string | undefined;
};

/** Said of one connection only, or not for whoever stands behind us to hear. */
const dropped = new Set([
  ...ASKED_ON_ONE_CONNECTION,
  "forwarded",
  "host",
  "x-real-ip",
  "x-request-id",
  GATEWAY_HEADER,
  HOP_HEADER,
  NOBODY_HEADER,
  OWN_HEADER,
  PROXY_HEADER,
]);

/**
 * The headers of a request as the deployed process gets them: what proved to us who calls is taken off, all else
 * passes, so that an agent's own authentication works behind ours.
 */
export function onwardHeaders({ headers }: Request, hop: Hop): OutgoingHttpHeaders {
  const named = namedBy(headers.get("connection"));
  const onward: OutgoingHttpHeaders = {};
  for (const [name, value] of headers)
    if (!dropped.has(name) && !named.has(name) && !name.startsWith("x-forwarded-")) onward[name] = value;
  const proof = proofOf(headers, hop.caller);
  for (const name of hop.caller?.atOwnAuth?.keyHeaders ?? keyHeadersOf(proof)) delete onward[name];
  // Whoever is signed in has no user in the project's own authentication: it is the Studio's, if it lets that in.
  if (proof === "session") onward["x-auth-scheme"] ??= "langsmith";
  const cookie = cookiesFor(hop.caller, headers.get("cookie"));
  if (cookie === "") delete onward.cookie;
  else onward.cookie = cookie;
  const isNobody = proof === "none" || proof === "unknown";
  return { ...onward, ...saidByUs(headers, hop), ...(isNobody && { [NOBODY_HEADER]: "1" }) };
}

/** Which headers may hold a key, where it was not looked at each: only the project's own are for it to see. */
const keyHeadersOf = (proof: Proof): readonly string[] =>
  proof === "none" || proof === "bearer" ? ["x-api-key", "authorization"] : ["x-api-key"];

function saidByUs(headers: Headers, hop: Hop): OutgoingHttpHeaders {
  const { token, requestId, address, prefix, scheme, traceparent } = hop;
  const host = headers.get("host") ?? "";
  return {
    ...(host !== "" && { host, "x-forwarded-host": host }),
    ...(address !== undefined && { "x-forwarded-for": address }),
    "x-forwarded-proto": scheme,
    "x-forwarded-prefix": prefix,
    "x-request-id": requestId,
    [GATEWAY_HEADER]: token,
    ...(traceparent !== undefined && { traceparent }),
  };
}

/** `unknown`: nothing to us, and what there may be is for the project to judge. */
type Proof = "none" | "unknown" | "needless" | "key" | "bearer" | "session";

/** By what a caller proved who it is. */
function proofOf(headers: Headers, caller: Caller | null): Proof {
  if (caller === null) return "none";
  const { keyId, atOwnAuth } = caller;
  if (atOwnAuth?.isStranger) return "unknown";
  if (atOwnAuth) return atOwnAuth.keyHeaders.length > 0 ? "key" : "session";
  if (keyId === null) return "needless";
  if ((headers.get("x-api-key") ?? "") !== "") return "key";
  return /^Bearer /i.test(headers.get("authorization") ?? "") ? "bearer" : "session";
}

/** A `Connection` header names further headers that are for this connection only. */
export const namedBy = (connection: string | null): ReadonlySet<string> =>
  new Set((connection ?? "").split(",").map((name) => name.trim().toLowerCase()));

/** The cookies of the agent's own, and who is signed in to it, where we have not let somebody else in. */
function cookiesFor(caller: Caller | null, cookies: string | null): string {
  const given = (cookies ?? "").split(";").map((cookie) => cookie.trim());
  const theirs = given.filter(
    (cookie) =>
      cookie !== "" && !cookie.startsWith(`${SESSION_COOKIE}=`) && !cookie.startsWith(`${USER_COOKIE}=`),
  );
  const user = caller?.atOwnAuth?.isStranger && given.find((cookie) => cookie.startsWith(`${USER_COOKIE}=`));
  if (user) theirs.push(SESSION_COOKIE + user.slice(USER_COOKIE.length));
  return theirs.join("; ");
}
