/** The areas whose tests start processes, and those whose tests open databases themselves. */
const AREAS = { processes: /^tests\/e2e\//, parts: /^tests\/(?:agent|server)\// };

/** Those of Postgres itself bring servers of their own; the others change the machine's network, or measure for minutes. */
const ELSEWHERE = /^tests\/e2e\/(?:postgres\/|soak\/|containers)/;

/** What runs on Postgres in a quick run, too: some of everything that is stored, and kills. */
export const QUICK = {
  processes: [...["threads", "crons", "run-streams", "protocol/event-stream", "webhooks", "crash"]].map(
    (name) => new RegExp(`^tests/e2e/${name}.test.ts$`),
  ),
  parts: [
    ...["agent/runs/.*", "agent/threads/thread-state", "server/delivery/(?:drain|sender)"],
    ...["server/issues/(?:figures|issues|issue-life)"],
    ...["server/routes-(?:crons|store-search|thread-state|threads)"],
  ].map((name) => new RegExp(`^tests/${name}.test.ts$`)),
};

/** Whether a test file runs once more on a Postgres server: in a long run all that may, else a quick selection. */
export function isForPostgres(kind: "parts" | "processes", file: string, long: boolean): boolean {
  if (!AREAS[kind].test(file) || ELSEWHERE.test(file)) return false;
  return long || QUICK[kind].some((name) => name.test(file));
}
