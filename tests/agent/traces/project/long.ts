import { AIMessage } from "@langchain/core/messages";
import {
  END,
  type LangGraphRunnableConfig,
  MessagesAnnotation,
  START,
  StateGraph,
} from "@langchain/langgraph";

const STEPS = 2_050;

/** A node that runs so often that not every span is kept, on a state of long messages. */
export const graph = new StateGraph(MessagesAnnotation)
  .addNode("step", ({ messages }, { metadata }: LangGraphRunnableConfig) => {
    const { langgraph_step: step } = metadata as { langgraph_step: number };
    if (step === 1)
      return {
        messages: Array.from({ length: 60 }, (_, n) => new AIMessage(`message ${n} ${"ä".repeat(1_000)}`)),
      };
    return { messages: step === STEPS ? [new AIMessage(`the last of ${messages.length}`)] : [] };
  })
  .addEdge(START, "step")
  .addConditionalEdges("step", (_, { metadata }) =>
    (metadata as { langgraph_step: number }).langgraph_step < STEPS ? "step" : END,
  )
  .compile();
