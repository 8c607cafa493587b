import { isLoopbackHost } from "../reach/index.ts";
import type { Settings } from "./config.ts";

/** Shorter ones can be guessed by whoever has the time. */
const LEAST_CHARACTERS = 16;
/** What the documentation shows: everybody knows it. */
const EXAMPLE = "choose-one";

type Keys = Pick<Settings, "serviceApiKey" | "secretsKey" | "proxySecret" | "host" | "publicUrl">;

/** What is wrong with the keys that Berth was told, a sentence for each; their texts are in none. */
export function weakKeys({ serviceApiKey, secretsKey, proxySecret, ...place }: Keys): string[] {
  const told: string[] = [];
  if (serviceApiKey === EXAMPLE) told.push("SERVICE_API_KEY is the example of the documentation");
  else if (serviceApiKey !== null && serviceApiKey.length < LEAST_CHARACTERS && isExposed(place))
    told.push(
      `SERVICE_API_KEY has fewer than ${LEAST_CHARACTERS} characters, and others can reach this server`,
    );
  if (secretsKey !== null && secretsKey.length < LEAST_CHARACTERS)
    told.push(`SECRETS_KEY has fewer than ${LEAST_CHARACTERS} characters`);
  if (proxySecret !== null && proxySecret.length < LEAST_CHARACTERS)
    told.push(`PROXY_SECRET has fewer than ${LEAST_CHARACTERS} characters`);
  return told;
}

/** How one gets a better one. */
export const STRONGER = "make one with: openssl rand -hex 32";

/** A proxy in front of loopback lets others in, too. */
const isExposed = ({ host, publicUrl }: Pick<Keys, "host" | "publicUrl">): boolean =>
  !isLoopbackHost(host) || (publicUrl !== null && !isLoopbackHost(new URL(publicUrl).host));
