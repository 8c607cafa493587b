import { type Database, DEFAULT_WORKSPACE, prepared } from "../database/index.ts";

/** What a workspace is told of. */
export const ACTIVITY_KINDS = [
  "traces",
  "issues",
  "deliveries",
  "engine_runs",
  "subscriptions",
  "threads",
  "runs",
  "keys",
] as const;

export type ActivityKind = (typeof ACTIVITY_KINDS)[number];

/** A text for each kind that is another one once something of the kind has changed. */
export type ActivityMarks = Record<ActivityKind, string>;

type Mark = { mark: number | null; count: number };
type OfWorkspace = { workspace_id: string };
type OfEverybody = Record<string, never>;

/** So many of the newest are looked at: a row that is committed late, under an earlier time, is seen as well. */
const NEWEST = 20;

const newestOf = (table: "issues" | "deliveries") =>
  prepared<OfWorkspace, Mark>((db, { workspace_id }) =>
    db
      .selectFrom((eb) =>
        eb
          // They have these columns in common.
          .selectFrom(table as "issues")
          .select("updated_at")
          .where("workspace_id", "=", workspace_id)
          .orderBy("updated_at", "desc")
          .limit(NEWEST)
          .as("newest"),
      )
      .select((eb) => [eb.fn.sum<number>("updated_at").as("mark"), eb.fn.countAll<number>().as("count")]),
  );

/** Whoever writes a trace touches its project: the many traces need no index of their own for this. */
const traces = prepared<OfWorkspace, Mark>((db, { workspace_id }) =>
  db
    .selectFrom("sessions")
    .select((eb) => [eb.fn.sum<number>("updated_at").as("mark"), eb.fn.countAll<number>().as("count")])
    .where("workspace_id", "=", workspace_id)
    .where("deleted_at", "is", null),
);
const issues = newestOf("issues");
const deliveries = newestOf("deliveries");

const engineRuns = prepared<OfWorkspace, Mark>((db, { workspace_id }) =>
  db
    .selectFrom((eb) =>
      eb
        .selectFrom("engine_runs")
        .select(["started_at", "ended_at"])
        .where("workspace_id", "=", workspace_id)
        .orderBy("started_at", "desc")
        .limit(NEWEST)
        .as("newest"),
    )
    .select((eb) => [
      eb.fn.sum<number>("started_at").as("mark"),
      // The ends, too: a scan is told of when it begins and when it is over.
      eb.fn.sum<number>("ended_at").as("count"),
    ]),
);

const subscriptions = prepared<OfWorkspace, Mark>((db, { workspace_id }) =>
  db
    .selectFrom("subscriptions")
    .select((eb) => [eb.fn.sum<number>("updated_at").as("mark"), eb.fn.countAll<number>().as("count")])
    .where("workspace_id", "=", workspace_id),
);

const keys = prepared<OfWorkspace, Mark>((db, { workspace_id }) =>
  db
    .selectFrom("api_keys")
    .select((eb) => [eb.fn.max("created_at").as("mark"), eb.fn.countAll<number>().as("count")])
    .where("workspace_id", "=", workspace_id),
);

const threads = prepared<OfEverybody, Mark>((db) =>
  db
    .selectFrom((eb) =>
      eb.selectFrom("threads").select("updated_at").orderBy("updated_at", "desc").limit(NEWEST).as("newest"),
    )
    .select((eb) => [eb.fn.sum<number>("updated_at").as("mark"), eb.fn.countAll<number>().as("count")]),
);

const newestRun = prepared<OfEverybody, { run_id: string | null }>((db) =>
  db.selectFrom("runs").select((eb) => eb.fn.max("run_id").as("run_id")),
);

const runningRuns = prepared<OfEverybody, { count: number }>((db) =>
  db
    .selectFrom("runs")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("status", "=", "running"),
);

const firstPending = prepared<OfEverybody, { run_id: string }>((db) =>
  db
    .selectFrom("runs")
    .select("run_id")
    .where("status", "=", "pending")
    .orderBy("not_before")
    .orderBy("run_id")
    .limit(1),
);

/** Finds out what has changed without reading it: a few rows of an index for each kind. */
export class Activity {
  constructor(private readonly db: Database) {}

  /** The marks of a workspace. Threads and runs are the default one's. */
  async marks(workspaceId: string): Promise<ActivityMarks> {
    const { read } = this.db;
    const of = { workspace_id: workspaceId };
    const isHome = workspaceId === DEFAULT_WORKSPACE.id;
    return {
      traces: textOf(await traces(read, of)),
      issues: textOf(await issues(read, of)),
      deliveries: textOf(await deliveries(read, of)),
      engine_runs: textOf(await engineRuns(read, of)),
      subscriptions: textOf(await subscriptions(read, of)),
      threads: isHome ? textOf(await threads(read, {})) : "",
      runs: isHome ? await this.#runs() : "",
      keys: textOf(await keys(read, of)),
    };
  }

  /** The same for what a whole process tells of itself: its queues, its deployments, who reconciles. */
  async systemMark(): Promise<string> {
    const { read } = this.db;
    const changes = await read
      .selectFrom("control_counters")
      .select("last")
      .where("name", "=", "changes")
      .executeTakeFirst();
    const lease = await read.selectFrom("control_lease").select("holder").executeTakeFirst();
    return `${await this.#runs()} ${changes?.last} ${lease?.holder}`;
  }

  async #runs(): Promise<string> {
    const { read } = this.db;
    const [newest] = await newestRun(read, {});
    const [running] = await runningRuns(read, {});
    const [pending] = await firstPending(read, {});
    return `${newest?.run_id} ${running?.count} ${pending?.run_id}`;
  }
}

const textOf = ([row]: Mark[]): string => `${row?.mark} ${row?.count}`;
