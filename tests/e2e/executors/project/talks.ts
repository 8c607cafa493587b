import { Annotation, END, type LangGraphRunnableConfig, START, StateGraph } from "@langchain/langgraph";

const State = Annotation.Root({ words: Annotation<number>, pause: Annotation<number> });

/** Says as many words as it is asked for, with a pause between each two. */
export const graph = new StateGraph(State)
  .addNode("talk", async ({ words, pause }, { writer }: LangGraphRunnableConfig) => {
    for (let word = 0; word < words; word++) {
      writer?.({ word });
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
    return {};
  })
  .addEdge(START, "talk")
  .addEdge("talk", END)
  .compile();
