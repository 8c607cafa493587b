import { type Expression, expressionBuilder, type SqlBool } from "kysely";
import type { Author } from "../audit/index.ts";
import type { Clock } from "../clock.ts";
import type { Database, Tx } from "../database/index.ts";
import type { JsonObject } from "../json-filter.ts";
import type { HistoryKind, IssueRow, IssueStatus, Resolution, Schema } from "../schema/index.ts";
import type { IssueRules, Scan } from "./finding.ts";
import { getIssue, getIssueRow, type Issue, type IssueTrace, toIssues } from "./issue.ts";
import { type IssueFigures, readFigures } from "./issue-figures.ts";
import { type HistoryEntry, noteHistory, readHistory } from "./issue-history.ts";
import { fillRevisions, knownRevisions } from "./issue-revisions.ts";
import { sweepIssues } from "./issue-sweep.ts";
import { judgeAgain, soundDescription, soundName } from "./judged.ts";
import { type Known, readKnown } from "./kinds.ts";
import { OPEN } from "./linking.ts";
import {
  type Occurrence,
  type RevisionOccurrence,
  readByRevision,
  readOccurrences,
  readTrends,
} from "./occurrences.ts";
import type { Outbox } from "./outbox.ts";
import { type Recorded, recordFindings } from "./record-findings.ts";
import { mergeIssue, refuseMerged, type SplitPart, type SplitTexts, splitIssue } from "./regrouping.ts";
import { readWaiting, type WaitingFailures, type WaitingSearch } from "./waiting-findings.ts";

type IssueFilter = {
  sessionId?: string | undefined;
  status?: IssueStatus | undefined;
  severity?: number | undefined;
  muted?: boolean | undefined;
  /** Only those that this trace shows. */
  traceId?: string | undefined;
};

/** What a list of issues begins with; the newest where nothing is said. */
type IssueOrder = "created_at" | "last_seen_at" | "severity" | "trace_count";

type IssuePatch = {
  severity?: number | undefined;
  name?: string | undefined;
  description?: string | undefined;
};

/** What keeps going wrong, as the engine groups it and people judge it. */
export class Issues {
  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
    private readonly outbox: Outbox,
  ) {}

  /**
   * Makes issues of what a scan found, or adds it to those that are there, with the events that tell of it; then
   * the traces count as looked at. A crash in the middle costs nothing but a second look.
   * @throws LeaseLost the scan is over
   */
  recordFindings(sessionId: string, scan: Scan, rules: IssueRules): Promise<Recorded> {
    const { db, clock, outbox } = this;
    return recordFindings({ db, clock, outbox }, sessionId, scan, rules);
  }

  /** The kinds of failures that are known of some places, and what of some traces was found before. */
  known(sessionId: string, places: readonly string[], traceIds: readonly string[]): Promise<Known> {
    return readKnown(this.db.read, sessionId, places, traceIds);
  }

  /**
   * Judges open issues of a project again: at most fifty, those first that changed since they were judged.
   * @returns how many it looked at
   */
  judgeAgain(sessionId: string, rules: IssueRules): Promise<number> {
    return judgeAgain(this.db, sessionId, rules, this.clock.now());
  }

  /** @throws NotFound */
  get(workspaceId: string, id: string): Promise<Issue> {
    return getIssue(this.db.read, workspaceId, id);
  }

  /**
   * What an issue comes to now: its part of the runs, and runs that show it.
   * @throws NotFound
   */
  async figures(workspaceId: string, id: string): Promise<IssueFigures> {
    return readFigures(this.db.read, await getIssueRow(this.db.read, workspaceId, id));
  }

  /**
   * A page of what became of an issue, newest first.
   * @throws NotFound
   */
  async history(
    workspaceId: string,
    id: string,
    page: { limit: number; offset: number },
  ): Promise<HistoryEntry[]> {
    await getIssueRow(this.db.read, workspaceId, id);
    return readHistory(this.db.read, id, page);
  }

  /** A page of the issues that match; those that were merged into others are not among them. */
  async list(
    workspaceId: string,
    filter: IssueFilter,
    page: { limit: number; offset: number; order?: IssueOrder | undefined },
  ): Promise<Issue[]> {
    const order = page.order ?? "created_at";
    const rows = await this.db.read
      .selectFrom("issues")
      .selectAll()
      .where("workspace_id", "=", workspaceId)
      .where(({ and }) => and(this.#conditions(filter)))
      // 0 is the most severe; of those that are alike, what was seen last.
      .orderBy(order, order === "severity" ? "asc" : "desc")
      .$if(order === "severity", (query) => query.orderBy("last_seen_at", "desc"))
      .orderBy("id", "desc")
      .limit(page.limit)
      .offset(page.offset)
      .execute();
    return toIssues(this.db.read, rows);
  }

  /** What was seen once or twice and is in no issue yet, last seen first; of very much, the newest. */
  waiting(workspaceId: string, search: WaitingSearch): Promise<WaitingFailures> {
    return readWaiting(this.db, workspaceId, search);
  }

  /**
   * A page of the traces that show an issue, newest first; of old ones only the link is left.
   * @throws NotFound
   */
  async traces(
    workspaceId: string,
    id: string,
    page: { limit: number; offset: number },
  ): Promise<IssueTrace[]> {
    await getIssueRow(this.db.read, workspaceId, id);
    return this.db.read
      .selectFrom("issue_traces")
      .selectAll()
      .where("issue_id", "=", id)
      .orderBy("start_time", "desc")
      .orderBy("trace_id", "desc")
      .limit(page.limit)
      .offset(page.offset)
      .execute();
  }

  /**
   * How often an issue was seen: in each of the last 48 hours, or of the last 30 days (UTC).
   * @throws NotFound
   */
  async occurrences(workspaceId: string, id: string, by: "hour" | "day"): Promise<Occurrence[]> {
    await getIssueRow(this.db.read, workspaceId, id);
    return readOccurrences(this.db, id, by, this.clock.now());
  }

  /** The same for several issues at once, those of a page for instance. */
  trends(ids: readonly string[], by: "hour" | "day"): Promise<Map<string, Occurrence[]>> {
    return readTrends(this.db, ids, by, this.clock.now());
  }

  /**
   * How many runs show an issue on each revision of the deployment, of the newest 10,000 runs; oldest first.
   * @throws NotFound
   */
  async byRevision(workspaceId: string, id: string): Promise<RevisionOccurrence[]> {
    return readByRevision(this.db, await getIssueRow(this.db.read, workspaceId, id));
  }

  /**
   * Says that two issues are one: the other one takes over traces and fingerprints, and this one is closed.
   * No event tells of it.
   * @throws NotFound
   * @throws BadRequest they are the same, or of different tracing projects
   * @throws Conflict one of them was merged before
   * @returns the issue that is left
   */
  merge(workspaceId: string, id: string, intoId: string, by: Author | null = null): Promise<Issue> {
    const now = this.clock.now();
    return this.db.write(async (tx) => {
      await mergeIssue(tx, workspaceId, id, intoId, now);
      const { session_id } = await getIssueRow(tx, workspaceId, id);
      await tx.updateTable("issues").set({ known_revisions: null }).where("id", "=", id).execute();
      await noteHistory(tx, { id, session_id }, "merged", { by }, { into: intoId }, now);
      await noteHistory(tx, { id: intoId, session_id }, "merged", { by }, { from: id }, now);
      return getIssue(tx, workspaceId, intoId);
    });
  }

  /**
   * Says that an issue is two: makes another one of some of its fingerprints or traces. No event tells of it.
   * @throws NotFound
   * @throws BadRequest the part is none of the issue, or all of it
   * @returns the new issue
   */
  split(
    workspaceId: string,
    id: string,
    part: SplitPart,
    texts: SplitTexts = {},
    by: Author | null = null,
  ): Promise<Issue> {
    const now = this.clock.now();
    return this.db.write(async (tx) => {
      const created = await splitIssue(tx, { workspaceId, id }, part, texts, now);
      const { session_id } = await getIssueRow(tx, workspaceId, created);
      await noteHistory(tx, { id, session_id }, "split", { by }, { into: created }, now);
      await noteHistory(tx, { id: created, session_id }, "split", { by }, { from: id }, now);
      // Links that a split makes anew come from what was found, which knows no revisions.
      for (const each of [id, created]) await fillRevisions(tx, each);
      return getIssue(tx, workspaceId, created);
    });
  }

  /**
   * Closes an issue. One that is `fixed` is opened again when it comes back, the others are not.
   * @param how `inNextRevision`: it is fixed in a revision that is not there yet, and comes back on that or a later one
   * @throws NotFound
   * @throws Conflict it was merged into another one
   * @throws BadRequest it is fixed in the next revision, and its runs name none
   */
  close(
    workspaceId: string,
    id: string,
    resolution: Resolution,
    how: { inNextRevision?: boolean; by?: Author | null } = {},
  ): Promise<Issue> {
    const { inNextRevision = false, by = null } = how;
    const detail = { resolution, ...(inNextRevision && { in_next_revision: true }) };
    return this.#change(workspaceId, id, { kind: "closed", by, detail }, async (now, tx, { session_id }) => ({
      ...{ status: "closed", resolution, closed_at: now },
      known_revisions: inNextRevision ? JSON.stringify(await knownRevisions(tx, session_id)) : null,
    }));
  }

  /**
   * Opens a closed issue again.
   * @throws NotFound
   * @throws Conflict it was merged into another one
   */
  reopen(workspaceId: string, id: string, by: Author | null = null): Promise<Issue> {
    return this.#change(workspaceId, id, { kind: "reopened", by }, () => OPEN);
  }

  /**
   * Keeps an issue silent: traces are linked, but no event tells of them.
   * @param until `MUTED_FOREVER` for good, null for not any more
   * @throws NotFound
   * @throws Conflict it was merged into another one
   */
  mute(workspaceId: string, id: string, until: number | null, by: Author | null = null): Promise<Issue> {
    const detail = until === null ? {} : { until: new Date(until).toISOString() };
    const deed = { kind: until === null ? "unmuted" : "muted", by, detail } as const;
    return this.#change(workspaceId, id, deed, () => ({ muted_until: until }));
  }

  /**
   * Changes what an issue says; the engine leaves alone from then on what a person chose.
   * @throws NotFound
   * @throws Conflict it was merged into another one
   */
  patch(
    workspaceId: string,
    id: string,
    { severity, name, description }: IssuePatch,
    by: Author | null = null,
  ): Promise<Issue> {
    const hasText = name !== undefined || description !== undefined;
    const now = this.clock.now();
    return this.db.write(async (tx) => {
      const row = await getIssueRow(tx, workspaceId, id);
      refuseMerged(row);
      const change = {
        ...(severity !== undefined && { severity, severity_kept: 1 }),
        ...(name !== undefined && { name: soundName(name) || row.name }),
        ...(description !== undefined && { description: soundDescription(description) }),
        ...(hasText && { text_kept: 1 }),
      };
      await tx
        .updateTable("issues")
        .set({ ...change, updated_at: now })
        .where("id", "=", id)
        .execute();
      const note = (kind: HistoryKind, detail: JsonObject) => noteHistory(tx, row, kind, { by }, detail, now);
      if (severity !== undefined) await note("severity", { from: row.severity, to: severity });
      if (hasText) await note("worded", { name: change.name ?? row.name });
      return getIssue(tx, workspaceId, id);
    });
  }

  /**
   * Forgets findings that are older than traces are kept, and after ninety days links; closed issues of which no
   * link is left stay.
   */
  sweep(retentionMs: number): Promise<void> {
    return sweepIssues(this.db, this.clock.now(), retentionMs);
  }

  #change(
    workspaceId: string,
    id: string,
    { kind, by, detail = {} }: { kind: HistoryKind; by: Author | null; detail?: JsonObject },
    change: (now: number, tx: Tx, row: IssueRow) => Partial<IssueRow> | Promise<Partial<IssueRow>>,
  ): Promise<Issue> {
    const now = this.clock.now();
    return this.db.write(async (tx: Tx) => {
      const row = await getIssueRow(tx, workspaceId, id);
      refuseMerged(row);
      await tx
        .updateTable("issues")
        .set({ ...(await change(now, tx, row)), updated_at: now })
        .where("id", "=", id)
        .execute();
      await noteHistory(tx, row, kind, { by }, detail, now);
      return getIssue(tx, workspaceId, id);
    });
  }

  #conditions({ sessionId, status, severity, muted, traceId }: IssueFilter): Expression<SqlBool>[] {
    const eb = expressionBuilder<Schema, "issues">();
    const now = this.clock.now();
    const all: Expression<SqlBool>[] = [eb("merged_into", "is", null)];
    if (sessionId !== undefined) all.push(eb("session_id", "=", sessionId));
    if (status !== undefined) all.push(eb("status", "=", status));
    if (severity !== undefined) all.push(eb("severity", "=", severity));
    if (traceId !== undefined) {
      const shown = eb.selectFrom("issue_traces").select("issue_id").where("trace_id", "=", traceId);
      all.push(eb("id", "in", shown));
    }
    if (muted === true) all.push(eb("muted_until", ">", now));
    if (muted === false) all.push(eb.or([eb("muted_until", "is", null), eb("muted_until", "<=", now)]));
    return all;
  }
}
