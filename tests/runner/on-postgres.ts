/** The areas whose tests start processes, and those whose tests open databases themselves. */
const AREAS = { processes: /^tests\/e2e\//, parts: /^tests\/(?:agent|server)\// };

/** Files that are about something else than what is stored, or that have a server of their own. */
const ELSEWHERE = /^$/;

const QUICK = { processes: /^$/, parts: /^$/ };

/** Whether a test file runs once more on a Postgres server: in a long run all that may, else a quick selection. */
export function isForPostgres(kind: "parts" | "processes", file: string, long: boolean): boolean {
  if (!AREAS[kind].test(file) || ELSEWHERE.test(file)) return false;
  return long || QUICK[kind].test(file);
}
