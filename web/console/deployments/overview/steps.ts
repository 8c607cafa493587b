import type { Revision } from "@berth/server";
import { hasFailed, hasServed } from "../deployment.ts";

export type Step = { label: string; state: "done" | "current" | "failed" | "ahead" };

/** The statuses in which a revision is at each step. */
const PREPARE = ["CREATING", "QUEUED", "CREATE_FAILED"];
const BUILD = ["AWAITING_BUILD", "BUILDING", "BUILD_FAILED"];
const START = ["AWAITING_DEPLOY", "DEPLOYING", "DEPLOY_FAILED"];

/** The way of a revision to serving, and how far it has come. */
export function stepsOf(revision: Pick<Revision, "status" | "source" | "began_at" | "deployed_at">): Step[] {
  const { status, source } = revision;
  const isBuilt = source === "github" || source === "internal_source";
  const steps = [
    { label: "Prepare", statuses: PREPARE },
    ...(isBuilt ? [{ label: "Build", statuses: BUILD }] : []),
    { label: "Start", statuses: START },
    { label: "Serve", statuses: [] as string[] },
  ];
  const reached = steps.findIndex(({ statuses }) => statuses.includes(status));
  const failedLater = status === "DEPLOY_FAILED" && hasServed(revision);
  const at = status === "DEPLOYED" ? steps.length : failedLater ? steps.length - 1 : reached;
  return steps.map(({ label }, index) => {
    if (index < at) return { label, state: "done" };
    if (index > at || at < 0) return { label, state: "ahead" };
    return { label, state: hasFailed(revision) ? "failed" : "current" };
  });
}
