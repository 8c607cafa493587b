import type { Database, Tx } from "../database/index.ts";
import { plainText } from "../plain-text.ts";
import type { IssueRow } from "../schema/index.ts";
import { cutText } from "../traces/index.ts";
import { Turns } from "../turns.ts";
import type { IssueRules, IssueSeen } from "./finding.ts";
import { readGroup } from "./finding-groups.ts";
import { noteJudged } from "./issue-history.ts";
import { revisionsOf } from "./issue-revisions.ts";

/** So many of the fingerprints of an issue decide how severe it is. */
const MOST_JUDGED = 10;
/** Of the open issues of a project, so many are judged again behind a scan. */
const MOST_AGAIN = 50;
/** Among so many of the newest. */
const MOST_LOOKED_AT = 1_000;
const LONGEST_NAME = 200;
const LONGEST_DESCRIPTION = 65_536;
const LONGEST_CAUSE = 16_384;

type Words = Pick<IssueRow, "name" | "description" | "severity" | "severity_reason">;

/** A title as it can be kept and shown, whoever wrote it. */
export const soundName = (name: string): string => cutText(plainText(name), LONGEST_NAME);
export const soundDescription = (text: string): string => cutText(plainText(text), LONGEST_DESCRIPTION);
export const soundCause = (cause: string): string => cutText(plainText(cause), LONGEST_CAUSE);
export const soundSeverity = (severity: number): number => Math.min(3, Math.max(0, Math.round(severity)));

/**
 * How severe an issue is and what it says, as it is now: as severe as the worst of what it is recognised by, in the
 * words of the first. What a person chose stays, and so do the words of a model.
 */
export async function judge(db: Database["read"], issue: IssueRow, rules: IssueRules): Promise<Words> {
  const { name, description, severity, severity_reason } = issue;
  const before: Words = { name, description, severity, severity_reason };
  if (!rules.judge) return before;
  const prints = await db
    .selectFrom("issue_fingerprints")
    .select(["fingerprint", "version"])
    .where("issue_id", "=", issue.id)
    .orderBy("created_at")
    .orderBy("fingerprint")
    .limit(MOST_JUDGED)
    .execute();
  // An older version's stands beside the one that took it over: nobody merged these.
  const newest = Math.max(...prints.map(({ version }) => version));
  const kinds = prints.filter(({ version }) => version === newest).length;
  const seen = await seenOf(db, issue, kinds);
  const judged: Words[] = [];
  for (const { fingerprint } of prints) {
    const group = await readGroup(db, issue.session_id, fingerprint);
    if (!group) continue;
    const said = rules.judge(group, seen);
    judged.push({
      name: said.name === undefined ? name : soundName(said.name),
      description: said.description === undefined ? description : soundDescription(said.description),
      severity: soundSeverity(said.severity),
      severity_reason: cutText(plainText(said.why ?? ""), LONGEST_NAME),
    });
  }
  const worst = [...judged].sort((a, b) => a.severity - b.severity)[0];
  const [first] = judged;
  if (!first || !worst) return before;
  const isWorded = issue.text_kept === 1 || issue.cause !== null;
  const isChosen = issue.severity_kept === 1;
  return {
    ...(isWorded ? { name, description } : { name: first.name, description: first.description }),
    ...(isChosen
      ? { severity, severity_reason }
      : { severity: worst.severity, severity_reason: worst.severity_reason }),
  };
}

async function seenOf(db: Database["read"], issue: IssueRow, kinds: number): Promise<IssueSeen> {
  const { trace_count, first_seen_at, last_seen_at, regressions, regressed_at } = issue;
  const { first, last } = await revisionsOf(db, issue.id);
  return {
    ...{ kinds, traces: trace_count, first_seen_at, last_seen_at, regressions, regressed_at },
    ...{ first_revision: first, last_revision: last },
    chosen_severity: issue.severity_kept === 1 ? issue.severity : null,
  };
}

/**
 * Judges open issues of a project again, for their counts moved, or the number of runs that do not show them did:
 * at most fifty, those first that changed since, then whose turn it is.
 */
export async function judgeAgain(
  db: Database,
  sessionId: string,
  rules: IssueRules,
  now: number,
): Promise<number> {
  const open = await db.read
    .selectFrom("issues")
    .select(["id", "updated_at", "judged_at"])
    .where("session_id", "=", sessionId)
    .where("status", "=", "open")
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .limit(MOST_LOOKED_AT)
    .execute();
  const due = open
    .map(({ id, updated_at, judged_at }) => ({
      id,
      at: judged_at ?? 0,
      moved: updated_at >= (judged_at ?? 0),
    }))
    .sort((a, b) => Number(b.moved) - Number(a.moved) || a.at - b.at)
    .slice(0, MOST_AGAIN);
  // Issues of very many findings take their time.
  const turns = new Turns();
  for (const { id } of due) {
    await turns.rest();
    const issue = await db.read.selectFrom("issues").selectAll().where("id", "=", id).executeTakeFirst();
    if (!issue) continue;
    const words = await judge(db.read, issue, rules);
    await db.write((tx) => rejudged(tx, issue, words, now));
  }
  return due.length;
}

async function rejudged(tx: Tx, before: IssueRow, words: Words, now: number): Promise<void> {
  const isSame = Object.entries(words).every(([name, value]) => before[name as keyof Words] === value);
  const isWorse = words.severity !== before.severity;
  const row = await tx
    .updateTable("issues")
    .set({ ...(!isSame && { ...words, ...(isWorse && { updated_at: now }) }), judged_at: now })
    .where("id", "=", before.id)
    // Somebody may have changed it meanwhile: its turn comes again.
    .where("updated_at", "=", before.updated_at)
    .where("severity_kept", "=", before.severity_kept)
    .where("text_kept", "=", before.text_kept)
    .returning("id")
    .executeTakeFirst();
  if (row && isWorse) await noteJudged(tx, before, before.severity, words.severity, now);
}
