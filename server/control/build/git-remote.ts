import { isIP } from "node:net";
import {
  hostOf,
  isClosedPort,
  lookUp,
  portOf,
  type Reach,
  Refused,
  type Resolve,
  UnknownHost,
} from "../../reach/index.ts";
import type { Texts } from "../../settings/index.ts";
import { repoUrlFault } from "../../sources/index.ts";
import { PrepareFailed } from "./order.ts";

/** A repository somewhere else, at an address that may be asked. */
export type GitRemote = {
  url: string;
  scheme: "http" | "https" | "ssh";
  /** A name in small letters, or an address without brackets. */
  host: string;
  port: number;
  /** Of an http(s) address: `https://host:port`. */
  origin: string | null;
  /** All that git may connect to: it does not look the name up itself. Null where the host is an address. */
  pinned: readonly string[] | null;
};

/** What looks at where a repository is. */
export type RemoteCheck = { sources: Reach; environment: Texts; resolve?: Resolve | undefined };

const SSH_PORT = 22;
/** Nobody has it: a name that only a proxy knows is for the proxy to look up, and leads nowhere from here. */
const NOWHERE = ["255.255.255.255"];

/**
 * Looks at the address of a repository before git does.
 * @throws PrepareFailed
 */
export async function openRemote(url: string | null, check: RemoteCheck): Promise<GitRemote> {
  if (url === null) throw new PrepareFailed("repo_url is missing: give the address of the repository");
  const fault = repoUrlFault(url);
  if (fault) throw new PrepareFailed(fault);
  const remote = partsOf(url);
  const { scheme, host, port } = remote;
  if (scheme !== "ssh" && isClosedPort(port)) throw new PrepareFailed(`repo_url must not go to port ${port}`);
  try {
    const addresses = await lookUp(host, port, check.sources, check.resolve);
    return { ...remote, pinned: isIP(host) === 0 ? addresses : null };
  } catch (error) {
    const isUnknown = error instanceof UnknownHost;
    if (isUnknown && proxyOf(remote, check.environment) !== undefined) return { ...remote, pinned: NOWHERE };
    if (isUnknown) throw new PrepareFailed(`nobody knows the host ${host} of repo_url: check the address`);
    if (error instanceof Refused) throw new PrepareFailed(`repo_url is not allowed: ${error.message}`);
    throw error;
  }
}

function partsOf(url: string): GitRemote {
  const common = { url, origin: null, pinned: null };
  if (!url.includes("://")) {
    const host = url.slice(url.indexOf("@") + 1, url.indexOf(":"));
    return { ...common, scheme: "ssh", host: withoutDot(host), port: SSH_PORT };
  }
  const parsed = new URL(url);
  const host = hostOf(parsed);
  if (parsed.protocol === "ssh:")
    return { ...common, scheme: "ssh", host, port: Number(parsed.port) || SSH_PORT };
  const scheme = parsed.protocol === "http:" ? "http" : "https";
  return { ...common, scheme, host, port: portOf(parsed), origin: parsed.origin };
}

const withoutDot = (host: string) => host.toLowerCase().replace(/\.+$/, "");

/** Whether a token may go there: never over the wire in the open. */
export function mayCarryToken({ scheme, host }: GitRemote): boolean {
  return scheme === "https" || (scheme === "http" && /^(?:localhost|127(?:\.\d+){3}|::1)$/.test(host));
}

/** What git's own words mean for the one who deploys. */
export function gitFault(
  words: readonly string[],
  { url, host, scheme }: GitRemote,
  hasToken: boolean,
): string {
  const text = words.join("\n");
  const known = KNOWN_FAULTS.find(([pattern]) => pattern.test(text));
  if (known) return known[1]({ url, host, hasToken, isSsh: scheme === "ssh" });
  const fatal = words.findLast((line) => /^(?:fatal|error):/.test(line)) ?? words.at(-1) ?? "no reason given";
  return `git cannot read ${url}: ${fatal.replace(/^(?:fatal|error): /, "").slice(0, 300)}`;
}

type Told = { url: string; host: string; hasToken: boolean; isSsh: boolean };

const refused = ({ url, hasToken }: Told) =>
  hasToken
    ? `${url} does not accept the token of the integration`
    : `${url} asks for credentials: store a token as an integration and name it in integration_id`;

const KNOWN_FAULTS: [RegExp, (told: Told) => string][] = [
  [/Host key verification failed/i, ({ host }) => `the key of ${host} is not in Berth's ~/.ssh/known_hosts`],
  [/Permission denied \(/i, ({ url }) => `${url} does not accept the ssh keys in Berth's ~/.ssh`],
  [/Authentication failed|could not read (?:Username|Password)|returned error: 40[13]/i, refused],
  [
    /Repository not found|repository '[^']*' not found|returned error: 404|does not appear to be a git repository/i,
    ({ url, hasToken, isSsh }) =>
      `there is no repository at ${url}${isSsh ? " that the ssh keys in Berth's ~/.ssh may see" : hasToken ? " that the token may see" : ", or it is private and needs an integration"}`,
  ],
  [/Could not resolve (?:host|proxy)/i, ({ host }) => `the host ${host} is not known`],
  [/redirect|returned error: 30\d/i, ({ url }) => `${url} leads on to another address: give that one`],
  [
    /Failed to connect|Could ?n[o']t connect|Connection (?:refused|timed out|reset)|unreachable|Operation too slow/i,
    ({ url, host }) => `${url} cannot be reached: ${host} does not answer`,
  ],
];

/** A host that is asked for something. */
type RemoteHost = { scheme: "http" | "https" | "ssh"; host: string };

/**
 * The proxy through which git asks a host, by the words that curl reads; undefined where it goes there itself.
 * `HTTP_PROXY` is none of them for http: a request to a program could set it.
 */
export function proxyOf({ scheme, host }: RemoteHost, environment: Texts): string | undefined {
  if (scheme === "ssh") return undefined;
  const own = scheme === "http" ? ["http_proxy"] : ["https_proxy", "HTTPS_PROXY"];
  const names = [...own, "all_proxy", "ALL_PROXY"];
  const found = names.map((name) => environment[name]).find((value) => value !== undefined && value !== "");
  return found === undefined || goesItself(host, environment) ? undefined : found;
}

function goesItself(host: string, { no_proxy, NO_PROXY }: Texts): boolean {
  const names = (no_proxy || NO_PROXY || "").split(/[\s,]+/).filter(Boolean);
  return names.some((name) => {
    const bare = name.toLowerCase().replace(/^\.+|\.+$/g, "");
    return name === "*" || host === bare || host.endsWith(`.${bare}`);
  });
}
