/** The areas whose tests start processes, and those whose tests open databases themselves. */
const AREAS = { processes: /^tests\/e2e\//, parts: /^tests\/(?:agent|server)\// };

/** Those of Postgres itself bring servers of their own; the others change the machine's network, or measure for minutes. */
const ELSEWHERE = /^tests\/e2e\/(?:postgres\/|soak\/|containers)/;

/** Some of everything that is stored, and kills. */
const QUICK = {
  processes: new RegExp(
    `^tests/e2e/(?:${[
      ...["threads", "store-items", "crons", "run-streams", "interrupts"],
      ...["protocol/event-stream", "webhooks", "crash"],
    ].join("|")}).test.ts$`,
  ),
  parts: new RegExp(
    `^tests/(?:${[
      ...["agent/runs/.*", "agent/threads/thread-state"],
      ...["server/delivery/(?:drain|sender)", "server/issues/(?:figures|issues|issue-life)"],
      ...["server/routes-(?:crons|store-search|thread-state|threads)"],
    ].join("|")}).test.ts$`,
  ),
};

/** Whether a test file runs once more on a Postgres server: in a long run all that may, else a quick selection. */
export function isForPostgres(kind: "parts" | "processes", file: string, long: boolean): boolean {
  if (!AREAS[kind].test(file) || ELSEWHERE.test(file)) return false;
  return long || QUICK[kind].test(file);
}
