import { hasCheckpoint, type NewRun, NotFound, type Tx } from "@berth/store";
import type { RunKwargs } from "./kwargs.ts";

/**
 * Refuses a run from a checkpoint that its thread does not have: LangGraph takes an unknown one for an empty one, and
 * the thread's history would be hidden by it.
 * @throws NotFound
 */
export async function requireCheckpoint(from: Tx, { thread_id, kwargs }: NewRun): Promise<void> {
  const { checkpoint_id, checkpoint_ns } = (kwargs as RunKwargs).config.configurable;
  if (typeof checkpoint_id !== "string") return;
  const ns = typeof checkpoint_ns === "string" ? checkpoint_ns : "";
  if (await hasCheckpoint(from, { thread_id, ns, checkpoint_id })) return;
  throw new NotFound(`Checkpoint ${checkpoint_id} not found`);
}
