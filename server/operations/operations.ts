import { BackupStatuses } from "@berth/store";
import type { Job } from "../clock/index.ts";
import type { Operation } from "../http/index.ts";
import { logger } from "../log/index.ts";
import type { Reading } from "../readings/index.ts";
import { ActivityFeed, activityRoutes } from "./activity.ts";
import type { OperationsDeps } from "./deps.ts";
import { Membership } from "./membership.ts";
import { MEASURED_CHECKS, operationsReadings } from "./readings.ts";
import { retentionRoutes } from "./retention.ts";
import { backupJobs } from "./scheduled-backups.ts";
import { doctorRoutes, examineHere, systemRoutes } from "./system.ts";

/** How a whole Berth is looked after. */
export type Operations = {
  routes: Operation[];
  jobs: Job[];
  readings: Reading[];
  /** Says to the other processes of the database that this one is there. */
  start(): void;
  /** Says that it goes. */
  stop(): Promise<void>;
};

const LOOK_MS = 1_000;

/** Puts together what operators ask: how it does, what is wrong, what goes when, and what happens right now. */
export function createOperations(deps: OperationsDeps): Operations {
  const feed = new ActivityFeed(deps.db);
  const membership = new Membership(deps);
  const log = logger("operations");
  const { settings, environment, program, clock } = deps;
  const statuses = new BackupStatuses(deps.db, clock, deps.outbox);
  const backups = backupJobs({
    settings,
    environment,
    program,
    statuses,
    now: () => clock.now(),
    logger: logger("backup"),
  });
  return {
    routes: [
      ...systemRoutes({ ...deps, membership, backups: statuses }),
      ...doctorRoutes(deps),
      ...retentionRoutes(deps),
      ...activityRoutes(feed),
    ],
    jobs: [
      { name: "activity.look", everyMs: LOOK_MS, once: () => feed.once() },
      ...membership.jobs,
      ...backups,
    ],
    readings: operationsReadings({
      settings,
      leads: deps.leads,
      backups: statuses,
      examine: async () => (await examineHere(deps, MEASURED_CHECKS)).findings,
    }),
    // What fails now is tried again by its job.
    start: () => void membership.begin().catch((error) => log.warn("members.not_told", { error })),
    stop: () => membership.end().catch((error) => log.warn("members.not_told", { error })),
  };
}
