import { checkHost, type Resolve } from "./address-check.ts";
import { PrepareFailed } from "./order.ts";
import { repoUrlFault } from "./source-rules.ts";

/** A repository somewhere else, at an address that may be asked. */
export type GitRemote = {
  url: string;
  scheme: "http" | "https" | "ssh";
  host: string;
  /** Of an http(s) address: `https://host:port`. */
  origin: string | null;
  /** What git is told: the addresses that were looked at, so that it does not find others. */
  pinned: string | null;
};

const STANDARD_PORT = { http: 80, https: 443 };

/**
 * Looks at the address of a repository before git does.
 * @throws PrepareFailed
 */
export async function openRemote(url: string | null, resolve?: Resolve): Promise<GitRemote> {
  if (url === null) throw new PrepareFailed("repo_url does not say where the repository is");
  const fault = repoUrlFault(url);
  if (fault) throw new PrepareFailed(fault);
  const remote = partsOf(url);
  const found = await checkHost(remote.host, resolve);
  if (found.kind === "forbidden")
    throw new PrepareFailed(`repo_url leads to ${found.address}, from which nothing is fetched`);
  // A name that is not known here may be known to a proxy: git will tell.
  if (found.kind === "unknown" || remote.scheme === "ssh") return remote;
  const { hostname, port } = new URL(url);
  const known = found.addresses.map((address) => (address.includes(":") ? `[${address}]` : address));
  const isName = !hostname.startsWith("[") && !known.includes(hostname);
  const pinned = `${hostname}:${port || STANDARD_PORT[remote.scheme]}:${known.join(",")}`;
  return { ...remote, pinned: isName ? pinned : null };
}

function partsOf(url: string): GitRemote {
  if (!url.includes("://")) {
    const host = url.slice(url.indexOf("@") + 1, url.indexOf(":"));
    return { url, scheme: "ssh", host, origin: null, pinned: null };
  }
  const { protocol, hostname, origin } = new URL(url);
  if (protocol === "ssh:") return { url, scheme: "ssh", host: hostname, origin: null, pinned: null };
  return { url, scheme: protocol === "http:" ? "http" : "https", host: hostname, origin, pinned: null };
}

/** Whether a token may go there: never over the wire in the open. */
export function mayCarryToken({ scheme, host }: GitRemote): boolean {
  return scheme === "https" || (scheme === "http" && /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(host));
}

/** What git's own words mean for the one who deploys. */
export function gitFault(words: readonly string[], { url, host }: GitRemote, hasToken: boolean): string {
  const text = words.join("\n");
  const known = KNOWN_FAULTS.find(([pattern]) => pattern.test(text));
  if (known) return known[1]({ url, host, hasToken });
  const fatal = words.findLast((line) => /^(?:fatal|error):/.test(line)) ?? words.at(-1) ?? "no reason given";
  return `git cannot read ${url}: ${fatal.replace(/^(?:fatal|error): /, "").slice(0, 300)}`;
}

type Told = { url: string; host: string; hasToken: boolean };

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
    ({ url, hasToken }) =>
      `there is no repository at ${url}${hasToken ? " that the token may see" : ", or it is private and needs an integration"}`,
  ],
  [/Could not resolve (?:host|proxy)/i, ({ host }) => `the host ${host} is not known`],
  [/redirect|returned error: 30\d/i, ({ url }) => `${url} leads on to another address: give that one`],
  [
    /Failed to connect|Could ?n[o']t connect|Connection (?:refused|timed out|reset)|unreachable|Operation too slow/i,
    ({ url, host }) => `${url} cannot be reached: ${host} does not answer`,
  ],
];
