import type { Clock } from "@berth/agent";
import { newUlid, type Outbox, type Subscriptions } from "@berth/store";
import type { Job } from "../clock/index.ts";
import { logger } from "../log/index.ts";
import type { Reach } from "../reach/index.ts";
import { Counts, type Reading, Timings } from "../readings/index.ts";
import type { ChatSettings } from "./chat.ts";
import { Courier, type Local } from "./courier.ts";
import { Drain } from "./drain.ts";

type DeliveryParts = {
  outbox: Outbox;
  subscriptions: Pick<Subscriptions, "secretOf">;
  reach: Reach;
  chat: ChatSettings;
  /** Where an address that is only a path goes; null where the project has no app of its own. */
  local: Local | null;
  clock: Clock;
};

/** What sends webhooks and chat messages in this process. */
type DeliveryWork = {
  jobs: Job[];
  readings: Reading[];
  /** Takes up what comes into the outbox as soon as it is there. */
  start(): void;
  /** Lets end what is on its way, for as long as one attempt may take. */
  stop(graceMs?: number): Promise<void>;
};

/** Puts together what drains an outbox. */
export function createDelivery({
  outbox,
  subscriptions,
  reach,
  chat,
  local,
  clock,
}: DeliveryParts): DeliveryWork {
  const log = logger("webhooks");
  const now = () => clock.now();
  const secretOf = (id: string) => subscriptions.secretOf(id);
  const courier = new Courier({ reach, chat, local, now, secretOf });
  const { attempts, seconds, expirations } = counted();
  const drain = new Drain({
    ...{ outbox, courier, now, log, owner: newUlid() },
    attempted: (end) => {
      attempts.add({ outcome: end.outcome, verdict: end.verdict });
      seconds.add(end.seconds);
    },
  });
  const reap = async (at: number) => {
    const expired = await outbox.reap(at);
    expirations.add({}, expired);
    if (expired > 0) log.warn("webhook.leases.expired", { expired });
  };
  return {
    jobs: [
      // The ring wakes it at once; this finds retries, and what other processes put in.
      { name: "webhooks.drain", everyMs: 1_000, once: () => drain.once(), rests: true },
      { name: "webhooks.reap", everyMs: 5_000, once: reap, byLeader: true, rests: true },
      { name: "webhooks.sweep", everyMs: 600_000, once: (at) => outbox.sweep(at), byLeader: true },
    ],
    readings: [
      ...[attempts, seconds, expirations],
      {
        name: "berth_webhooks_under_way",
        help: "Deliveries that this process is sending",
        read: () => drain.underWay,
      },
      {
        name: "berth_webhook_queue_depth",
        help: "Deliveries waiting on this database",
        read: async () => (await outbox.depth(now())).queued,
      },
      {
        name: "berth_webhook_oldest_due_seconds",
        help: "How long the oldest delivery that is due has waited",
        read: async () => (await outbox.depth(now())).oldestDueMs / 1_000,
      },
    ],
    start: () => drain.start(),
    stop: (graceMs) => drain.stop(graceMs),
  };
}

/** What is counted while the process lives. */
const counted = () => ({
  attempts: new Counts("berth_webhook_deliveries_total", "Attempts of deliveries, by how they ended", [
    "outcome",
    "verdict",
  ]),
  seconds: new Timings("berth_webhook_attempt_seconds", "Time that attempts of deliveries took"),
  expirations: new Counts("berth_webhook_lease_expired_total", "Attempts whose process went silent"),
});
