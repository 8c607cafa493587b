import { type SqlBool, sql } from "kysely";
import type { Clock } from "../clock.ts";
import type { Database, Tx } from "../database/index.ts";
import type { InstanceRow } from "../schema/index.ts";
import { newToken, type SecretBox } from "../secrets/index.ts";
import { newUlid } from "../ulid.ts";
import { deploymentChanged } from "./changes.ts";

/** A process or a container that runs a revision; `token` opens it for the gateway. */
export type Instance = InstanceRow;

type NewInstance = Pick<Instance, "deployment_id" | "revision_id" | "driver"> &
  Partial<Pick<Instance, "health_path">>;

export type InstancePatch = Partial<
  Omit<Instance, "id" | "deployment_id" | "revision_id" | "driver" | "token" | "created_at" | "updated_at">
>;

const MOST_TOLD = 100;

const sleepOf = (tx: Tx, id: string) =>
  tx
    .selectFrom("instances")
    .select(["deployment_id", "asleep_since"])
    .where("id", "=", id)
    .executeTakeFirst();

/**
 * The instances of the revisions. At most one of a deployment's instances with the same number is `serving`: the
 * database sees to it.
 */
export class Instances {
  #live: { changes: number | undefined; rows: readonly Instance[] } | undefined;

  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
    private readonly box: SecretBox,
    /** Where what this process starts is, among the machines that share the database. */
    private readonly place: string | null = null,
  ) {}

  /** Writes down that an instance is about to be started, with a token of its own. */
  async create(wanted: NewInstance): Promise<Instance> {
    const instance = this.#newInstance(wanted);
    await this.db.write((tx) => tx.insertInto("instances").values(this.#sealed(instance)).execute());
    return instance;
  }

  /**
   * Writes down that another instance is to serve beside one that serves, with this number.
   * @returns false when the first one does not serve any more, or there is one with that number
   */
  async addReplica(first: Instance, replica: number): Promise<boolean> {
    const { deployment_id, revision_id, driver, health_path } = first;
    const instance = this.#newInstance({ deployment_id, revision_id, driver, health_path });
    const row = { ...this.#sealed(instance), replica, state: "serving" as const };
    return this.db.write(async (tx) => {
      const others = await tx
        .selectFrom("instances")
        .select(["id", "replica"])
        .where("deployment_id", "=", deployment_id)
        .where("state", "=", "serving")
        .execute();
      const mayBe =
        others.some(({ id }) => id === first.id) && !others.some((one) => one.replica === replica);
      if (mayBe) await tx.insertInto("instances").values(row).execute();
      return mayBe;
    });
  }

  #newInstance(wanted: NewInstance): Instance {
    const now = this.clock.now();
    return {
      id: newUlid(),
      health_path: null,
      ...wanted,
      state: "starting",
      pid: null,
      pid_started: null,
      container: null,
      port: null,
      address: null,
      token: newToken(),
      restarts: 0,
      retry_at: null,
      log_offset: 0,
      created_at: now,
      updated_at: now,
      exit: null,
      own_auth: null,
      asleep_since: null,
      wake_at: null,
      replica: 0,
      place: null,
    };
  }

  #sealed(instance: Instance): InstanceRow {
    return { ...instance, token: this.box.seal(instance.token, instance.id) };
  }

  /** Writes what is known of an instance now; nothing happens to one that was forgotten. */
  async set(id: string, patch: InstancePatch): Promise<void> {
    const now = this.clock.now();
    // Whoever knows its process has started it.
    const isHere = typeof patch.pid === "number" || typeof patch.container === "string";
    const columns = { ...(isHere && { place: this.place }), ...patch, updated_at: now };
    await this.db.write(async (tx) => {
      const before = patch.asleep_since === undefined ? undefined : await sleepOf(tx, id);
      await tx.updateTable("instances").set(columns).where("id", "=", id).execute();
      if (before && before.asleep_since !== patch.asleep_since)
        await deploymentChanged(tx, before.deployment_id, now);
    });
  }

  /**
   * Gives an instance another token, before it is started again: who got hold of the one before opens nothing.
   * Undefined when it was forgotten.
   */
  async renewToken(id: string): Promise<Instance | undefined> {
    const token = this.box.seal(newToken(), id);
    await this.db.write((tx) => tx.updateTable("instances").set({ token }).where("id", "=", id).execute());
    return this.get(id);
  }

  /** Has what sleeps of a deployment start as soon as somebody looks; fine where nothing does. */
  async wake(deploymentId: string): Promise<void> {
    const now = this.clock.now();
    await this.db.write((tx) =>
      tx
        .updateTable("instances")
        .set({ wake_at: now, updated_at: now })
        .where("deployment_id", "=", deploymentId)
        .where("asleep_since", "is not", null)
        .where((eb) => eb.or([eb("wake_at", "is", null), eb("wake_at", ">", now)]))
        .execute(),
    );
  }

  async get(id: string): Promise<Instance | undefined> {
    const row = await this.db.read
      .selectFrom("instances")
      .selectAll()
      .where("id", "=", id)
      .executeTakeFirst();
    return row && this.#read(row);
  }

  /** Those that are not gone, oldest first. A database file is not read again before something is committed. */
  async live(): Promise<Instance[]> {
    // Only a file says for certain that nothing was committed: a notice of a server comes later, or is lost.
    const changes = this.db.sql.name === "sqlite" ? this.db.changes() : undefined;
    if (changes === undefined || this.#live?.changes !== changes)
      this.#live = { changes, rows: await this.#readLive() };
    return this.#live.rows.map((row) => ({ ...row }));
  }

  async #readLive(): Promise<Instance[]> {
    const rows = await this.db.read
      .selectFrom("instances")
      .selectAll()
      .where(sql<SqlBool>`state <> 'gone'`)
      .orderBy("created_at")
      .orderBy("id")
      .execute();
    return rows.map((row) => this.#read(row));
  }

  /** The newest 100 of a deployment, newest first, with those that are gone until they are swept. */
  async ofDeployment(deploymentId: string): Promise<Instance[]> {
    const rows = await this.db.read
      .selectFrom("instances")
      .selectAll()
      .where("deployment_id", "=", deploymentId)
      .orderBy("created_at", "desc")
      .orderBy("id", "desc")
      .limit(MOST_TOLD)
      .execute();
    return rows.map((row) => this.#read(row));
  }

  /** Forgets those that are gone since before that time. */
  async sweep(before: number): Promise<void> {
    const gone = sql<SqlBool>`state = 'gone'`;
    const due = await this.db.read
      .selectFrom("instances")
      .select("id")
      .where(gone)
      .where("updated_at", "<", before)
      .limit(1)
      .executeTakeFirst();
    if (!due) return;
    await this.db.write((tx) =>
      tx.deleteFrom("instances").where(gone).where("updated_at", "<", before).execute(),
    );
  }

  #read(row: InstanceRow): Instance {
    return { ...row, token: this.box.open(row.token, row.id) };
  }
}
