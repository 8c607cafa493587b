import { BUILD_MARK, DATA_MARK, processesWith } from "../../machine/index.ts";

/** What is killed may have started something else a moment before. */
const MOST_PASSES = 5;

/**
 * Ends whatever the builds of a revision (or of any) left behind: a command may have started something in a session
 * of its own, which is in no group that would be known.
 * @param mark of the data folder: another Berth's builds are not ours to end
 */
export function endStrays(mark: string, revisionId: string | "any"): void {
  for (let pass = 0; pass < MOST_PASSES; pass += 1) {
    const left = processesWith(BUILD_MARK, DATA_MARK).filter(
      ({ marks }) => marks[DATA_MARK] === mark && (revisionId === "any" || marks[BUILD_MARK] === revisionId),
    );
    if (left.length === 0) return;
    for (const { pid } of left) kill(pid);
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}
