import { Annotation, END, type LangGraphRunnableConfig, START, StateGraph } from "@langchain/langgraph";

const State = Annotation.Root({ said: Annotation<string | null>, user: Annotation<unknown> });

/** Says who runs it, as the server told it. */
export const graph = new StateGraph(State)
  .addNode("who", (_state, { configurable }: LangGraphRunnableConfig) => ({
    user: {
      id: configurable?.langgraph_auth_user_id ?? null,
      team: configurable?.langgraph_auth_user?.team ?? null,
      permissions: configurable?.langgraph_auth_permissions ?? null,
    },
  }))
  .addEdge(START, "who")
  .addEdge("who", END)
  .compile();
