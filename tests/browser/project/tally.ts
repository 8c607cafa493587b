import { END, START, StateGraph } from "@langchain/langgraph";
import { z } from "zod";

const Input = z.object({ word: z.string(), times: z.number().int().min(1).max(9) });
const State = Input.extend({ report: z.object({ letters: z.number() }).optional() });

/** Takes no messages: counts the letters of a word that is said several times. */
export const graph = new StateGraph({ state: State, input: Input })
  .addNode("count", ({ word, times }) => ({ report: { letters: word.length * times } }))
  .addEdge(START, "count")
  .addEdge("count", END)
  .compile();
