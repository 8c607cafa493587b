import { setTimeout as sleep } from "node:timers/promises";
import { Annotation, END, START, StateGraph } from "@langchain/langgraph";

const State = Annotation.Root({ done: Annotation<boolean> });

/** Leaves a promise behind that nobody awaits, and a timer that throws; both fail while the node still runs. */
export const graph = new StateGraph(State)
  .addNode("forgetful", async () => {
    void Promise.reject(new Error("a forgotten promise"));
    setTimeout(() => {
      throw new Error("a forgotten timer");
    }, 1);
    await sleep(50);
    return { done: true };
  })
  .addEdge(START, "forgetful")
  .addEdge("forgetful", END)
  .compile();
