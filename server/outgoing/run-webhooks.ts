import {
  appAt,
  plainWebhooks,
  type RunWebhooks,
  type ServedProject,
  type WebhooksConfig,
} from "@berth/agent";
import { DEFAULT_WORKSPACE, Invalid } from "@berth/store";
import {
  hostOf,
  lookUp,
  portOf,
  Refused,
  type Resolve,
  readUrl,
  resolveName,
  UnknownHost,
} from "../reach/index.ts";
import type { Outgoing } from "./outgoing.ts";

/**
 * What tells the webhooks of a project's runs that they have ended; undefined where the project turned that off. An
 * address that nothing would be delivered to is refused when a run is created; each delivery looks again.
 */
export function runWebhooks(
  { http, webhooks = plainWebhooks }: ServedProject,
  { outbox, reach }: Outgoing,
  resolve: Resolve = resolveName,
): RunWebhooks | undefined {
  if (http?.disabled.has("webhooks")) return undefined;
  const hasApp = (path: string) => appAt(http ?? {}, path.split(/[?#]/, 1)[0] ?? path) !== undefined;
  return {
    check: async (webhook) => {
      const fault = webhook.startsWith("/")
        ? pathFault(webhook, webhooks, hasApp(webhook))
        : await urlFault(webhook, webhooks, reach, resolve);
      if (fault !== undefined) throw Invalid.body("webhook", `webhook ${fault}`);
    },
    send: async (tx, url, body) => {
      const { headers } = webhooks;
      const event = { type: "run.completed" as const, workspaceId: DEFAULT_WORKSPACE.id, url, headers, body };
      await outbox.enqueue(tx, [event]);
    },
    ring: () => outbox.ring(),
  };
}

/** Why an address that is only a path cannot be one. */
function pathFault(path: string, { url }: WebhooksConfig, hasApp: boolean): string | undefined {
  if (url.disableLoopback) return "must be a whole address: the project allows no paths of its own app";
  if (!hasApp) return "is a path, and the project has no app of its own there (http.app)";
  if (path.length > url.maxLength) return `must have at most ${url.maxLength} characters`;
  return /^\/[/\\]/.test(path) ? "must be a path or a whole address" : undefined;
}

async function urlFault(
  text: string,
  { url: rules }: WebhooksConfig,
  reach: Outgoing["reach"],
  resolve: Resolve,
): Promise<string | undefined> {
  if (text.length > rules.maxLength) return `must have at most ${rules.maxLength} characters`;
  try {
    const url = readUrl(text);
    const [host, port] = [hostOf(url), portOf(url)];
    if (rules.requireHttps && url.protocol !== "https:") return "must begin with https://";
    if (rules.allowedPorts && !rules.allowedPorts.includes(port)) return `must not go to port ${port}`;
    if (rules.allowedDomains && !rules.allowedDomains.some((domain) => isOf(host, domain)))
      return `must not go to ${host}`;
    await lookUp(host, port, reach, resolve);
    return undefined;
  } catch (error) {
    // Who cannot be found now may be found when the run has ended.
    if (error instanceof UnknownHost) return undefined;
    if (error instanceof Refused) return error.message;
    throw error;
  }
}

/** `*.example.com` stands for every name below it, and not for itself. */
const isOf = (host: string, domain: string): boolean =>
  domain.startsWith("*.") ? host.endsWith(domain.slice(1)) : host === domain;
