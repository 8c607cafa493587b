import type { OutboxSettings } from "@berth/store";
import { logger } from "../log/index.ts";

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
