import type { Tx } from "../database/index.ts";
import type { RevisionLogRow } from "../schema/index.ts";

type Line = Omit<RevisionLogRow, "seq">;

/** So many lines may have one time: a page that is larger gets past it. */
const MOST_AT_ONE_TIME = 10;
/** Nobody was that much quicker than the clock: it was wrong then, and need not be so for ever. */
const MOST_AHEAD_MS = 60_000;

/**
 * Lines with times in the order in which they come. What an instance printed comes later than what was said of it
 * meanwhile, and whoever follows a log by time (released tools do) never looks at what is older than what they have.
 * So no line is older than the one before it of its deployment and kind, and few have the same time.
 * @param now milliseconds
 */
export async function inOrder(tx: Tx, lines: readonly Line[], now: number): Promise<Line[]> {
  const logs = new Map<string, number[]>();
  const ordered: Line[] = [];
  for (const line of lines) {
    const log = `${line.kind} ${line.deployment_id}`;
    const times = logs.get(log) ?? (await lastTimes(tx, line, now + MOST_AHEAD_MS));
    const newest = times.at(-1) ?? line.at;
    const crowded = times.at(-MOST_AT_ONE_TIME) ?? Number.NEGATIVE_INFINITY;
    const at = Math.max(line.at, newest, crowded + 1);
    logs.set(log, [...times, at].slice(-MOST_AT_ONE_TIME));
    ordered.push({ ...line, at });
  }
  return ordered;
}

/** The times of the last lines of a log, oldest first. */
async function lastTimes(tx: Tx, { deployment_id, kind }: Line, until: number): Promise<number[]> {
  const rows = await tx
    .selectFrom("revision_logs")
    .select("at")
    .where("deployment_id", "=", deployment_id)
    .where("kind", "=", kind)
    .orderBy("seq", "desc")
    .limit(MOST_AT_ONE_TIME)
    .execute();
  return rows
    .map(({ at }) => Number(at))
    .filter((at) => at <= until)
    .reverse();
}
