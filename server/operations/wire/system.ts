import { type Static, Type } from "@sinclair/typebox";
import { Instant, nullable, oneOf, Uuid } from "../../http/index.ts";

const Count = Type.Integer({ minimum: 0 });
const Bytes = Type.Integer({ minimum: 0 });

export const ShownLease = Type.Object({
  kind: oneOf(["runs", "reconciler", "engine", "deliveries"]),
  holder: Type.String(),
  count: Count,
  until: nullable(Instant),
  mine: Type.Union([Type.Boolean(), Type.Null()], {
    description: "Whether this process has it; null if that is unknown.",
  }),
});
export type ShownLease = Static<typeof ShownLease>;

export const ShownMember = Type.Object(
  {
    host: Type.String(),
    pid: Type.Integer(),
    version: Type.String(),
    roles: Type.Array(Type.String()),
    leads: Type.Boolean({
      description: "Whether it is the process that does the work that only one process may do at a time.",
    }),
    running: Type.Integer({ minimum: 0, description: "How many runs it executes." }),
    started_at: Instant,
    seen_at: Instant,
    mine: Type.Boolean({ description: "Whether it is the process that answers." }),
  },
  { description: "A Berth on this database. Only on a Postgres server are there others in the list." },
);
export type ShownMember = Static<typeof ShownMember>;

const LastScan = Type.Object({
  id: Uuid,
  session_id: Uuid,
  status: Type.String(),
  started_at: Instant,
  ended_at: nullable(Instant),
  scanned: Count,
  findings: Count,
  error_message: nullable(Type.String()),
});

export const ShownBackup = Type.Object(
  {
    schedule: Type.String({ description: "In UTC." }),
    place: Type.String(),
    failing_since: nullable(Instant),
    last_success: nullable(
      Type.Object({
        at: Instant,
        age_s: Count,
        file: Type.String(),
        bytes: Bytes,
        left_out: Type.Integer({ minimum: 0, description: "Number of files that are not in it." }),
      }),
    ),
    last_failure: nullable(Type.Object({ at: Instant, reason: Type.String() })),
  },
  { description: "Scheduled backups. `last_failure` stays after a later success; `failing_since` does not." },
);
export type ShownBackup = Static<typeof ShownBackup>;

export const ShownSystem = Type.Object(
  {
    version: Type.String(),
    bun: Type.String(),
    platform: Type.String(),
    pid: Type.Integer(),
    host: Type.String(),
    started_at: Instant,
    uptime_s: Count,
    data: Type.Object({
      dir: Type.String(),
      database_file: Type.String(),
      database_bytes: Bytes,
      wal_bytes: Bytes,
      disk_free_bytes: Bytes,
      disk_total_bytes: Bytes,
    }),
    backup: Type.Union([ShownBackup, Type.Null()], { description: "Null without `BACKUP_SCHEDULE`." }),
    migrations: Type.Object({ applied: Count, latest: nullable(Type.String()) }),
    queue: Type.Object({
      pending: Count,
      running: Count,
      concurrency: Type.Integer({ minimum: 1, description: "How many runs the settings allow at once." }),
      places: Type.Integer({
        minimum: 1,
        description: "How many runs this process takes at once right now.",
      }),
      waiting: Type.Object({
        due: Type.Integer({ minimum: 0, description: "Runs that could begin now." }),
        behind: Type.Integer({
          minimum: 0,
          description: "Of these, the runs that wait for another run of their thread.",
        }),
        later: Type.Integer({ minimum: 0, description: "Runs that begin later." }),
        since: nullable(Instant),
        why: Type.Union([oneOf(["thread", "places", "late", "memory", "standby"]), Type.Null()], {
          description:
            "Why no further run begins. `thread`: their threads have runs in progress. `places`: all places are taken. `late`, `memory`: there are fewer places, because the event loop is late or memory is short. `standby`: this process begins no runs. Null if no run is due.",
        }),
        runs: Type.Array(
          Type.Object({
            run_id: Type.String(),
            thread_id: Type.String(),
            graph_id: nullable(Type.String()),
            created_at: Instant,
            not_before: Instant,
            why: oneOf(["thread", "places", "late", "memory", "standby", "time"]),
          }),
          {
            description:
              "The first 20 runs that have not begun, and why: as above, or `time` before `not_before`.",
          },
        ),
      }),
    }),
    members: Type.Array(ShownMember),
    leases: Type.Array(ShownLease),
    deliveries: Type.Object({ queued: Count, due: Count, leased: Count, dead: Count }),
    subscriptions: Type.Object({ active: Count, failing: Count }),
    deployments: Type.Object({
      total: Count,
      by_status: Type.Record(Type.String(), Count),
      instances: Count,
    }),
    memory: Type.Object({ rss_bytes: Bytes, heap_bytes: Bytes, deployments_bytes: nullable(Bytes) }),
    engine: Type.Object({
      interval_s: Count,
      running: Count,
      unscanned_traces: Count,
      last_scan: nullable(LastScan),
    }),
  },
  { $id: "System" },
);
export type ShownSystem = Static<typeof ShownSystem>;
