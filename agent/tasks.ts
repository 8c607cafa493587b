import {
  type Clock,
  type Database,
  findTask,
  findThread,
  lastCheckpointOf,
  NotFound,
  type Page,
  type Run,
  searchTasks,
  type Task,
  type TaskSearch,
  withdrawTask,
} from "@berth/store";
import type { ThreadState, ThreadStates } from "./threads/index.ts";

type TasksDeps = { db: Database; clock: Clock; states: ThreadStates };

/** Work of assistants as other agents follow it; nothing is kept of it beside the runs. */
export class Tasks {
  constructor(private readonly deps: TasksDeps) {}

  /** Undefined when there is no such task, or it is another assistant's. */
  find(assistantId: string, taskId: string): Promise<Task | undefined> {
    return findTask(this.deps.db, assistantId, taskId);
  }

  search(search: TaskSearch): Promise<Page<Task>> {
    return searchTasks(this.deps.db, search);
  }

  /** Gives up on the answer to what a task asked. */
  withdraw({ run }: Task): Promise<void> {
    const { db, clock } = this.deps;
    return db.write((tx) => withdrawTask(tx, run, clock.now()));
  }

  /**
   * The thread's state as a run left it, or as it stands when the run has written nothing yet; undefined when
   * there is none (any more).
   */
  async state(run: Run): Promise<ThreadState | undefined> {
    const thread = await findThread(this.deps.db, run.thread_id);
    if (!thread) return undefined;
    const checkpoint_id = await lastCheckpointOf(this.deps.db, run);
    return this.deps.states
      .state(thread, checkpoint_id === undefined ? {} : { checkpoint: { checkpoint_id } })
      .catch((error) => {
        // The checkpoint was pruned, or the graph is gone, between the two reads.
        if (error instanceof NotFound) return undefined;
        throw error;
      });
  }
}
