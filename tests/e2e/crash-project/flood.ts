import { setImmediate as turn } from "node:timers/promises";
import { Annotation, END, START, StateGraph } from "@langchain/langgraph";

const State = Annotation.Root({ count: Annotation<number>, size: Annotation<number> });

/** Says `count` times something of `size` characters, and never waits for anybody. */
export const graph = new StateGraph(State)
  .addNode("flood", async ({ count, size }, { writer }) => {
    for (let index = 0; index < count; index += 1) {
      writer?.({ index, text: "x".repeat(size) });
      if (index % 20 === 0) await turn();
    }
    return {};
  })
  .addEdge(START, "flood")
  .addEdge("flood", END)
  .compile();
