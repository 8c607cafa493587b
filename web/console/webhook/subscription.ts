import type { Subscription } from "@berth/server";
import { severityName } from "../issue/index.ts";

/** What stands for a value that is secret; sent back, it keeps the value. */
export const MASK = "********";

/** Every type of event that a subscription can name, and when it is sent. */
export const EVENT_TYPES = [
  { value: "issue.created", label: "issue.created", hint: "The engine opens an issue." },
  { value: "issue.trace.added", label: "issue.trace.added", hint: "A trace is linked to an issue." },
  {
    value: "issue.agent_run.failed",
    label: "issue.agent_run.failed",
    hint: "The engine could not scan a project.",
  },
  {
    value: "deployment.revision.deployed",
    label: "deployment.revision.deployed",
    hint: "A revision of a deployment is live.",
  },
  {
    value: "deployment.revision.failed",
    label: "deployment.revision.failed",
    hint: "A revision of a deployment could not be built or started, or ends again and again.",
  },
  {
    value: "deployment.revision.restarted",
    label: "deployment.revision.restarted",
    hint: "A revision that serves took too much memory or hung, and was started again.",
  },
] as const satisfies readonly { value: Subscription["event_types"][number]; label: string; hint: string }[];

/** Where a subscription sends to. */
export const targetOf = ({ url, channel }: Pick<Subscription, "url" | "channel">): string =>
  url ?? channel ?? "";

/** Which issues a subscription asks for, in words. */
export function thresholdWords(threshold: number): string {
  if (threshold >= 3) return "Every severity";
  return threshold === 0 ? "Urgent only" : `${severityName(threshold)} and worse`;
}
