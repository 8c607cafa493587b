// What several screens show of an issue, and of the projects that issues are of.

export {
  detectorName,
  muteOf,
  type NamedSessions,
  RESOLUTIONS,
  revisionName,
  SEVERITIES,
  severityName,
  useSessions,
} from "./issue.ts";
export { IssueState, SeverityBadge } from "./issue-badges.tsx";
