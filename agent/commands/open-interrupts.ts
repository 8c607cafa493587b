import { NotFound, type Thread } from "@berth/store";
import type { RunRequest } from "../runs/index.ts";
import type { CommandDeps } from "./deps.ts";
import { ProtocolError } from "./reply.ts";

/**
 * The ids of the interrupts that stand open at a thread's newest checkpoint, or at the one named.
 * @throws ProtocolError when there is no such checkpoint
 */
export async function openInterrupts(
  { states }: CommandDeps,
  thread: Thread,
  checkpoint?: RunRequest["checkpoint"],
): Promise<string[]> {
  try {
    const { interrupts } = await states.state(thread, { checkpoint });
    return interrupts.flatMap(({ id }) => id ?? []);
  } catch (error) {
    if (!checkpoint || !(error instanceof NotFound)) throw error;
    throw new ProtocolError("no_such_checkpoint", error.message);
  }
}

/** The interrupts that runs under way have been given an answer to, which the state does not show yet. */
export async function beingAnswered({ runs }: CommandDeps, thread: Thread): Promise<Set<string>> {
  if (thread.status !== "busy") return new Set();
  const page = { limit: 100, offset: 0 };
  const pending = await runs.list(thread.thread_id, { ...page, status: "pending" });
  const running = await runs.list(thread.thread_id, { ...page, status: "running" });
  return new Set([...pending, ...running].flatMap(({ kwargs }) => answeredBy(kwargs)));
}

function answeredBy({ command }: Record<string, unknown>): string[] {
  if (typeof command !== "object" || command === null || !("resume" in command)) return [];
  const { resume } = command;
  return typeof resume === "object" && resume !== null ? Object.keys(resume) : [];
}
