import { AIMessage } from "@langchain/core/messages";
import { END, MessagesValue, type Runtime, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { z } from "zod";

const Context = z.object({ prompt: z.string().optional() });

/** Repeats the last message in the words of its prompt. */
export const graph = new StateGraph(new StateSchema({ messages: MessagesValue }), Context)
  .addNode("repeat", ({ messages }, { context }: Runtime<z.infer<typeof Context>>) => ({
    messages: [new AIMessage(`${context?.prompt ?? "You said"}: ${messages.at(-1)?.text}`)],
  }))
  .addEdge(START, "repeat")
  .addEdge("repeat", END)
  .compile();
