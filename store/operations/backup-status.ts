import type { Clock } from "../clock.ts";
import { type Database, DEFAULT_WORKSPACE, OUTBOX_SCOPE, type Tx } from "../database/index.ts";
import type { Outbox } from "../issues/index.ts";
import type { BackupStatusRow } from "../schema/index.ts";
import { type DatabaseLook, looking } from "./database-look.ts";

/** How scheduled backups went. Times in milliseconds. */
export type BackupStatus = Omit<BackupStatusRow, "id" | "notified_at">;

/** A scheduled backup that was made. */
export type MadeBackup = { file: string; bytes: number; leftOut: number };

const ROW = 1;
/** Minimum time (ms) between two events about failures. */
const NOTIFY_INTERVAL_MS = 3_600_000;
/** Maximum length of a stored reason. */
const MAX_REASON = 2_000;

const EMPTY: Omit<BackupStatusRow, "id"> = {
  success_at: null,
  success_file: null,
  success_bytes: null,
  success_left_out: null,
  failure_at: null,
  failure_reason: null,
  failing_since: null,
  notified_at: null,
};

/** Stores how scheduled backups go, and sends events about failures and recoveries to subscribers. */
export class BackupStatuses {
  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
    private readonly outbox: Outbox,
  ) {}

  async read(): Promise<BackupStatus> {
    const { notified_at: _, ...status } = await stored(this.db.read);
    return status;
  }

  async noteSuccess({ file, bytes, leftOut }: MadeBackup): Promise<void> {
    const now = this.clock.now();
    await this.#write(async (tx, before) => {
      const success = {
        success_at: now,
        success_file: file,
        success_bytes: bytes,
        success_left_out: leftOut,
      };
      await save(tx, { ...before, ...success, failing_since: null, notified_at: null });
      if (before.failing_since === null || before.notified_at === null) return;
      const failing_since = isoOf(before.failing_since);
      await this.#send(tx, "backup.recovered", { name: file, bytes, left_out: leftOut, failing_since }, now);
    });
  }

  async noteFailure(file: string, reason: string): Promise<void> {
    const now = this.clock.now();
    const failure_reason = reason.slice(0, MAX_REASON);
    await this.#write(async (tx, before) => {
      const isDue = before.notified_at === null || now - before.notified_at >= NOTIFY_INTERVAL_MS;
      const failing_since = before.failing_since ?? now;
      const notified_at = isDue ? now : before.notified_at;
      await save(tx, { ...before, failure_at: now, failure_reason, failing_since, notified_at });
      if (!isDue) return;
      const about = { name: file, error_message: failure_reason, failing_since: isoOf(failing_since) };
      const last_success_at = before.success_at === null ? null : isoOf(before.success_at);
      await this.#send(tx, "backup.failed", { ...about, last_success_at }, now);
    });
  }

  async #write(work: (tx: Tx, before: Omit<BackupStatusRow, "id">) => Promise<void>): Promise<void> {
    const scope = [OUTBOX_SCOPE, "backup-status"];
    await this.db.write(async (tx) => work(tx, await stored(tx)), { scope });
    this.outbox.ring();
  }

  async #send(
    tx: Tx,
    type: "backup.failed" | "backup.recovered",
    about: Record<string, string | number | null>,
    now: number,
  ): Promise<void> {
    const url = `${this.outbox.settings.publicUrl}/console/system`;
    const object = { ...about, url, occurred_at: isoOf(now) };
    await this.outbox.enqueue(tx, [
      {
        type,
        workspaceId: DEFAULT_WORKSPACE.id,
        sessionId: null,
        requestId: Bun.randomUUIDv7(),
        data: { object },
      },
    ]);
  }
}

/** Reads the status without changing the database, whatever its version. */
export const backupStatus = (url: string): Promise<BackupStatus> =>
  looking(url, async (look: DatabaseLook) => {
    if (!(await look.hasTable("backup_status"))) return EMPTY;
    const [row] = await look.rows<BackupStatusRow>("select * from backup_status");
    return row ? withNumbers(row) : EMPTY;
  });

async function stored(db: Pick<Tx, "selectFrom">): Promise<Omit<BackupStatusRow, "id">> {
  const row = await db.selectFrom("backup_status").selectAll().where("id", "=", ROW).executeTakeFirst();
  return row ? withNumbers(row) : EMPTY;
}

/** Drivers of Postgres return `bigint` as text. */
function withNumbers({ id: _, ...row }: BackupStatusRow): Omit<BackupStatusRow, "id"> {
  const numberOf = (value: number | null) => (value === null ? null : Number(value));
  return {
    success_file: row.success_file,
    failure_reason: row.failure_reason,
    success_at: numberOf(row.success_at),
    success_bytes: numberOf(row.success_bytes),
    success_left_out: numberOf(row.success_left_out),
    failure_at: numberOf(row.failure_at),
    failing_since: numberOf(row.failing_since),
    notified_at: numberOf(row.notified_at),
  };
}

async function save(tx: Tx, row: Omit<BackupStatusRow, "id">): Promise<void> {
  await tx
    .insertInto("backup_status")
    .values({ id: ROW, ...row })
    .onConflict((conflict) => conflict.column("id").doUpdateSet(row))
    .execute();
}

const isoOf = (at: number): string => new Date(at).toISOString();
