import type { Issue, Subscription } from "@berth/server";
import { muteOf, severityName } from "./issue.ts";

/** What a subscription hears of an issue. */
export type Hears = { hears: boolean; words: string };

/** Whether a subscription hears of further traces of an issue, and why not: the same rules as in the server. */
export function whatIsTold(subscription: Subscription, issue: Issue, now: number): Hears {
  const not = (words: string): Hears => ({ hears: false, words });
  const { state, session_id, severity_threshold, event_types } = subscription;
  if (state === "disabled") return not("It is disabled.");
  if (session_id !== null && session_id !== issue.session_id) return not("It is for another project.");
  if (issue.severity > severity_threshold)
    return not(
      `The issue is ${severityName(issue.severity).toLowerCase()}, it asks for ${severityName(severity_threshold).toLowerCase()}${severity_threshold > 0 ? " or worse" : ""}.`,
    );
  if (!event_types.includes("issue.trace.added"))
    return event_types.includes("issue.created")
      ? not("It is told when an issue opens, not of further traces.")
      : not("It asks for other events.");
  if (muteOf(issue, now) !== "no") return not("The issue is muted.");
  if (issue.status === "closed" && issue.resolution !== "fixed") return not("The issue is closed for good.");
  if (issue.status === "closed" && issue.fixed_in_next_revision)
    return not("The issue is fixed in the next revision: it is told when a later one shows it.");
  return { hears: true, words: "It is told of every further trace." };
}
