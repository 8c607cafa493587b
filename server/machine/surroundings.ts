import type { Texts } from "../settings/index.ts";

/** How the outside is reached: proxies, authorities, and where packages come from. */
const NETWORK = [
  /^(?:https?|no|all)_proxy$/i,
  /^(?:NODE_EXTRA_CA_CERTS|SSL_CERT_FILE|SSL_CERT_DIR)$/,
  /^npm_config_/i,
  /^BUN_CONFIG_/,
  /^(?:PIP|UV)_/,
];
/** What `npm run` and `npx` tell of the user who started Berth, who is somebody else here. */
const ANOTHER_USERS =
  /^npm_config_(?:\w*config|\w*prefix|cache|tmp|init_module|node_gyp|user_agent)$|^(?:PIP|UV)_\w*(?:CACHE|TARGET|PREFIX|ROOT|DIR)\w*$|^PIP_(?:CONFIG_FILE|USER|LOG)$/i;

const USUAL_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** What the programs of a build inherit of Berth's own environment, and nothing else: it holds Berth's keys. */
export function networkSettings(environment: Texts): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment))
    if (value !== undefined && NETWORK.some((known) => known.test(name)) && !ANOTHER_USERS.test(name))
      found[name] = value;
  return found;
}

const CREDENTIAL_NAME = /auth|token|passw|secret|username|credential|_(?:key|cert)$/i;
/** A user or password in a URL. */
const CREDENTIAL_URL = /:\/\/[^/\s]*@/;

/** Returns the same without credentials: neither variables that are one, nor URLs that contain one. */
export function openNetworkSettings(environment: Texts): Record<string, string> {
  const settings = Object.entries(networkSettings(environment));
  return Object.fromEntries(
    settings.filter(([name, value]) => !CREDENTIAL_NAME.test(name) && !CREDENTIAL_URL.test(value)),
  );
}

/** Where programs are looked for, and in which language and time they speak. */
export function surroundings(environment: Texts): Record<string, string> {
  return {
    PATH: environment.PATH ?? USUAL_PATH,
    LANG: environment.LANG ?? "C.UTF-8",
    TZ: environment.TZ ?? "UTC",
  };
}
