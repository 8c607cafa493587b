import type { Settings } from "../../config.ts";

/** The settings that hold for every deployment, too, unless it has a secret of that name. */
export type HandedOn = Pick<Settings, "webhookAllow" | "webhookBackoffSeconds">;

/** What each deployed process is told of how Berth itself was set up; see {@link HandedOn}. */
export function handedOn({ webhookAllow, webhookBackoffSeconds }: HandedOn): Record<string, string> {
  return {
    ...(webhookAllow.length > 0 && { WEBHOOK_ALLOW: webhookAllow.join(",") }),
    WEBHOOK_BACKOFF: webhookBackoffSeconds.join(","),
  };
}
