import { END, type LangGraphRunnableConfig, START, StateGraph } from "@langchain/langgraph";
import { z } from "zod";

const State = z.object({
  text: z.string().describe("What to say"),
  times: z.number().int().min(1).max(9).optional(),
  thread: z.string().optional(),
  header: z.string().optional(),
});

/** Knows the types of its input, says it as often as it is told, and tells where it ran. */
export const graph = new StateGraph(State)
  .addNode("say", ({ text, times = 1 }, { configurable }: LangGraphRunnableConfig) => ({
    text: Array.from({ length: times }, () => text).join(" "),
    thread: String(configurable?.thread_id),
    header: String(configurable?.["x-colour"]),
  }))
  .addEdge(START, "say")
  .addEdge("say", END)
  .compile();
