import type { Clock } from "../clock.ts";
import type { Database } from "../database/index.ts";
import { NotFound } from "../errors.ts";

/**
 * Says that failures belong together: those that match get the key in place of a fingerprint. In each pattern `*` stands
 * for any text; capitals make no difference.
 */
export type GroupingRule = { match: GroupingMatch; key: string };

/** Everything that is named has to match. */
export type GroupingMatch = {
  /** The message as it was thrown, or as the issue shows it. */
  message?: string | undefined;
  error_type?: string | undefined;
  node?: string | undefined;
  tool?: string | undefined;
  thrown_at?: string | undefined;
};

/** The rules of tracing projects; the first that matches counts. */
export class GroupingRules {
  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
  ) {}

  /** Of a project of any workspace; none where nobody made any. */
  async of(sessionId: string): Promise<GroupingRule[]> {
    const row = await this.db.read
      .selectFrom("grouping_rules")
      .select("rules")
      .where("session_id", "=", sessionId)
      .executeTakeFirst();
    return row ? JSON.parse(row.rules) : [];
  }

  /**
   * Puts rules in place of those that are there. They count for traces that are looked at from then on.
   * @throws NotFound there is no such tracing project
   */
  async put(workspaceId: string, sessionId: string, rules: readonly GroupingRule[]): Promise<void> {
    const changed = { rules: JSON.stringify(rules), updated_at: this.clock.now() };
    await this.db.write(async (tx) => {
      const session = await tx
        .selectFrom("sessions")
        .select("id")
        .where("id", "=", sessionId)
        .where("workspace_id", "=", workspaceId)
        .where("deleted_at", "is", null)
        .executeTakeFirst();
      if (!session) throw new NotFound("Tracing project not found");
      await tx
        .insertInto("grouping_rules")
        .values({ session_id: sessionId, ...changed })
        .onConflict((there) => there.column("session_id").doUpdateSet(changed))
        .execute();
    });
  }
}
