import type { Embedder } from "@berth/store";
import { Checkpoints, ItemsStore } from "@berth/store/langgraph";
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

  work({ db, items: operations, lists, traces, ...house }: House): CodeWork {
    const { project } = this;
    const items = new ItemsStore(operations);
    const { serde, CallbackManager } = project.langgraph;
    const tracing = traces && new Tracing(project, { ...house, store: traces });
    streamModels(CallbackManager);
    return {
      executor: new GraphExecutor({ db, project, items, lists, tracing }),
      states: new GraphStates({
        project,
        saver: () => new Checkpoints(db, { serde, cache: lists }),
        draft: (threadId, metadata) => new DraftCheckpoints(db, threadId, { serde, cache: lists, metadata }),
        store: items,
      }),
    };
  }
}
