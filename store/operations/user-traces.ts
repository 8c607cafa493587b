import type { Database } from "../database/index.ts";
import type { TraceRow } from "../schema/index.ts";

/** Members of the metadata of a thread or a run that say whose it is. */
export const OWNER_NAMES = ["owner", "user_id", "user", "langgraph_auth_user_id"] as const;

type OwnedTrace = Pick<TraceRow, "id" | "workspace_id" | "thread_id">;

export type UserTraces = {
  /** Threads that no longer exist here, all of whose traces are the user's: those of stateless runs. */
  threadIds: string[];
  /** The other traces: runs on a thread that exists, or that other users have runs on. */
  traces: OwnedTrace[];
};

const TRACES_AT_ONCE = 200;

/**
 * Finds the traces whose metadata, which is that of their runs, names a user as their owner. Reads all traces: metadata
 * has no index.
 */
export async function tracesOfUser(db: Database, user: string): Promise<UserTraces> {
  const owned: OwnedTrace[] = [];
  for (let last = ""; ; ) {
    const rows = await db.read
      .selectFrom("traces")
      .select(["id", "workspace_id", "thread_id", "metadata"])
      .where("metadata", "like", `%${JSON.stringify(user).replaceAll(/[%_\\]/g, "_")}%`)
      .where("id", ">", last)
      .orderBy("id")
      .limit(TRACES_AT_ONCE)
      .execute();
    owned.push(...rows.filter(({ metadata }) => isOwner(metadata, user)));
    if (rows.length < TRACES_AT_ONCE) break;
    last = rows.at(-1)?.id ?? "";
  }
  const ids = new Set(owned.map(({ thread_id }) => thread_id).filter((id) => id !== null));
  const whole = new Set<string>();
  for (const id of ids)
    if (await isWholly(db, id, owned.filter(({ thread_id }) => thread_id === id).length)) whole.add(id);
  return {
    threadIds: [...whole],
    traces: owned.filter(({ thread_id }) => thread_id === null || !whole.has(thread_id)),
  };
}

/** Whether a thread does not exist and has no more traces than these. */
async function isWholly({ read }: Database, threadId: string, owned: number): Promise<boolean> {
  const thread = await read
    .selectFrom("threads")
    .select("thread_id")
    .where("thread_id", "=", threadId)
    .executeTakeFirst();
  if (thread) return false;
  const traces = await read.selectFrom("traces").select("id").where("thread_id", "=", threadId).execute();
  return traces.length === owned;
}

function isOwner(metadata: string, user: string): boolean {
  try {
    const named: Record<string, unknown> = JSON.parse(metadata);
    return OWNER_NAMES.some((name) => named[name] === user);
  } catch {
    return false;
  }
}
