import type { Kysely } from "kysely";
import type { Schema, SessionRow } from "../schema/index.ts";

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
