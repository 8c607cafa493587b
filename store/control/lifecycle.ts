import type { RevisionStatus } from "../schema/index.ts";

export const REVISION_STATUSES = [
  "CREATING",
  "QUEUED",
  "AWAITING_BUILD",
  "BUILDING",
  "AWAITING_DEPLOY",
  "DEPLOYING",
  "CREATE_FAILED",
  "BUILD_FAILED",
  "DEPLOY_FAILED",
  "DEPLOYED",
  "SKIPPED",
  "INTERRUPTED",
  "UNKNOWN",
] as const satisfies RevisionStatus[];

/** What a revision may become next. Whatever is not here never happens. */
const NEXT: Record<RevisionStatus, readonly RevisionStatus[]> = {
  CREATING: [
    "CREATE_FAILED",
    "QUEUED",
    "AWAITING_BUILD",
    "AWAITING_DEPLOY",
    "SKIPPED",
    "INTERRUPTED",
    "UNKNOWN",
  ],
  QUEUED: ["AWAITING_BUILD", "AWAITING_DEPLOY", "SKIPPED", "INTERRUPTED", "UNKNOWN"],
  AWAITING_BUILD: ["BUILDING", "INTERRUPTED", "UNKNOWN"],
  BUILDING: ["AWAITING_DEPLOY", "BUILD_FAILED", "INTERRUPTED", "UNKNOWN"],
  AWAITING_DEPLOY: ["DEPLOYING", "INTERRUPTED", "UNKNOWN"],
  DEPLOYING: ["DEPLOYED", "DEPLOY_FAILED", "INTERRUPTED", "UNKNOWN"],
  CREATE_FAILED: [],
  BUILD_FAILED: [],
  // From here on a revision that once was deployed may be deployed again, without a build. One that ends again and
  // again while it serves has failed as well, and is well again when it has stayed up.
  DEPLOY_FAILED: ["DEPLOYING", "DEPLOYED"],
  DEPLOYED: ["DEPLOYING", "DEPLOY_FAILED", "UNKNOWN"],
  SKIPPED: [],
  INTERRUPTED: ["DEPLOYING"],
  UNKNOWN: [
    "AWAITING_BUILD",
    "BUILDING",
    "BUILD_FAILED",
    "AWAITING_DEPLOY",
    "DEPLOYING",
    "DEPLOY_FAILED",
    "DEPLOYED",
    "INTERRUPTED",
  ],
};

const FINAL: ReadonlySet<RevisionStatus> = new Set<RevisionStatus>([
  "CREATE_FAILED",
  "BUILD_FAILED",
  "DEPLOY_FAILED",
  "DEPLOYED",
  "SKIPPED",
  "INTERRUPTED",
  "UNKNOWN",
]);

/** The statuses of a revision that is being built or deployed: one revision of a deployment at a time has one of them. */
export const BUSY_STATUSES = ["AWAITING_BUILD", "BUILDING", "AWAITING_DEPLOY", "DEPLOYING"] as const;

const BUSY: ReadonlySet<string> = new Set(BUSY_STATUSES);

/** Whether a revision stays as it is until somebody asks for something else. */
export function isFinal(status: RevisionStatus): boolean {
  return FINAL.has(status);
}

/** Whether a revision is being built or deployed; see {@link BUSY_STATUSES}. */
export function isBusy(status: RevisionStatus): boolean {
  return BUSY.has(status);
}

/** The one table of what may follow what. */
export function mayBecome(from: RevisionStatus, to: RevisionStatus): boolean {
  return NEXT[from].includes(to);
}
