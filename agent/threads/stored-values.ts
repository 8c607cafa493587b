import { type Database, latestValues } from "@berth/store";
import { wireValues } from "./wire-values.ts";

/** The newest values of threads, as clients read them; threads without any are left out. */
export async function storedValues(
  db: Pick<Database, "read">,
  threadIds: string[],
): Promise<Map<string, unknown>> {
  const latest = await latestValues(db, threadIds);
  return new Map([...latest].map(([threadId, { values }]) => [threadId, wireValues(values)]));
}
