import type { Issue, RevisionName, Session, SessionsPage } from "@berth/server";
import { Bell, CircleAlert, Info, OctagonAlert, TriangleAlert, Undo2 } from "lucide-react";
import { useMemo } from "react";
import { Badge } from "../ui/index.ts";
import { useResource } from "./data/index.ts";
import { StatusBadge, useNow } from "./ui/index.ts";
import { WORDS } from "./words.ts";

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
  if (merged_into !== null) return <StatusBadge status="closed" words={WORDS.merged} />;
  if (status === "closed") {
    const words = issue.fixed_in_next_revision ? WORDS.fixedInTheNext : resolution && RESOLUTIONS[resolution];
    return <StatusBadge status="closed" {...(words && { words })} />;
  }
  return (
    <span className="issue-state">
      <StatusBadge status="open" />
      {issue.regressed_at !== null && (
        <Badge look="caution" className="status-badge" data-testid="regression">
          <Undo2 aria-hidden="true" />
          {WORDS.regression}
        </Badge>
      )}
      {mute !== "no" && <StatusBadge status="muted" />}
    </span>
  );
}

/** By its number, or as whoever sent the runs calls it. */
export const revisionName = ({ id, number }: RevisionName): string => (number === null ? id : String(number));

export const SEVERITIES = [WORDS.urgent, WORDS.high, WORDS.medium, WORDS.low] as const;

export const severityName = (severity: number): string => SEVERITIES[severity] ?? String(severity);

export const RESOLUTIONS = {
  fixed: WORDS.fixed,
  wont_fix: WORDS.wontFix,
  not_an_issue: WORDS.notAnIssue,
} as const;

/** What the engine looks for, in words. */
const DETECTORS: Record<string, string> = {
  exception: WORDS.exception,
  tool_error: WORDS.toolError,
  recursion_limit: WORDS.recursionLimit,
  loop: WORDS.loop,
  timeout: WORDS.timeout,
  cut_off_answer: WORDS.cutOffAnswer,
  empty_answer: WORDS.emptyAnswer,
  negative_feedback: WORDS.negativeFeedback,
  slow_run: WORDS.slowRun,
  token_outlier: WORDS.tooManyTokens,
};

export const detectorName = (detector: string): string => DETECTORS[detector] ?? detector;

/** No year has more than four digits: this is for good. */
const FOR_GOOD = Date.parse("9999-01-01T00:00:00Z");

/** Whether and until when an issue is silent. */
export function muteOf(
  { muted_until }: Pick<Issue, "muted_until">,
  now: number,
): "no" | "until" | "for good" {
  const until = muted_until === null ? 0 : Date.parse(muted_until);
  if (until <= now) return "no";
  return until >= FOR_GOOD ? WORDS.forGood : "until";
}

export type NamedSessions = { all: readonly Session[]; nameOf: (id: string | null) => string };

/** The tracing projects, for choosing one and for naming those that others tell of. */
export function useSessions(): NamedSessions {
  const { data } = useResource<SessionsPage>("/v1/sessions?limit=100", { live: ["deployments"] });
  return useMemo(() => {
    const all = data?.resources ?? [];
    const names = new Map(all.map(({ id, name }) => [id, name]));
    // One that is not among them was deleted, or is the hundred-and-first.
    const nameOf = (id: string | null) =>
      id === null ? WORDS.allProjects : (names.get(id) ?? (data ? WORDS.anotherProject : ""));
    return { all, nameOf };
  }, [data]);
}

// What several screens show of an issue, and of the projects that issues are of.
