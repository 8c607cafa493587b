import { NotFound, type Threads } from "@berth/store";
import type { ThreadState } from "./thread-state.ts";
import type { ThreadStates } from "./thread-states.ts";

export type ShownStateDeps = { threads: Pick<Threads, "find">; states: Pick<ThreadStates, "state"> };

/**
 * A thread's newest state as a chat needs it, which reads from `next` whether there is something to wait for: a
 * thread on which something runs has always something next. One at rest has nothing unless it asks a question,
 * whatever its graph would do if it were told to go on: it was stopped, has failed, or was only bootstrapped.
 * @throws NotFound no such thread, or nothing of it yet
 */
export async function shownState(
  { threads, states }: ShownStateDeps,
  threadId: string,
  options: { subgraphs?: boolean } = {},
): Promise<ThreadState> {
  // First: a state that is read later is never older than what the thread says of itself.
  const thread = await threads.find(threadId);
  const state = thread && (await states.state(thread, options));
  const isBusy = thread?.status === "busy";
  // One of which nothing is known yet is as good as none.
  if (!state || (!isBusy && !state.checkpoint)) throw new NotFound(`Thread ${threadId} not found`);
  if (isBusy && state.next.length === 0) return { ...state, next: ["__start__"] };
  if (isBusy || state.interrupts.length > 0) return state;
  return { ...state, next: [], tasks: isBootstrapped(state) ? [] : state.tasks };
}

/** Its only checkpoint was written by hand: the graph's first node waits for an input. */
function isBootstrapped({ metadata, parent_checkpoint }: ThreadState): boolean {
  return parent_checkpoint === null && metadata.source === "update";
}
