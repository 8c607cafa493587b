import { type Expression, expressionBuilder, type Kysely, type SqlBool, sql } from "kysely";
import { type Author, noteDeletion } from "../audit/index.ts";
import type { Clock } from "../clock.ts";
import { type Database, prepared } from "../database/index.ts";
import { NotFound } from "../errors.ts";
import type { Schema, SessionRow } from "../schema/index.ts";

type SessionFilter = {
  /** A part of the name; upper and lower case are the same. */
  nameContains?: string | undefined;
  name?: string | undefined;
  deploymentId?: string | undefined;
};

/** What a session is made with, and what becomes true of it when it is there. */
type SessionOf = { deploymentId?: string | null | undefined; ships?: boolean | undefined };

const selectNamed = prepared<{ workspaceId: string; name: string }, SessionRow>((db, { workspaceId, name }) =>
  db
    .selectFrom("sessions")
    .selectAll()
    .where("workspace_id", "=", workspaceId)
    .where("name", "=", name)
    .where("deleted_at", "is", null),
);

/** The tracing projects. */
export class Sessions {
  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
  ) {}

  /** The session of a name; makes it where there is none. */
  async ensure(workspaceId: string, name: string, of: SessionOf = {}): Promise<Session> {
    const [there] = await selectNamed(this.db.read, { workspaceId, name });
    if (there && isOf(there, of)) return toSession(there);
    const row = this.#newRow(workspaceId, name, of);
    return this.db.write(async (tx) => {
      const [present] = await selectNamed(tx, { workspaceId, name });
      if (!present) {
        await tx.insertInto("sessions").values(row).execute();
        return toSession(row);
      }
      const changed = {
        deployment_id: of.deploymentId === undefined ? present.deployment_id : of.deploymentId,
        ships: of.ships === undefined ? present.ships : row.ships,
      };
      await tx.updateTable("sessions").set(changed).where("id", "=", present.id).execute();
      return toSession({ ...present, ...changed });
    });
  }

  /** @throws NotFound */
  async get(workspaceId: string, id: string): Promise<Session> {
    const session = await this.find(id);
    if (session?.workspace_id !== workspaceId) throw noSession();
    return session;
  }

  /** A session of any workspace. */
  find(id: string): Promise<Session | undefined> {
    return findSession(this.db.read, id);
  }

  /** A page of those that match, newest first. */
  async list(
    workspaceId: string,
    filter: SessionFilter,
    page: { limit: number; offset: number },
  ): Promise<Session[]> {
    const rows = await this.db.read
      .selectFrom("sessions")
      .selectAll()
      .where("workspace_id", "=", workspaceId)
      .where("deleted_at", "is", null)
      .where(({ and }) => and(this.#conditions(filter)))
      .orderBy("created_at", "desc")
      .orderBy("id", "desc")
      .limit(page.limit)
      .offset(page.offset)
      .execute();
    return rows.map(toSession);
  }

  /** Sessions of any workspace that have traces for the engine to look at, oldest first. */
  async withUnscanned(limit: number): Promise<Session[]> {
    const rows = await this.db.read
      .selectFrom("sessions")
      .selectAll()
      .where("deleted_at", "is", null)
      .where(({ exists, selectFrom }) =>
        exists(
          selectFrom("traces")
            .select("traces.id")
            .whereRef("traces.session_id", "=", "sessions.id")
            .where("traces.unscanned", "=", sql.lit(1)),
        ),
      )
      .orderBy("id")
      .limit(limit)
      .execute();
    return rows.map(toSession);
  }

  /**
   * Takes a session away from everybody, with its issues; its traces are removed by and by, and its name is free
   * at once.
   * @throws NotFound
   */
  async delete(workspaceId: string, id: string, by: Author | null = null): Promise<void> {
    const now = this.clock.now();
    await this.db.write(async (tx) => {
      const deleted = await tx
        .updateTable("sessions")
        .set({ deleted_at: now })
        .where("id", "=", id)
        .where("workspace_id", "=", workspaceId)
        .where("deleted_at", "is", null)
        .returning("name")
        .executeTakeFirst();
      if (!deleted) throw noSession();
      const gone = { workspace_id: workspaceId, kind: "tracing_project", target_id: id } as const;
      await noteDeletion(tx, { ...gone, name: deleted.name }, by, now);
      // What is left of them, findings and links, goes with age.
      for (const table of [
        "issues",
        "issue_fingerprints",
        "issue_history",
        "engine_runs",
        "fingerprints",
        "grouping_rules",
      ] as const) {
        await tx.deleteFrom(table).where("session_id", "=", id).execute();
      }
      await tx
        .deleteFrom("run_figures")
        .where("workspace_id", "=", workspaceId)
        .where("session_id", "=", id)
        .execute();
    });
  }

  #newRow(workspaceId: string, name: string, { deploymentId = null, ships = false }: SessionOf): SessionRow {
    const now = this.clock.now();
    return {
      id: Bun.randomUUIDv7(),
      workspace_id: workspaceId,
      name,
      deployment_id: deploymentId,
      ships: ships ? 1 : 0,
      created_at: now,
      updated_at: now,
      deleted_at: null,
    };
  }

  #conditions({ nameContains, name, deploymentId }: SessionFilter): Expression<SqlBool>[] {
    const eb = expressionBuilder<Schema, "sessions">();
    const all: Expression<SqlBool>[] = [];
    if (name !== undefined) all.push(eb("name", "=", name));
    if (deploymentId !== undefined) all.push(eb("deployment_id", "=", deploymentId));
    if (nameContains) {
      const folded = sql<string>`lower(${eb.ref("name")})`;
      all.push(this.db.sql.containsText(folded, nameContains.toLowerCase()));
    }
    return all;
  }
}

function isOf(row: SessionRow, { deploymentId, ships }: SessionOf): boolean {
  if (deploymentId !== undefined && deploymentId !== row.deployment_id) return false;
  return ships === undefined || (ships ? 1 : 0) === row.ships;
}

const noSession = () => new NotFound("Tracing project not found");

/** A tracing project: where the traces of one deployment or program are kept together. */
export type Session = Omit<SessionRow, "ships" | "deleted_at"> & {
  /** Its spans and feedback are to be sent to the Berth that deployed this process. */
  ships: boolean;
};

export function toSession({ deleted_at: _, ships, ...row }: SessionRow): Session {
  return { ...row, ships: ships === 1 };
}

/** A session of any workspace that is not deleted. */
export async function findSession(db: Kysely<Schema>, id: string): Promise<Session | undefined> {
  const row = await db
    .selectFrom("sessions")
    .selectAll()
    .where("id", "=", id)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  return row && toSession(row);
}
