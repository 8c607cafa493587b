import { statfsSync, statSync } from "node:fs";
import { hostname } from "node:os";
import type { QueueWait } from "@berth/agent";
import {
  type BackupStatus,
  type BackupStatuses,
  type Database,
  databaseBytes,
  type HeldWork,
  type SeenMember,
  type SystemFigures,
  systemFigures,
} from "@berth/store";
import { ofOperator } from "../access/index.ts";
import { examine, faultsByProgram } from "../doctor/index.ts";
import { isoTime, isoTimeOrNull, json, type Operation, operation } from "../http/index.ts";
import { shownDatabase } from "../settings/index.ts";
import { VERSION } from "../version.ts";
import type { OperationsDeps } from "./deps.ts";
import type { Membership } from "./membership.ts";
import { type ShownBackup, ShownDoctor, ShownSystem } from "./wire/index.ts";

type Deps = Pick<OperationsDeps, "db" | "clock" | "settings" | "agent"> & {
  backups: Pick<BackupStatuses, "read">;
  membership: Pick<Membership, "list">;
};

/** `/v1/system`: how this process and its database do. */
export const systemRoutes = (deps: Deps): Operation[] => [
  operation(
    {
      method: "GET",
      path: "/v1/system",
      access: ofOperator("Looking after this server"),
      bodyLimit: "none",
      tag: "Operations",
      summary: "Show the state of this Berth",
      description:
        "Version, disk, queues, the processes of this database, leases, deliveries, deployments, memory, and the last scan; of all workspaces. Needs a key of the organization.",
      answers: { 200: { description: "The figures", schema: ShownSystem } },
    },
    async () => {
      const now = deps.clock.now();
      return json(await shownSystem(deps, await systemFigures(deps.db, now), now));
    },
  ),
];

async function shownSystem(
  { db, settings, membership, backups, agent: { queue, owner } }: Deps,
  figures: SystemFigures,
  now: number,
): Promise<ShownSystem> {
  const members = await membership.list();
  const uptimeMs = Math.round(process.uptime() * 1_000);
  const { lastScan, running, unscanned } = figures.engine;
  const { rss, heapUsed } = process.memoryUsage();
  return {
    version: VERSION,
    bun: Bun.version,
    platform: `${process.platform}-${process.arch}`,
    pid: process.pid,
    host: hostname(),
    started_at: isoTime(now - uptimeMs),
    uptime_s: Math.floor(uptimeMs / 1_000),
    data: await shownData(db, settings),
    backup: shownBackup(settings.backup, await backups.read(), now),
    migrations: figures.migrations,
    queue: {
      pending: figures.pending,
      running: queue.running,
      concurrency: settings.runConcurrency,
      places: queue.places,
      waiting: shownWait(await queue.waiting(MOST_WAITING)),
    },
    members: members.map((member) => shownMember(member, figures.held, owner)),
    leases: figures.held.map((held) => shownLease(held, members, owner)),
    deliveries: figures.deliveries,
    subscriptions: figures.subscriptions,
    deployments: figures.deployments,
    memory: { rss_bytes: rss, heap_bytes: heapUsed, deployments_bytes: figures.deploymentsBytes },
    engine: {
      interval_s: settings.issueEngine.intervalSeconds,
      running,
      unscanned_traces: unscanned,
      last_scan: lastScan && shownScan(lastScan),
    },
  };
}

/** As many of the runs that wait as somebody looks through. */
const MOST_WAITING = 20;

const shownWait = ({ since, runs, ...wait }: QueueWait) => ({
  ...wait,
  since: isoTimeOrNull(since),
  runs: runs.map(({ created_at, not_before, ...run }) => ({
    ...run,
    created_at: isoTime(created_at),
    not_before: isoTime(not_before),
  })),
});

function shownBackup(
  { schedule, place }: OperationsDeps["settings"]["backup"],
  status: BackupStatus,
  now: number,
): ShownBackup | null {
  if (schedule === null) return null;
  const { success_at, failure_at } = status;
  return {
    schedule,
    place,
    failing_since: isoTimeOrNull(status.failing_since),
    last_success:
      success_at === null
        ? null
        : {
            at: isoTime(success_at),
            age_s: Math.max(0, Math.floor((now - success_at) / 1_000)),
            file: status.success_file ?? "",
            bytes: status.success_bytes ?? 0,
            left_out: status.success_left_out ?? 0,
          },
    last_failure:
      failure_at === null ? null : { at: isoTime(failure_at), reason: status.failure_reason ?? "" },
  };
}

async function shownData(db: Database, settings: Deps["settings"]) {
  const { dataDir, databaseFile } = settings;
  const { bavail, blocks, bsize } = statfsSync(databaseFile ?? dataDir);
  return {
    dir: dataDir,
    database_file: shownDatabase(settings),
    database_bytes: databaseFile === null ? await databaseBytes(db) : sizeOf(databaseFile),
    wal_bytes: databaseFile === null ? 0 : sizeOf(`${databaseFile}-wal`),
    disk_free_bytes: bavail * bsize,
    disk_total_bytes: blocks * bsize,
  };
}

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

function shownMember(
  { id, place, host, pid, version, roles, running, started_at, seen_at }: SeenMember,
  held: readonly HeldWork[],
  own: string,
) {
  const lease = held.find(({ kind }) => kind === "reconciler");
  const leads = lease !== undefined && lease.pid === Number(pid) && lease.host === place;
  return {
    ...{ host, pid: Number(pid), version, roles: roles.split(" "), leads },
    running: Number(running),
    started_at: isoTime(Number(started_at)),
    seen_at: isoTime(Number(seen_at)),
    mine: id === own,
  };
}

function shownLease(
  { kind, holder, host, pid, count, until }: HeldWork,
  members: readonly SeenMember[],
  queueOwner: string,
) {
  // On a server the lease says where its pid means something, which says nothing to people.
  const member = members.find((one) => one.place === host && Number(one.pid) === pid);
  return {
    kind,
    holder: host === null ? holder : `${member?.host ?? host}, process ${pid}`,
    count,
    until: isoTimeOrNull(until),
    mine: isMine(),
  };
  function isMine(): boolean | null {
    if (kind === "runs") return holder === queueOwner;
    return kind === "reconciler" ? member?.id === queueOwner : null;
  }
}

function shownScan(scan: NonNullable<SystemFigures["engine"]["lastScan"]>) {
  const { id, session_id, status, started_at, ended_at, scanned, findings, error_message } = scan;
  return {
    ...{ id, session_id, status },
    started_at: isoTime(started_at),
    ended_at: isoTimeOrNull(ended_at),
    ...{ scanned, findings, error_message },
  };
}

type DoctorDeps = Pick<OperationsDeps, "settings" | "environment" | "program" | "publicUrl" | "port">;

/** `/v1/system/doctor`: what is wrong, and what to do about it. */
export const doctorRoutes = (deps: DoctorDeps): Operation[] => [
  operation(
    {
      method: "GET",
      path: "/v1/system/doctor",
      access: ofOperator("Looking after this server"),
      bodyLimit: "none",
      tag: "Operations",
      summary: "Check this Berth",
      description:
        "Runs the checks of `berth doctor`. Each finding says what is the case, and what to do. The checks may take some seconds. Needs a key of the organization.",
      answers: { 200: { description: "The findings", schema: ShownDoctor } },
    },
    async () => json(await examineHere(deps)),
  ),
];

/** Runs all checks, or those that are named, on this process. */
export function examineHere(
  { settings, environment, program, publicUrl, port }: DoctorDeps,
  only?: readonly string[],
): ReturnType<typeof examine> {
  const running = { port: port(), publicUrl: publicUrl() };
  return examine({ settings, environment, running, faultsOf: faultsByProgram(environment, program) }, only);
}
