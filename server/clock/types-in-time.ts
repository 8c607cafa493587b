import type { Project } from "@berth/agent";

/** When the start is over: a compiler takes a core for seconds, and requests come first. Then, on a machine that was too busy. */
const TRIES_AFTER_MS = [5_000, 60_000, 300_000];

/**
 * Has the types of a project read before anybody asks for a schema, and again where the compiler did not come to an end.
 * @returns ends it
 */
export function readTypesInTime(
  project: Pick<Project, "readTypes">,
  triesAfterMs: readonly number[] = TRIES_AFTER_MS,
): () => void {
  let timer: Timer | undefined;
  let ended = false;
  const next = ([afterMs, ...later]: readonly number[]) => {
    if (afterMs === undefined || ended) return;
    timer = setTimeout(async () => {
      const known = await project.readTypes().catch(() => false);
      if (!known) next(later);
    }, afterMs).unref();
  };
  next(triesAfterMs);
  return () => {
    ended = true;
    clearTimeout(timer);
  };
}
