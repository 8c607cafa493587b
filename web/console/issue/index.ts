// What several screens show of an issue, and of the projects that issues are of.

export { detectorName, muteOf, RESOLUTIONS, revisionName, SEVERITIES, severityName } from "./issue.ts";
export { IssueState, SeverityBadge } from "./issue-badges.tsx";
export { type Sessions, useSessions } from "./use-sessions.ts";
