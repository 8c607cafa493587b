import type { Database, Tx } from "../database/index.ts";
import { BadRequest } from "../errors.ts";
import type { IssueRow, IssueTraceRow } from "../schema/index.ts";

type Reading = Database["read"];

/** A revision as issues name it; its number where it is one of a deployment here. */
export type RevisionName = { id: string; number: number | null };

/** When the run of a trace began and came here, and on which revision it was. */
export type TracePlace = { id: string; start_time: number; created_at: number; revision_id: string | null };

/** So many runs and revisions are looked at for what is known now. */
const MOST_RUNS = 1_000;
const MOST_REVISIONS = 1_000;

/** Of these traces those that are still there, by id. */
export async function placesOf(db: Reading, traceIds: readonly string[]): Promise<Map<string, TracePlace>> {
  if (traceIds.length === 0) return new Map();
  const rows = await db
    .selectFrom("traces")
    .select(["id", "start_time", "created_at", "metadata"])
    .where("id", "in", traceIds)
    .execute();
  return new Map(rows.map(({ metadata, ...row }) => [row.id, { ...row, revision_id: revisionIn(metadata) }]));
}

/** `revision_id` in the metadata of a run; null also where they cannot be read. */
function revisionIn(metadata: string): string | null {
  if (!metadata.includes('"revision_id"')) return null;
  try {
    const { revision_id } = JSON.parse(metadata);
    return typeof revision_id === "string" ? revision_id : null;
  } catch {
    return null;
  }
}

/** The first and the last revision on which an issue was seen; null where no run said which it was on. */
export async function revisionsOf(
  db: Reading,
  issueId: string,
): Promise<{ first: RevisionName | null; last: RevisionName | null }> {
  const edge = (order: "asc" | "desc") =>
    db
      .selectFrom("issue_traces")
      .select("revision_id")
      .where("issue_id", "=", issueId)
      .where("revision_id", "is not", null)
      .orderBy("start_time", order)
      .limit(1)
      .executeTakeFirst();
  const first = (await edge("asc"))?.revision_id ?? null;
  if (first === null) return { first: null, last: null };
  const last = (await edge("desc"))?.revision_id ?? first;
  return { first: await nameOf(db, first), last: await nameOf(db, last) };
}

export async function nameOf(db: Reading, id: string): Promise<RevisionName> {
  const row = await db.selectFrom("revisions").select("number").where("id", "=", id).executeTakeFirst();
  return { id, number: row ? Number(row.number) : null };
}

/** Says of links that were made without it on which revision their runs were. */
export async function fillRevisions(tx: Tx, issueId: string): Promise<void> {
  const links = await tx
    .selectFrom("issue_traces")
    .select("trace_id")
    .where("issue_id", "=", issueId)
    .where("revision_id", "is", null)
    .orderBy("start_time", "desc")
    .limit(MOST_RUNS)
    .execute();
  const places = await placesOf(
    tx,
    links.map(({ trace_id }) => trace_id),
  );
  for (const { id, revision_id } of places.values())
    if (revision_id !== null)
      await tx
        .updateTable("issue_traces")
        .set({ revision_id })
        .where("issue_id", "=", issueId)
        .where("trace_id", "=", id)
        .execute();
}

/**
 * The revisions that are there now, for an issue that is fixed in the next one: those of the deployment, and those that
 * the newest runs name.
 * @throws BadRequest nothing says which revision a run is on
 */
export async function knownRevisions(tx: Tx, sessionId: string): Promise<string[]> {
  const session = await tx
    .selectFrom("sessions")
    .select("deployment_id")
    .where("id", "=", sessionId)
    .executeTakeFirst();
  const deployed = await tx
    .selectFrom("revisions")
    .select("id")
    .where("deployment_id", "=", session?.deployment_id ?? "")
    .orderBy("number", "desc")
    .limit(MOST_REVISIONS)
    .execute();
  const newest = await tx
    .selectFrom("traces")
    .select("metadata")
    .where("session_id", "=", sessionId)
    .orderBy("start_time", "desc")
    .orderBy("id", "desc")
    .limit(MOST_RUNS)
    .execute();
  const named = newest.flatMap(({ metadata }) => revisionIn(metadata) ?? []);
  const all = [...new Set([...deployed.map(({ id }) => id), ...named])].slice(0, 2 * MOST_REVISIONS);
  if (all.length > 0) return all;
  throw new BadRequest(
    "The runs of this project name no revision, so Berth cannot know the next one: close the issue without in_next_revision when the repaired version runs.",
  );
}

/**
 * The first of the new traces by which a fixed issue comes back; undefined where none tells anything of a repair. A run
 * does that began, and came here, after the issue was closed: what a deployed process sends late does not, and neither
 * does a clock that is ahead. Of one that is fixed in the next revision, a run on a revision does that was not there yet.
 */
export function comesBack(
  { status, resolution, closed_at, known_revisions }: IssueRow,
  added: readonly IssueTraceRow[],
  places: ReadonlyMap<string, TracePlace>,
): IssueTraceRow | undefined {
  if (status !== "closed" || resolution !== "fixed" || closed_at === null) return undefined;
  const known = known_revisions === null ? undefined : new Set<string>(JSON.parse(known_revisions));
  const tells = ({ trace_id }: IssueTraceRow) => {
    const place = places.get(trace_id);
    if (!place) return false;
    if (known) return place.revision_id !== null && !known.has(place.revision_id);
    return place.created_at > closed_at && place.start_time > closed_at;
  };
  return added.filter(tells).sort((a, b) => a.start_time - b.start_time)[0];
}
