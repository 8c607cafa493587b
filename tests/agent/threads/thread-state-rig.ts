import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { databaseReader, openDatabase } from "@berth/store";
import { Checkpoints } from "@berth/store/langgraph";
import { DraftCheckpoints } from "../../../agent/checkpoints/index.ts";
import { type GraphConfig, loadProject } from "../../../agent/project/index.ts";
import { GraphStates, type StatefulThread } from "../../../agent/threads/state-code.ts";
import { type ThreadState, valuesOf } from "../../../agent/threads/thread-state.ts";
import { ThreadStates } from "../../../agent/threads/thread-states.ts";
import { databaseUrl } from "../../postgres/for-data.ts";

/** The fixtures on a database of their own, with a way to run a graph on a thread without a queue. */
export async function openRig() {
  const folder = await mkdtemp(join(tmpdir(), "berth-state-"));
  const db = await openDatabase(await databaseUrl(join(folder, "berth.db")));
  const project = await loadProject(join(import.meta.dir, "../../fixtures"));
  const { serde } = project.langgraph;

  async function run(thread: StatefulThread, input: unknown, options: GraphConfig = {}): Promise<unknown> {
    const configurable = {
      ...thread.config?.configurable,
      ...options.configurable,
      thread_id: thread.thread_id,
      // As a run does: its metadata go into its checkpoints.
      __pregel_checkpointer: new Checkpoints(db, { serde, metadata: options.metadata ?? {} }),
    };
    const graph = await project.graph(`${thread.metadata.graph_id}`, { configurable });
    return graph.invoke(input, { ...options, configurable });
  }

  const states = new ThreadStates({
    db,
    code: new GraphStates({
      project,
      saver: () => new Checkpoints(db, { serde }),
      draft: (threadId) => new DraftCheckpoints(databaseReader(db), threadId, { serde }),
    }),
  });
  return {
    db,
    project,
    states: shownStates(states),
    run,
    close: async () => {
      await db.close();
      await rm(folder, { recursive: true });
    },
  };
}

/** The same with the values as clients see them. */
export function shownStates(states: ThreadStates) {
  const shown = (state: ThreadState): Omit<ThreadState, "values"> & { values: unknown } => ({
    ...state,
    values: valuesOf(state),
  });
  return {
    state: async (...given: Parameters<ThreadStates["state"]>) => shown(await states.state(...given)),
    history: async (...given: Parameters<ThreadStates["history"]>) =>
      (await states.history(...given)).map(shown),
    update: async (...given: Parameters<ThreadStates["update"]>) => {
      const updated = await states.update(...given);
      return { ...updated, state: shown(updated.state) };
    },
    applySupersteps: async (...given: Parameters<ThreadStates["applySupersteps"]>) => {
      const updated = await states.applySupersteps(...given);
      return { ...updated, state: shown(updated.state) };
    },
  };
}

/** A new thread that belongs to a graph. */
export function threadOf(graph: string, configurable: Record<string, unknown> = {}): StatefulThread {
  return { thread_id: crypto.randomUUID(), metadata: { graph_id: graph }, config: { configurable } };
}
