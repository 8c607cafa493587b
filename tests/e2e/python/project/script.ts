import { Annotation, END, type LangGraphRunnableConfig, START, StateGraph } from "@langchain/langgraph";
import { RemoteGraph } from "@langchain/langgraph/remote";

const State = Annotation.Root({ word: Annotation<string> });

/** A graph of this project that is not Python. */
export const graph = new StateGraph(State)
  .addNode("say", () => ({ word: "from a script" }))
  .addEdge(START, "say")
  .addEdge("say", END)
  .compile();

const Asked = Annotation.Root({ steps: Annotation<string[]> });

/** Asks one that is. */
export const asksPython = new StateGraph(Asked)
  .addNode("ask", async (_state: typeof Asked.State, { metadata }: LangGraphRunnableConfig) => {
    const url = String(metadata?.langgraph_api_url);
    // On a thread of its own: this one waits for this run.
    const configurable = { thread_id: crypto.randomUUID() };
    const { steps } = await new RemoteGraph({ graphId: "plain", url }).invoke({}, { configurable });
    return { steps };
  })
  .addEdge(START, "ask")
  .addEdge("ask", END)
  .compile();
