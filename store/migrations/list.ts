// Made by `bun run land` from the files of this folder. Edits here are lost.
import type { Migration } from "kysely/migration";
import { up as agentServer } from "./0001-agent-server.ts";
import { up as threads } from "./0002-threads.ts";
import { up as crons } from "./0003-crons.ts";
import { up as memory } from "./0004-memory.ts";
import { up as tasks } from "./0005-tasks.ts";
import { up as control } from "./0006-control.ts";
import { up as keptErrors } from "./0007-kept-errors.ts";
import { up as issues } from "./0008-issues.ts";
import { up as cronRuns } from "./0009-cron-runs.ts";
import { up as activity } from "./0010-activity.ts";
import { up as spanPacks } from "./0011-span-packs.ts";
import { up as revisionTimes } from "./0012-revision-times.ts";
import { up as threadRest } from "./0013-thread-rest.ts";
import { up as cronPermissions } from "./0014-cron-permissions.ts";
import { up as ownAuth } from "./0015-own-auth.ts";
import { up as forgottenThreads } from "./0016-forgotten-threads.ts";
import { up as authors } from "./0017-authors.ts";
import { up as fingerprints } from "./0018-fingerprints.ts";
import { up as issueLife } from "./0019-issue-life.ts";
import { up as changeStates } from "./0020-change-states.ts";
import { up as scanLeases } from "./0021-scan-leases.ts";
import { up as instanceSleep } from "./0022-instance-sleep.ts";
import { up as instanceReplicas } from "./0023-instance-replicas.ts";
import { up as severalMachines } from "./0024-several-machines.ts";
import { up as onServers } from "./0025-on-servers.ts";
import { up as members } from "./0026-members.ts";
import { up as readers } from "./0027-readers.ts";
import { up as figures } from "./0029-figures.ts";
import { up as traceWords } from "./0030-trace-words.ts";
import { up as registry } from "./0033-registry.ts";
import { up as clusters } from "./0034-clusters.ts";
import { up as healthPaths } from "./0035-health-paths.ts";
import { up as threadWords } from "./0036-thread-words.ts";
import { up as backupStatus } from "./0037-backup-status.ts";
import { up as eventTexts } from "./0038-event-texts.ts";

/** Every schema change in order. A landed one is final: later ones may only be added behind it. */
export const migrations: Record<string, Migration> = {
  "0001-agent-server": { up: agentServer },
  "0002-threads": { up: threads },
  "0003-crons": { up: crons },
  "0004-memory": { up: memory },
  "0005-tasks": { up: tasks },
  "0006-control": { up: control },
  "0007-kept-errors": { up: keptErrors },
  "0008-issues": { up: issues },
  "0009-cron-runs": { up: cronRuns },
  "0010-activity": { up: activity },
  "0011-span-packs": { up: spanPacks },
  "0012-revision-times": { up: revisionTimes },
  "0013-thread-rest": { up: threadRest },
  "0014-cron-permissions": { up: cronPermissions },
  "0015-own-auth": { up: ownAuth },
  "0016-forgotten-threads": { up: forgottenThreads },
  "0017-authors": { up: authors },
  "0018-fingerprints": { up: fingerprints },
  "0019-issue-life": { up: issueLife },
  "0020-change-states": { up: changeStates },
  "0021-scan-leases": { up: scanLeases },
  "0022-instance-sleep": { up: instanceSleep },
  "0023-instance-replicas": { up: instanceReplicas },
  "0024-several-machines": { up: severalMachines },
  "0025-on-servers": { up: onServers },
  "0026-members": { up: members },
  "0027-readers": { up: readers },
  "0029-figures": { up: figures },
  "0030-trace-words": { up: traceWords },
  "0033-registry": { up: registry },
  "0034-clusters": { up: clusters },
  "0035-health-paths": { up: healthPaths },
  "0036-thread-words": { up: threadWords },
  "0037-backup-status": { up: backupStatus },
  "0038-event-texts": { up: eventTexts },
};
