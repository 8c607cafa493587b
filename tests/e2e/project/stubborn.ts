import { writeFileSync } from "node:fs";
import { Annotation, END, START, StateGraph } from "@langchain/langgraph";

const State = Annotation.Root({ seconds: Annotation<number>, file: Annotation<string> });

/** Its node does not heed that the run is cancelled; files say that it has begun and ended. */
export const graph = new StateGraph(State)
  .addNode("work", async ({ seconds, file }) => {
    writeFileSync(`${file}.begun`, "");
    await Bun.sleep(seconds * 1_000);
    writeFileSync(`${file}.ended`, "");
    return {};
  })
  .addEdge(START, "work")
  .addEdge("work", END)
  .compile();
