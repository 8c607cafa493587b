import type { Database } from "../database/index.ts";
import type { IssueRow } from "../schema/index.ts";
import { Turns } from "../turns.ts";
import type { FindingGroup } from "./finding.ts";
import { readGroup } from "./finding-groups.ts";
import { type RevisionName, revisionsOf } from "./issue-revisions.ts";

/** A run that shows an issue. */
export type ShownBy = { trace_id: string; run_id: string; start_time: number };

/** What an issue comes to at this moment. */
export type IssueFigures = {
  /** Runs of the project since the first that shows it, at most 10,000, and how many of them show it. */
  runs: number;
  shown: number;
  /** In none of the newest twenty did the run fail. */
  handled: boolean;
  first_revision: RevisionName | null;
  last_revision: RevisionName | null;
  recent_trace: ShownBy | null;
  typical_trace: ShownBy | null;
};

/** So many of the fingerprints of an issue are counted. */
const MOST_COUNTED = 10;

/** Figures of an issue; of one of several fingerprints, those of the one that most runs show. */
export async function readFigures(db: Database["read"], issue: IssueRow): Promise<IssueFigures> {
  const prints = await db
    .selectFrom("issue_fingerprints")
    .select("fingerprint")
    .where("issue_id", "=", issue.id)
    .orderBy("created_at")
    .orderBy("fingerprint")
    .limit(MOST_COUNTED)
    .execute();
  const turns = new Turns();
  const groups: FindingGroup[] = [];
  for (const { fingerprint } of prints) {
    await turns.rest();
    const group = await readGroup(db, issue.session_id, fingerprint);
    if (group) groups.push(group);
  }
  const group = groups.sort((a, b) => b.session_shown - a.session_shown)[0];
  const { first, last } = await revisionsOf(db, issue.id);
  const links = db
    .selectFrom("issue_traces")
    .select(["trace_id", "run_id", "start_time"])
    .where("issue_id", "=", issue.id);
  const recent = await links
    .orderBy("start_time", "desc")
    .orderBy("trace_id", "desc")
    .limit(1)
    .executeTakeFirst();
  const typical = group?.typical_trace_id
    ? await links.where("trace_id", "=", group.typical_trace_id).executeTakeFirst()
    : undefined;
  return {
    runs: group?.session_traces ?? 0,
    shown: group?.session_shown ?? 0,
    handled: group?.handled ?? false,
    first_revision: first,
    last_revision: last,
    recent_trace: recent ?? null,
    typical_trace: typical ?? recent ?? null,
  };
}
