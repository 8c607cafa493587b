import { type Database, latestValues } from "@berth/store";
import type { StateShapes } from "./state-shapes.ts";
import { wireValues } from "./wire-values.ts";

/**
 * The newest values of threads, as clients read them; threads without any are left out.
 * @param shapes absent inside a transaction, which must not wait for a project's code: then only what is stored counts
 */
export async function storedValues(
  db: Pick<Database, "read">,
  threadIds: string[],
  shapes?: StateShapes,
): Promise<Map<string, unknown>> {
  const values = new Map<string, unknown>();
  for (const [threadId, latest] of await latestValues(db, threadIds))
    values.set(
      threadId,
      shapes ? await shapes.valuesOf(latest) : wireValues(latest.returned ?? latest.values),
    );
  return values;
}
