import type { RunnableConfig } from "@langchain/core/runnables";
import { END, START, StateGraph } from "@langchain/langgraph";
import { z } from "zod";

const Measured = z.object({ word: z.string(), length: z.number().optional(), tone: z.string().optional() });
const Settings = z.object({ tone: z.string().optional() });

/** State and configuration in zod. */
export const measured = new StateGraph(Measured, Settings)
  .addNode("measure", ({ word }: z.infer<typeof Measured>, { configurable }: RunnableConfig) => ({
    length: word.length,
    tone: String(configurable?.tone ?? "plain"),
  }))
  .addEdge(START, "measure")
  .addEdge("measure", END)
  .compile();
