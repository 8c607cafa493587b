import { type Embedder, readOnlySink } from "@berth/store";
import { CheckpointSaver, ItemsStore } from "@berth/store/langgraph";
import { DraftCheckpoints } from "../checkpoints/index.ts";
import { openEmbedder } from "../embeddings.ts";
import type { CodeWork, House, ProjectCode } from "../executors/index.ts";
import { GraphExecutor, streamModels } from "../graphs/index.ts";
import type { Project } from "../project/index.ts";
import { GraphStates } from "../threads/index.ts";
import { Tracing } from "../traces/index.ts";

/**
 * The code of a project that is loaded here.
 * @throws ProjectError its `store.index` names no embedding
 */
export async function ownCode(project: Project): Promise<ProjectCode & { project: Project }> {
  return new OwnCode(project, await openEmbedder(project));
}

class OwnCode implements ProjectCode {
  constructor(
    readonly project: Project,
    readonly embedder: Embedder | undefined,
  ) {}

  work({ checkpoints, items: operations, lists, traces, ...house }: House): CodeWork {
    const { project } = this;
    const items = new ItemsStore(operations);
    const { serde, CallbackManager } = project.langgraph;
    const tracing = traces && new Tracing(project, { ...house, store: traces });
    streamModels(CallbackManager);
    return {
      executor: new GraphExecutor({ checkpoints, project, items, lists, tracing }),
      states: new GraphStates({
        project,
        saver: () => new CheckpointSaver(checkpoints, readOnlySink, { serde, cache: lists }),
        draft: (threadId, metadata) =>
          new DraftCheckpoints(checkpoints, threadId, { serde, cache: lists, metadata }),
        store: items,
      }),
    };
  }
}
