import type { Tx } from "../database/index.ts";
import type { IssueFingerprintRow, IssueRow } from "../schema/index.ts";
import { cutText } from "./span-merge.ts";

type Kind = Pick<IssueFingerprintRow, "session_id" | "fingerprint">;

const LONGEST_NAME = 140;

/** What the text of an issue says until the engine judges the issue again. */
const DELETED =
  "The content of some runs of this issue was deleted. This text comes from what remains; the numbers of runs and revisions did not change.";

/**
 * Removes what findings say of these traces, in the transaction that removes the content of the traces. The texts of
 * their issues are made from the remaining traces. A text that a person wrote stays. How many runs an issue has stays.
 * @returns the issues whose texts are of a person
 */
export async function forgetFindings(tx: Tx, traceIds: readonly string[], now: number): Promise<string[]> {
  if (traceIds.length === 0) return [];
  const findings = await tx
    .deleteFrom("findings")
    .where("trace_id", "in", traceIds)
    .returning(["session_id", "fingerprint"])
    .execute();
  const links = await tx
    .selectFrom("issue_traces")
    .innerJoin("issues", "issues.id", "issue_traces.issue_id")
    .select(["issue_id", "fingerprint", "session_id"])
    .where("trace_id", "in", traceIds)
    .execute();
  await tx.updateTable("issue_traces").set({ comment: null }).where("trace_id", "in", traceIds).execute();
  const issues = new Set(links.map(({ issue_id }) => issue_id));
  const kinds = new Map<string, Kind>();
  for (const { session_id, fingerprint } of [...findings, ...links])
    kinds.set(`${session_id} ${fingerprint}`, { session_id, fingerprint });
  for (const kind of kinds.values()) for (const id of await rewordKind(tx, kind)) issues.add(id);
  const kept: string[] = [];
  for (const id of issues) if (await rewordIssue(tx, id, now)) kept.push(id);
  return kept;
}

/** @returns the issues that are recognised by it */
async function rewordKind(tx: Tx, kind: Kind): Promise<string[]> {
  const ofKind = <Q extends { where(column: "session_id" | "fingerprint", op: "=", value: string): Q }>(
    query: Q,
  ) => query.where("session_id", "=", kind.session_id).where("fingerprint", "=", kind.fingerprint);
  const known = await ofKind(tx.selectFrom("fingerprints").select("template")).executeTakeFirst();
  const prints = await ofKind(tx.selectFrom("issue_fingerprints").select("issue_id")).execute();
  const issueIds = prints.map(({ issue_id }) => issue_id);
  const finding = await ofKind(tx.selectFrom("findings").select(["message", "reason"]))
    .orderBy("start_time", "desc")
    .limit(1)
    .executeTakeFirst();
  const remaining = finding ?? (await linkedText(tx, kind, issueIds));
  // What the messages have in common is in the remaining ones, too. Without any, it is the content of deleted runs.
  if (!remaining) await ofKind(tx.deleteFrom("fingerprints")).execute();
  const message = remaining ? (known?.template ?? remaining.message) : "";
  await ofKind(
    tx.updateTable("issue_fingerprints").set({ message, reason: remaining?.reason ?? "" }),
  ).execute();
  return issueIds;
}

/** The text of a link that is kept longer than its finding. */
async function linkedText(tx: Tx, { fingerprint }: Kind, issueIds: readonly string[]) {
  if (issueIds.length === 0) return undefined;
  const link = await tx
    .selectFrom("issue_traces")
    .select("comment")
    .where("issue_id", "in", issueIds)
    .where("fingerprint", "=", fingerprint)
    .where("comment", "is not", null)
    .orderBy("start_time", "desc")
    .limit(1)
    .executeTakeFirst();
  return link && { message: "", reason: link.comment ?? "" };
}

/** @returns whether its text is of a person, and stays */
async function rewordIssue(tx: Tx, id: string, now: number): Promise<boolean> {
  const issue = await tx.selectFrom("issues").select(["text_kept"]).where("id", "=", id).executeTakeFirst();
  if (!issue) return false;
  const [print] = await tx
    .selectFrom("issue_fingerprints")
    .selectAll()
    .where("issue_id", "=", id)
    .orderBy("created_at")
    .orderBy("fingerprint")
    .limit(1)
    .execute();
  await tx
    .updateTable("issues")
    .set({ cause: null, judged_at: null, updated_at: now, ...(issue.text_kept === 0 && textsOf(print)) })
    .where("id", "=", id)
    .execute();
  return issue.text_kept === 1;
}

function textsOf(print: IssueFingerprintRow | undefined): Pick<IssueRow, "name" | "description"> {
  if (!print) return { name: "Issue without content", description: DELETED };
  const { error_type, node, tool, message, reason } = print;
  const place = tool !== null ? `the tool ${tool}` : node !== null ? `the node ${node}` : "the run";
  const name = [`${error_type} in ${place}`, message].filter((part) => part !== "").join(": ");
  const texts = [
    DELETED,
    message && `Message: ${message}`,
    reason && reason !== message && `Newest: ${reason}`,
  ];
  return {
    name: cutText(name.replace(/\s+/g, " ").trim(), LONGEST_NAME),
    description: texts.filter(Boolean).join("\n\n"),
  };
}
