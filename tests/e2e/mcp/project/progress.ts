import {
  Annotation,
  END,
  type LangGraphRunnableConfig,
  MessagesAnnotation,
  START,
  StateGraph,
} from "@langchain/langgraph";

const State = Annotation.Root({ ...MessagesAnnotation.spec, done: Annotation<number> });

async function work(_: unknown, config: LangGraphRunnableConfig) {
  for (const progress of [0, 50, 100]) {
    config.writer?.({ progress, total: 100, message: `${progress} of 100` });
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return { done: 100, messages: [{ role: "assistant", content: "Worked" }] };
}

/** Says itself how far it is, in its custom stream. */
export const graph = new StateGraph(State)
  .addNode("work", work)
  .addEdge(START, "work")
  .addEdge("work", END)
  .compile();
