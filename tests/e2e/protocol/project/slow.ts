import {
  Annotation,
  END,
  type LangGraphRunnableConfig,
  MessagesAnnotation,
  START,
  StateGraph,
} from "@langchain/langgraph";
import { ScriptedModel } from "./scripted-model.ts";

const State = Annotation.Root({ ...MessagesAnnotation.spec, prepared: Annotation<number> });

/** Twenty seconds of talk at its own pace. */
const model = new ScriptedModel(
  () => ({ text: Array.from({ length: 1_000 }, (_, n) => `s${n}`).join(" ") }),
  20,
);

/** One quick superstep, then a model call that lasts unless it is stopped. */
export const graph = new StateGraph(State)
  .addNode("prepare", ({ prepared = 0 }) => ({ prepared: prepared + 1 }))
  .addNode("agent", async ({ messages }, config: LangGraphRunnableConfig) => ({
    messages: [await model.invoke(messages, config)],
  }))
  .addEdge(START, "prepare")
  .addEdge("prepare", "agent")
  .addEdge("agent", END)
  .compile();
