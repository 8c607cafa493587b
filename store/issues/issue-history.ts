import { type Author, authorText, readAuthor } from "../audit/index.ts";
import type { Database, Tx } from "../database/index.ts";
import type { JsonObject } from "../json-filter.ts";
import type { HistoryKind, IssueHistoryRow, IssueRow } from "../schema/index.ts";

/** Something that became of an issue; `detail` says what, by kind. */
export type HistoryEntry = {
  at: number;
  kind: HistoryKind;
  actor: "engine" | "person";
  by: Author | null;
  detail: JsonObject;
};

/** Who did it: the engine, or whoever has this key; null where no key was needed. */
type Actor = "engine" | { by: Author | null };

type Of = Pick<IssueRow, "id" | "session_id">;

/** Writes down what became of an issue, in the transaction in which it did. */
export async function noteHistory(
  tx: Tx,
  { id, session_id }: Of,
  kind: HistoryKind,
  who: Actor,
  detail: JsonObject,
  now: number,
): Promise<void> {
  const row: IssueHistoryRow = {
    ...{ id: Bun.randomUUIDv7(), issue_id: id, session_id, at: now, kind },
    actor: who === "engine" ? "engine" : "person",
    author: who === "engine" ? null : authorText(who.by),
    detail: JSON.stringify(detail),
  };
  await tx.insertInto("issue_history").values(row).execute();
}

/**
 * That the engine judges an issue differently. Changes with nothing between them are one line, from the first to the
 * last: an issue at the edge of two severities must not fill its history with that.
 */
export async function noteJudged(tx: Tx, issue: Of, from: number, to: number, now: number): Promise<void> {
  const last = await tx
    .selectFrom("issue_history")
    .selectAll()
    .where("issue_id", "=", issue.id)
    .orderBy("at", "desc")
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
  if (last?.kind !== "severity" || last.actor !== "engine")
    return noteHistory(tx, issue, "severity", "engine", { from, to }, now);
  const first: JsonObject = JSON.parse(last.detail);
  const line = tx.updateTable("issue_history").set({ at: now, detail: JSON.stringify({ ...first, to }) });
  if (first.from === to) await tx.deleteFrom("issue_history").where("id", "=", last.id).execute();
  else await line.where("id", "=", last.id).execute();
}

/** A page of what became of an issue, newest first. */
export async function readHistory(
  db: Database["read"],
  issueId: string,
  page: { limit: number; offset: number },
): Promise<HistoryEntry[]> {
  const rows = await db
    .selectFrom("issue_history")
    .selectAll()
    .where("issue_id", "=", issueId)
    .orderBy("at", "desc")
    .orderBy("id", "desc")
    .limit(page.limit)
    .offset(page.offset)
    .execute();
  return rows.map(({ at, kind, actor, author, detail }) => {
    return { at: Number(at), kind, actor, by: readAuthor(author), detail: JSON.parse(detail) };
  });
}
