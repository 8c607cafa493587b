import type { Clock } from "../clock.ts";
import type { Database, WriteOrder } from "../database/index.ts";
import type { MemberRow } from "../schema/index.ts";

/** How often a process says that it is there. */
export const MEMBER_EVERY_MS = 15_000;
/** Who has said nothing for so long is not listed any more. */
const SILENT_MS = 3 * MEMBER_EVERY_MS;
/** Who went without a word is forgotten then. */
const FORGOTTEN_MS = 3_600_000;

/** A process of a database, as it says of itself. */
export type Member = Omit<SeenMember, "seen_at">;

/** A member, and when it said last that it is there. */
export type SeenMember = Omit<MemberRow, "reads_event_texts">;

/** Nobody waits to hear that somebody is still there. */
const ORDER: WriteOrder = { scope: ["members"], isQuiet: true };

/** The processes that share a database. Each renews its row; one that is silent is taken for gone. */
export class Members {
  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
  ) {}

  /** Says that a process is there, and how it does. */
  async here(member: Member): Promise<void> {
    const seen_at = this.clock.now();
    await this.db.write(async (tx) => {
      await tx
        .insertInto("members")
        .values({ ...member, seen_at, reads_event_texts: 1 })
        .onConflict((there) => there.column("id").doUpdateSet({ running: member.running, seen_at }))
        .execute();
      await tx
        .deleteFrom("members")
        .where("seen_at", "<", seen_at - FORGOTTEN_MS)
        .execute();
    }, ORDER);
  }

  /** A process ends. */
  async gone(id: string): Promise<void> {
    await this.db.write((tx) => tx.deleteFrom("members").where("id", "=", id).execute(), ORDER);
  }

  /** Those that are there, the first that was started first. */
  list(): Promise<SeenMember[]> {
    return this.db.read
      .selectFrom("members")
      .selectAll()
      .where("seen_at", ">=", this.clock.now() - SILENT_MS)
      .orderBy("started_at")
      .orderBy("id")
      .execute();
  }
}
