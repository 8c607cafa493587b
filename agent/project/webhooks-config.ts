import { isRecord } from "../record.ts";
import type { ProjectFile } from "./config.ts";
import { ProjectError } from "./project-error.ts";

/** What a project says of the webhooks that runs are given (`webhooks` of its configuration file). */
export type WebhooksConfig = {
  /** Go with every one of them. */
  headers: Readonly<Record<string, string>>;
  url: {
    /** Hosts, or `*.example.com`; undefined for any. */
    allowedDomains?: readonly string[] | undefined;
    requireHttps: boolean;
    /** Undefined for any. */
    allowedPorts?: readonly number[] | undefined;
    /** No address that is only a path, and so the project's own app. */
    disableLoopback: boolean;
    maxLength: number;
  };
};

/** As long as the API takes one. */
const LONGEST = 65_536;

/** What holds where a project says nothing. */
export const plainWebhooks: WebhooksConfig = {
  headers: {},
  url: { requireHttps: false, disableLoopback: false, maxLength: LONGEST },
};

type Texts = Readonly<Record<string, string | undefined>>;
type Wrong = (key: string, what: string) => ProjectError;

/**
 * Reads `webhooks`; `${{ env.NAME }}` in a header stands for what the environment has.
 * @throws ProjectError also when a variable is missing, or is not one of those that webhooks may read
 */
export function readWebhooks({ file, config }: ProjectFile, environment: Texts): WebhooksConfig {
  const webhooks: unknown = config.webhooks ?? {};
  const wrong: Wrong = (key, what) => new ProjectError(`${file}: webhooks${key}: must be ${what}`);
  if (!isRecord(webhooks)) throw wrong("", "an object");
  const { env_prefix: prefix = "LG_WEBHOOK_", headers = {}, url = {} } = webhooks;
  if (typeof prefix !== "string") throw wrong(".env_prefix", "a text");
  if (!isRecord(headers)) throw wrong(".headers", "an object of texts");
  const filled = Object.entries(headers).map(([name, value]) => {
    if (typeof value !== "string") throw wrong(`.headers.${name}`, "a text");
    return [name, fill(value, { prefix, environment, where: `${file}: webhooks.headers.${name}` })];
  });
  return { headers: Object.fromEntries(filled), url: readUrlRules(url, wrong) };
}

type Place = { prefix: string; environment: Texts; where: string };

function fill(template: string, { prefix, environment, where }: Place): string {
  return template.replaceAll(/\$\{\{\s*env\.([A-Za-z_]\w*)\s*\}\}/g, (_, name: string) => {
    if (!name.startsWith(prefix)) throw new ProjectError(`${where}: ${name} does not begin with ${prefix}`);
    const value = environment[name];
    if (value === undefined) throw new ProjectError(`${where}: ${name} is not set`);
    return value;
  });
}

function readUrlRules(url: unknown, wrong: Wrong): WebhooksConfig["url"] {
  if (!isRecord(url)) throw wrong(".url", "an object");
  const { allowed_domains, require_https, allowed_ports, disable_loopback, max_url_length } = url;
  const flag = (key: string, value: unknown) => {
    if (value !== undefined && typeof value !== "boolean") throw wrong(`.url.${key}`, "true or false");
    return value ?? false;
  };
  if (max_url_length !== undefined && !isCount(max_url_length))
    throw wrong(".url.max_url_length", "a whole number above 0");
  return {
    allowedDomains: listOf(allowed_domains, isText, () =>
      wrong(".url.allowed_domains", "a list of hosts"),
    )?.map((domain) => domain.toLowerCase()),
    requireHttps: flag("require_https", require_https),
    allowedPorts: listOf(allowed_ports, isCount, () => wrong(".url.allowed_ports", "a list of ports")),
    disableLoopback: flag("disable_loopback", disable_loopback),
    maxLength: max_url_length ?? LONGEST,
  };
}

const isText = (value: unknown): value is string => typeof value === "string";
const isCount = (value: unknown): value is number => Number.isInteger(value) && Number(value) > 0;

function listOf<T>(
  value: unknown,
  fits: (one: unknown) => one is T,
  fault: () => ProjectError,
): T[] | undefined {
  if (value === undefined || value === null) return undefined;
  if (Array.isArray(value) && value.every(fits)) return value;
  throw fault();
}
