import type { Clock } from "@berth/agent";
import {
  type Database,
  Outbox,
  type OutboxSettings,
  openSecretBox,
  type SecretBox,
  Subscriptions,
} from "@berth/store";
import { logger } from "../log/index.ts";
import { PRIVATE_TOO, Reach } from "../reach/index.ts";
import type { Settings } from "../settings/index.ts";

/** What events go out by. */
export type Outgoing = {
  /** What secrets of this database are sealed with. */
  box: SecretBox;
  outbox: Outbox;
  subscriptions: Subscriptions;
  /** Where webhooks may go. */
  reach: Reach;
  /** Where the sources of deployments may come from. */
  sources: Reach;
};

type Place = {
  db: Database;
  clock: Clock;
  /** Both are known once it listens. */
  publicUrl: () => string;
  port: () => number;
};

/**
 * Opens the outbox of a process.
 * @throws WrongSecretsKey
 */
export async function openOutgoing(
  settings: Settings,
  { db, clock, publicUrl, port }: Place,
): Promise<Outgoing> {
  const box = await openSecretBox(db, settings);
  const outbox = new Outbox(db, clock, box, {
    ...outboxSettings("", settings.webhookBackoffSeconds),
    get publicUrl() {
      return publicUrl();
    },
  });
  const subscriptions = new Subscriptions(db, clock, box);
  const deployedBy = portOf(settings.shipTracesTo);
  const ownPorts = () => [port(), ...deployedBy];
  return {
    box,
    outbox,
    subscriptions,
    reach: new Reach(settings.webhookAllow, { ownPorts, setting: "WEBHOOK_ALLOW" }),
    sources: new Reach(PRIVATE_TOO, { ownPorts }),
  };
}

/** In a deployed process: where the Berth that deployed it listens. */
function portOf(url: string | null): number[] {
  if (url === null) return [];
  const { port, protocol } = new URL(url);
  return [Number(port) || (protocol === "https:" ? 443 : 80)];
}

const JITTER = 0.2;

/**
 * How long to wait before the next attempt, as planned: the plan's seconds and up to a fifth more, so that many
 * that failed together do not come back together.
 * @param attempt the one that failed, from 1
 * @param random from 0 to 1
 */
export function plannedWaitMs(plan: readonly number[], attempt: number, random: number): number {
  const seconds = plan[Math.min(attempt, plan.length) - 1] ?? 0;
  return Math.round(seconds * 1_000 * (1 + JITTER * random));
}

/** What the outbox has to know of how deliveries are sent. */
export function outboxSettings(publicUrl: string, backoffSeconds: readonly number[]): OutboxSettings {
  return {
    publicUrl,
    backoff: (attempt) => plannedWaitMs(backoffSeconds, attempt, Math.random()),
    onDisabled: (subscription) => logger("webhooks").warn("webhook.subscription.disabled", { subscription }),
  };
}
