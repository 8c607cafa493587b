import type { Clock } from "@berth/agent";
import { type Database, Outbox, openSecretBox, type SecretBox, Subscriptions } from "@berth/store";
import { PRIVATE_TOO, Reach } from "../reach/index.ts";
import type { Settings } from "../settings/index.ts";
import { outboxSettings } from "./outbox-settings.ts";

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
    reach: new Reach(settings.webhookAllow, { ownPorts }),
    sources: new Reach(PRIVATE_TOO, { ownPorts }),
  };
}

/** In a deployed process: where the Berth that deployed it listens. */
function portOf(url: string | null): number[] {
  if (url === null) return [];
  const { port, protocol } = new URL(url);
  return [Number(port) || (protocol === "https:" ? 443 : 80)];
}
