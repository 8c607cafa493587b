import { type Author, noteDeletion } from "../audit/index.ts";
import type { Clock } from "../clock.ts";
import type { Database, Tx } from "../database/index.ts";
import { BadRequest, NotFound } from "../errors.ts";
import type { IntegrationRow } from "../schema/index.ts";
import { LOST, type SecretBox } from "../secrets/index.ts";
import { takeNumbers } from "./counters.ts";

/** Access to somebody's repositories by a personal token, which is never shown again. */
export type Integration = Omit<IntegrationRow, "token">;

const COLUMNS = ["id", "workspace_id", "installation_id", "name", "created_at"] as const;

/** The integrations with GitHub. */
export class Integrations {
  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
    private readonly box: SecretBox,
  ) {}

  async create(workspaceId: string, { name, token }: { name: string; token: string }): Promise<Integration> {
    const id = Bun.randomUUIDv7();
    const integration = { id, workspace_id: workspaceId, name, created_at: this.clock.now() };
    const sealed = this.box.seal(token, id);
    return this.db.write(async (tx) => {
      const row = { ...integration, installation_id: await takeNumbers(tx, "integrations") };
      await tx
        .insertInto("integrations")
        .values({ ...row, token: sealed })
        .execute();
      return row;
    });
  }

  /** Those of a workspace, oldest first. */
  list(workspaceId: string): Promise<Integration[]> {
    return this.db.read
      .selectFrom("integrations")
      .select(COLUMNS)
      .where("workspace_id", "=", workspaceId)
      .orderBy("created_at")
      .orderBy("id")
      .execute();
  }

  /** @throws NotFound */
  async get(workspaceId: string, id: string): Promise<Integration> {
    const { token: _, ...integration } = await find(this.db.read, workspaceId, id);
    return integration;
  }

  /**
   * The token itself, for whoever talks to GitHub.
   * @throws NotFound
   * @throws BadRequest it was lost
   */
  async tokenOf(workspaceId: string, id: string): Promise<string> {
    const { token, name } = await find(this.db.read, workspaceId, id);
    if (token === LOST)
      throw new BadRequest(
        `The token of the integration '${name}' is lost, because the key that encrypted it is lost: add the integration again.`,
      );
    return this.box.open(token, id);
  }

  /** @throws NotFound */
  async delete(workspaceId: string, id: string, by: Author | null = null): Promise<void> {
    const now = this.clock.now();
    await this.db.write(async (tx) => {
      const { name } = await find(tx, workspaceId, id);
      const deleted = { workspace_id: workspaceId, kind: "integration", target_id: id, name } as const;
      await noteDeletion(tx, deleted, by, now);
      await tx.deleteFrom("integrations").where("id", "=", id).execute();
    });
  }
}

async function find(db: Tx, workspaceId: string, id: string): Promise<IntegrationRow> {
  const row = await db
    .selectFrom("integrations")
    .selectAll()
    .where("id", "=", id)
    .where("workspace_id", "=", workspaceId)
    .executeTakeFirst();
  if (!row) throw new NotFound(`Integration ID ${id} not found.`);
  return row;
}
