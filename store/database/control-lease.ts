import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { type Clock, systemClock } from "../clock.ts";
import type { ControlLeaseRow } from "../schema/index.ts";
import type { Database } from "./database.ts";
import type { Tx, Work, WriteOrder } from "./writer.ts";

/**
 * A process that leads, or wants to; `id` is its own and no later one's, `host` says where its pid means something,
 * and `address` is where other machines reach it.
 */
export type LeaseHolder = { id: string; host: string; pid: number; address?: string | null };

/** Who reconciles, and where it is reached. */
export type Leader = Pick<ControlLeaseRow, "holder" | "host" | "address">;

/**
 * Where this process's pids mean something. Two machines may have the same name, so that on a server it is what no
 * other one has: this boot of this kernel, and the pids that are seen here.
 */
export function pidsHere({ sql }: Pick<Database, "sql">): string {
  if (sql.name === "sqlite") return hostname();
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    return `${boot} ${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    return hostname();
  }
}

/** How long a lease is good that is not renewed. */
export const CONTROL_LEASE_MS = 15_000;

/** What clocks of several machines may differ by. A lease that ends later than its length and this was taken before the clock was set back. */
const CLOCKS_APART_MS = 5_000;

const isOver = (until: number, now: number): boolean =>
  until <= now || until > now + CONTROL_LEASE_MS + CLOCKS_APART_MS;

/** What the lease is written under; nobody needs to be told of a renewal. */
const LEASE: WriteOrder = { scope: ["control-lease"] };
const RENEWAL: WriteOrder = { ...LEASE, isQuiet: true };

/** Another process leads: this one may change nothing that belongs to the leader. */
export class LeadershipLost extends Error {
  override name = "LeadershipLost";

  constructor() {
    super("Another process leads this database");
  }
}

/** Somebody else's lease as it was seen, and what had been committed by then. */
type Seen = { row: ControlLeaseRow; changes: number | undefined };

/**
 * Makes sure that one process at a time leads a database: reconciles, sweeps, scans. A lease ends 15 s after it was last
 * renewed.
 */
export class ControlLease {
  #seen: Seen | undefined;

  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
    private readonly isAlive: (holder: { pid: number }) => boolean = answersSignals,
  ) {}

  /**
   * Takes the lease where it is free, over, or of a process of this host that is dead.
   * @returns false while another one holds it
   */
  async take(holder: LeaseHolder): Promise<boolean> {
    if (await this.#isOthers(holder)) return false;
    const now = this.clock.now();
    return this.db.write(async (tx) => {
      const nobody: ControlLeaseRow = { id: 1, holder: "", host: "", pid: 0, until: 0, address: null };
      await tx
        .insertInto("control_lease")
        .values(nobody)
        .onConflict((there) => there.column("id").doNothing())
        .execute();
      const row = await tx
        .selectFrom("control_lease")
        .selectAll()
        .where("id", "=", 1)
        .executeTakeFirstOrThrow();
      if (!isFree(row, holder, now, this.isAlive)) return false;
      const { id, host, pid, address = null } = holder;
      const taken = await tx
        .updateTable("control_lease")
        .set({ holder: id, host, pid, address, until: now + CONTROL_LEASE_MS })
        .where("id", "=", 1)
        // Whoever was faster has changed it.
        .where("holder", "=", row.holder)
        .where("until", "=", row.until)
        .returning("id")
        .executeTakeFirst();
      return taken !== undefined;
    }, RENEWAL);
  }

  /**
   * Whether another one certainly has it. On a database that tells, the lease is not read again before it may have changed
   * hands; and it is read before a write is tried, which others would have to wait for.
   */
  async #isOthers(holder: LeaseHolder): Promise<boolean> {
    const changes = this.db.changes();
    if (changes === undefined) return false;
    const isHeld = (row: ControlLeaseRow | undefined) =>
      row !== undefined && !isFree(row, holder, this.clock.now(), this.isAlive);
    if (this.#seen?.changes === changes && isHeld(this.#seen.row)) return true;
    const row = await this.db.read
      .selectFrom("control_lease")
      .selectAll()
      .where("id", "=", 1)
      .executeTakeFirst();
    this.#seen = row && { row, changes };
    return isHeld(row);
  }

  /** @returns false when another process has it now: then nothing more may be reconciled */
  async renew(holder: LeaseHolder): Promise<boolean> {
    const until = this.clock.now() + CONTROL_LEASE_MS;
    const renewed = await this.db.write(
      (tx) =>
        tx
          .updateTable("control_lease")
          .set({ until })
          .where("id", "=", 1)
          .where("holder", "=", holder.id)
          .returning("id")
          .executeTakeFirst(),
      RENEWAL,
    );
    return renewed !== undefined;
  }

  /**
   * Returns the database with fenced writes: each transaction checks first that the lease is still the holder's.
   * A write of a former leader rejects with {@link LeadershipLost} and changes nothing.
   */
  fence(holder: Pick<LeaseHolder, "id">): Database {
    const { db } = this;
    const write = <T>(work: Work<T>, how?: WriteOrder) =>
      db.write(async (tx) => {
        await assertHeld(tx, holder);
        return work(tx);
      }, how);
    return { ...db, write };
  }

  /** Who holds the lease, unless it is over. */
  async leader(): Promise<Leader | undefined> {
    const row = await this.db.read
      .selectFrom("control_lease")
      .select(["holder", "host", "address", "until"])
      .where("id", "=", 1)
      .executeTakeFirst();
    return row && !isOver(Number(row.until), this.clock.now()) ? row : undefined;
  }

  /** Gives the lease back, if it is still held. */
  async release(holder: LeaseHolder): Promise<void> {
    await this.db.write(
      (tx) => tx.deleteFrom("control_lease").where("id", "=", 1).where("holder", "=", holder.id).execute(),
      LEASE,
    );
  }
}

/** Whether a Berth holds the lease that is not dead: one that runs, or ended less than 15 s ago on another host. */
export async function isControlled(db: Tx, here: string, clock: Clock = systemClock): Promise<boolean> {
  const row = await db.selectFrom("control_lease").selectAll().where("id", "=", 1).executeTakeFirst();
  return row !== undefined && !isFree(row, { id: "", host: here, pid: process.pid }, clock.now());
}

async function assertHeld(tx: Tx, { id }: Pick<LeaseHolder, "id">): Promise<void> {
  const row = await tx.selectFrom("control_lease").select("holder").where("id", "=", 1).executeTakeFirst();
  if (row?.holder !== id) throw new LeadershipLost();
}

function isFree(
  row: ControlLeaseRow,
  holder: LeaseHolder,
  now: number,
  isAlive: (holder: { pid: number }) => boolean = answersSignals,
): boolean {
  if (row.holder === holder.id || isOver(Number(row.until), now)) return true;
  if (row.host !== holder.host) return false;
  // The same pid is ours: in a container every Berth may have it, the dead one before this one too.
  return Number(row.pid) === holder.pid || !isAlive({ pid: Number(row.pid) });
}

function answersSignals({ pid }: { pid: number }): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it is there, and somebody else's.
    return !(error instanceof Error && "code" in error && error.code === "ESRCH");
  }
}
