import { SESSION_COOKIE, USER_COOKIE } from "../../http/index.ts";
import { ANSWERED_ON_ONE_CONNECTION } from "./one-connection.ts";
import { namedBy } from "./request-headers.ts";

/** Of one connection only, or about all of this origin, of which a deployment has but one corner. */
const dropped = new Set([
  ...ANSWERED_ON_ONE_CONNECTION,
  "alt-svc",
  "clear-site-data",
  "nel",
  "origin-agent-cluster",
  "report-to",
  "reporting-endpoints",
  "service-worker-allowed",
  "strict-transport-security",
]);

/** Headers that only Berth processes send each other. Another Berth repeats a request because of `x-berth-moved`. */
const BETWEEN_BERTHS = "x-berth-";

/**
 * A deployment's page runs in an origin of its own: with ours it could lean on the sign-in of whoever looks at it,
 * and deploy, read keys, talk to other agents.
 */
export const SANDBOX = "sandbox allow-downloads allow-forms allow-modals allow-popups allow-scripts";
// To the end of the header: of several types that it names, browsers take the last.
const noPage = /^(?:application\/(?:[\w.-]+\+)?json|text\/event-stream)(?:\s*;\s*charset=[\w"-]+)?$/i;

type InstanceAnswer = { status: number; rawHeaders: readonly string[] };

/** Under which address the caller knows what answered, and where we know it. */
type Corner = {
  prefix: string;
  host: string;
  /** Where the instance listens: a port of this machine, or an address elsewhere. */
  at: number | URL;
  /** Whether it may sign its own users in. */
  signsIn?: boolean;
};

/** The headers of a deployed process's answer as the caller gets them. */
export function answeredHeaders({ status, rawHeaders }: InstanceAnswer, corner: Corner): Headers {
  const headers = new Headers();
  const pairs = pairsOf(rawHeaders);
  const named = namedBy(pairs.find(([name]) => name === "connection")?.[1] ?? null);
  for (const [name, value] of pairs) {
    if (dropped.has(name) || named.has(name) || name.startsWith(BETWEEN_BERTHS)) continue;
    if (name === "set-cookie") {
      const cookie = cookieIn(value, corner);
      if (cookie !== undefined) headers.append(name, cookie);
    } else if (name === "location" && isRedirect(status)) headers.set(name, locationIn(value, corner));
    else headers.append(name, value);
  }
  if (noPage.test(headers.get("content-type") ?? "")) headers.set("x-content-type-options", "nosniff");
  else headers.append("content-security-policy", SANDBOX);
  return headers;
}

/** Clients of LangGraph append the `Location` of other answers to the address that they were given. */
const isRedirect = (status: number): boolean => status >= 300 && status < 400;

function pairsOf(raw: readonly string[]): [name: string, value: string][] {
  return raw.flatMap((name, at): [string, string][] =>
    at % 2 === 0 ? [[name.toLowerCase(), raw[at + 1] ?? ""]] : [],
  );
}

/** A redirect within the deployed process stays under the deployment's address. */
function locationIn(location: string, { prefix, host, at }: Corner): string {
  const own = /^https?:\/\/([^/?#]*)(.*)$/i.exec(location);
  if (own !== null && own[1] !== host && own[1] !== hostAt(at)) return location;
  const path = own === null ? location : own[2] || "/";
  // Relative ones lead from the caller's own address, and two slashes begin another host.
  if (!path.startsWith("/") || path.startsWith("//")) return location;
  return isUnder(path, prefix) ? path : prefix + path;
}

const hostAt = (at: Corner["at"]): string => (typeof at === "number" ? `127.0.0.1:${at}` : at.host);

const isUnder = (path: string, prefix: string): boolean => path === prefix || path.startsWith(`${prefix}/`);

/**
 * A cookie of a deployment is sent to that deployment only; ours it cannot set, but one by which its own users are
 * signed in. Browsers take off the blanks around
 * names, and send a cookie that has none as its bare value, which may look like ours.
 */
function cookieIn(cookie: string, { prefix, signsIn = false }: Corner): string | undefined {
  const [given = "", ...attributes] = cookie.split(";").map((part) => part.trim());
  const name = given.slice(0, Math.max(given.indexOf("="), 0)).trim();
  if (name === "" || name === USER_COOKIE || name.startsWith("__Host-")) return undefined;
  if (name === SESSION_COOKIE && !signsIn) return undefined;
  const pair = name === SESSION_COOKIE ? USER_COOKIE + given.slice(given.indexOf("=")) : given;
  const paths = attributes.flatMap((attribute) => /^path\s*=\s*(\/.*)/i.exec(attribute)?.[1] ?? []);
  const wanted = paths[0] ?? "/";
  const path = isUnder(wanted, prefix) ? wanted : prefix + wanted;
  const kept = attributes.filter((attribute) => !/^(?:path|domain)\s*(?:=|$)/i.test(attribute));
  return [pair, `Path=${path}`, ...kept].join("; ");
}
