import { existsSync } from "node:fs";
import { Annotation, END, START, StateGraph } from "@langchain/langgraph";
import { loaded } from "./loaded.ts";

loaded("graph");

const State = Annotation.Root({ until: Annotation<string>, said: Annotation<string> });

/** Keeps everybody beside it waiting until a file is there. */
export const graph = new StateGraph(State)
  .addNode("wait", ({ until }) => {
    while (until && !existsSync(until)) void 0;
    return { said: "done" };
  })
  .addEdge(START, "wait")
  .addEdge("wait", END)
  .compile();
