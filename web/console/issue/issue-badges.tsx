import type { Issue } from "@berth/server";
import { Bell, CircleAlert, Info, OctagonAlert, TriangleAlert, Undo2 } from "lucide-react";
import { Badge } from "../../ui/index.ts";
import { StatusBadge, useNow } from "../ui/index.ts";
import { muteOf, RESOLUTIONS, severityName } from "./issue.ts";

const SIGNS = [
  { look: "negative", Icon: OctagonAlert },
  { look: "caution", Icon: TriangleAlert },
  { look: "accent", Icon: CircleAlert },
  { look: "neutral", Icon: Info },
] as const;

/** How bad an issue is. */
export function SeverityBadge({ severity }: { severity: number }) {
  const { look, Icon } = SIGNS[severity] ?? { look: "neutral", Icon: Bell };
  return (
    <Badge look={look} className="status-badge" data-testid="severity">
      <Icon aria-hidden="true" />
      {severityName(severity)}
    </Badge>
  );
}

/** Whether an issue is open, and whether anybody hears of it. */
export function IssueState({ issue }: { issue: Issue }) {
  const mute = muteOf(issue, useNow());
  const { status, resolution, merged_into } = issue;
  if (merged_into !== null) return <StatusBadge status="closed" words="Merged" />;
  if (status === "closed") {
    const words = issue.fixed_in_next_revision
      ? "Fixed in the next revision"
      : resolution && RESOLUTIONS[resolution];
    return <StatusBadge status="closed" {...(words && { words })} />;
  }
  return (
    <span className="issue-state">
      <StatusBadge status="open" />
      {issue.regressed_at !== null && (
        <Badge look="caution" className="status-badge" data-testid="regression">
          <Undo2 aria-hidden="true" />
          Regression
        </Badge>
      )}
      {mute !== "no" && <StatusBadge status="muted" />}
    </span>
  );
}
