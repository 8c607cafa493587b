import { readFileSync } from "node:fs";
import { join } from "node:path";
import { networkSettings } from "../../machine/index.ts";
import type { Texts } from "../../settings/index.ts";
import { type GitRemote, mayCarryToken } from "./git-remote.ts";
import { PrepareFailed } from "./order.ts";
import type { Workbench } from "./workbench.ts";

/** As whom git runs and what it is told, beside its arguments. */
export type GitUser = { uid: number | null; env: Record<string, string> };

/**
 * Git's own user where deployments are kept apart: an earlier revision may be running as the deployment's user, and
 * must not find the token in git's environment.
 */
const GIT_UID = 39_999;
/** ssh wants a user that `/etc/passwd` knows: `nobody`. */
const SSH_UID = 65_534;

const SSH = "ssh -o BatchMode=yes -o ConnectTimeout=20";
const SSH_FILES = ["id_ed25519", "id_ecdsa", "id_rsa", "known_hosts"];

/** Settings that take away from git whatever a repository or a machine could have it do beside fetching. */
const TAME: [string, string][] = [
  ["protocol.ext.allow", "never"],
  ["protocol.file.allow", "never"],
  ["core.hooksPath", "/dev/null"],
  ["core.symlinks", "false"],
  ["core.fsmonitor", "false"],
  ["core.quotePath", "false"],
  ["core.autocrlf", "false"],
  ["credential.helper", ""],
  ["submodule.recurse", "false"],
  ["fetch.recurseSubmodules", "false"],
  ["gc.auto", "0"],
  // A token would be sent along to wherever it leads.
  ["http.followRedirects", "false"],
  ["http.lowSpeedLimit", "1000"],
  ["http.lowSpeedTime", "30"],
];

type GitUserOptions = {
  token: string | null;
  isolated: boolean;
  environment: Texts;
  home?: string;
};

/**
 * Prepares the user that fetches from a remote, with the token or the keys that it needs there.
 * @param isolated whether it can be another user than Berth's
 * @param home the name of its folder, which no other may have
 * @throws PrepareFailed
 */
export async function gitUser(
  bench: Workbench,
  remote: GitRemote,
  { token, isolated, environment, home: name = "git-home" }: GitUserOptions,
): Promise<GitUser> {
  const settings = [...TAME];
  for (const pin of curlPins(remote)) settings.push(["http.curloptResolve", pin]);
  if (token !== null) settings.push(credentials(remote, token));
  const uid = isolated ? (remote.scheme === "ssh" ? SSH_UID : GIT_UID) : null;
  const home = await bench.folderFor(name, uid);
  return {
    uid,
    env: {
      ...networkSettings(environment),
      ...authorities(environment),
      HOME: home,
      TMPDIR: home,
      LC_ALL: "C",
      GIT_TERMINAL_PROMPT: "0",
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_CONFIG_GLOBAL: "/dev/null",
      GIT_ALLOW_PROTOCOL: "http:https:ssh",
      GIT_SSH_COMMAND: [
        isolated ? sshWithKeys(bench, { home, uid, environment }) : SSH,
        ...sshPin(remote),
      ].join(" "),
      ...configured(settings),
    },
  };
}

/** What tells curl the addresses that were looked at. */
export function curlPins({ scheme, host, port, pinned }: GitRemote): string[] {
  if (scheme === "ssh" || pinned === null) return [];
  const addresses = pinned.map((address) => (address.includes(":") ? `[${address}]` : address)).join(",");
  // A name with a dot at its end is the same to us, and to some curls another.
  return [`${host}:${port}:${addresses}`, `${host}.:${port}:${addresses}`];
}

/** The same for ssh, which takes one; the key is still looked for under the name. */
export function sshPin({ scheme, host, port, pinned }: GitRemote): string[] {
  const address = pinned?.[0];
  if (scheme !== "ssh" || address === undefined) return [];
  const alias = port === 22 ? host : `[${host}]:${port}`;
  return [`-o HostName=${address}`, `-o HostKeyAlias='${alias}'`, "-o CheckHostIP=no"];
}

/** In the environment: arguments can be read by everybody on the machine. */
function configured(settings: [string, string][]): Record<string, string> {
  const env: Record<string, string> = { GIT_CONFIG_COUNT: String(settings.length) };
  for (const [at, [key, value]] of settings.entries()) {
    env[`GIT_CONFIG_KEY_${at}`] = key;
    env[`GIT_CONFIG_VALUE_${at}`] = value;
  }
  return env;
}

function credentials(remote: GitRemote, token: string): [string, string] {
  if (!mayCarryToken(remote))
    throw new PrepareFailed("The integration's token is sent to https addresses only: change repo_url");
  // The name that GitHub gives its tokens; other hosts look at the token alone.
  const basic = Buffer.from(`x-access-token:${token}`).toString("base64");
  return [`http.${remote.origin}/.extraHeader`, `Authorization: Basic ${basic}`];
}

/** Git has its own names for the authorities that are trusted. */
function authorities({ SSL_CERT_FILE, SSL_CERT_DIR }: Texts): Record<string, string> {
  return {
    ...(SSL_CERT_FILE !== undefined && { GIT_SSL_CAINFO: SSL_CERT_FILE }),
    ...(SSL_CERT_DIR !== undefined && { GIT_SSL_CAPATH: SSL_CERT_DIR }),
  };
}

type KeyRing = { home: string; uid: number | null; environment: Texts };

/** Copies of the keys of Berth's own user, for as long as git needs them. */
function sshWithKeys(bench: Workbench, { home, uid, environment: { HOME } }: KeyRing): string {
  const own = ["-F /dev/null -o IdentitiesOnly=yes -o IdentityAgent=none"];
  for (const name of HOME === undefined ? [] : SSH_FILES) {
    const text = textOf(join(HOME ?? "", ".ssh", name));
    if (text === undefined) continue;
    const path = join(home, name);
    bench.hand(path, text, uid);
    own.push(name === "known_hosts" ? `-o UserKnownHostsFile='${path}'` : `-i '${path}'`);
  }
  return [SSH, ...own].join(" ");
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
