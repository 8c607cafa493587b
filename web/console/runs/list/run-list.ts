import type { Trace, TracesPage } from "@berth/server";

type RunPage = Pick<TracesPage, "resources" | "next">;

/** Runs as far as they were read, newest first. */
export type RunList = {
  rows: readonly Trace[];
  /** New ones that are not shown yet, so that nothing moves under somebody who has scrolled down. */
  held: readonly Trace[];
  /** More are new than one page tells: what is shown has a gap above it. */
  hasGap: boolean;
  /** Where to go on; null behind the last. */
  next: string | null;
};

export const PAGE = 100;

export const listOf = ({ resources, next }: RunPage): RunList => ({
  rows: resources,
  held: [],
  hasGap: false,
  next,
});

/** The list with a page that comes behind it. */
export function extended(list: RunList, { resources, next }: RunPage): RunList {
  const known = new Set(list.rows.map(({ id }) => id));
  return { ...list, rows: [...list.rows, ...resources.filter(({ id }) => !known.has(id))], next };
}

/**
 * The list after its first page was read again. What is known is brought up to date; what is new comes on top, or is
 * held back where `isReading`.
 */
export function renewed(list: RunList, page: RunPage, isReading: boolean): RunList {
  const { resources: head, next } = page;
  const known = new Set([...list.rows, ...list.held].map(({ id }) => id));
  const isApart = head.length >= PAGE && next !== null && !head.some(({ id }) => known.has(id));
  if (list.rows.length === 0 || (isApart && !isReading)) return listOf(page);
  if (isApart) return { ...list, hasGap: true };
  const now = new Map(head.map((run) => [run.id, run]));
  const kept = isReading ? list.rows : list.rows.filter((run) => now.has(run.id) || !isWithin(run, page));
  const rows = kept.map((run) => now.get(run.id) ?? run);
  const shown = new Set(rows.map(({ id }) => id));
  const fresh = head.filter(({ id }) => !shown.has(id));
  if (isReading) return { ...list, rows, held: fresh };
  return { ...list, rows: sorted([...fresh, ...rows]), held: [] };
}

/** The list with what was held back in its place. */
export const unheld = (list: RunList): RunList => ({
  ...list,
  rows: sorted([...list.held, ...list.rows]),
  held: [],
});

/** Replaces runs that are known. */
export function updated(list: RunList, runs: readonly Trace[]): RunList {
  const now = new Map(runs.map((run) => [run.id, run]));
  return { ...list, rows: list.rows.map((run) => now.get(run.id) ?? run) };
}

/** Runs under way that the first page does not tell of: they are looked for one by one. */
export function pendingBehind({ rows }: RunList, { resources }: RunPage, most: number): Trace[] {
  const told = new Set(resources.map(({ id }) => id));
  return rows.filter(({ id, status }) => status === "pending" && !told.has(id)).slice(0, most);
}

/** Whether the page would tell of a run, if it still matched. */
function isWithin({ start_time }: Trace, { resources, next }: RunPage): boolean {
  if (next === null) return true;
  const last = resources.at(-1);
  return resources.length >= PAGE && last !== undefined && start_time > last.start_time;
}

function sorted(rows: readonly Trace[]): Trace[] {
  const key = ({ start_time, id }: Trace) => `${start_time} ${id}`;
  return rows.toSorted((a, b) => (key(a) < key(b) ? 1 : -1));
}
