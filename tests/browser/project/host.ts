import { AIMessage } from "@langchain/core/messages";
import { END, MessagesValue, type Runtime, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { z } from "zod";

const Context = z.object({
  name: z.string().optional().describe("Whom to greet"),
  tone: z.enum(["warm", "formal"]).optional(),
  times: z.number().optional(),
  loud: z.boolean().optional(),
  languages: z.array(z.string()).optional(),
});

/** Repeats the settings that it was given. */
export const graph = new StateGraph(new StateSchema({ messages: MessagesValue }), Context)
  .addNode("greet", (_state, { context }: Runtime<z.infer<typeof Context>>) => ({
    messages: [new AIMessage(`\`${JSON.stringify(context ?? {})}\``)],
  }))
  .addEdge(START, "greet")
  .addEdge("greet", END)
  .compile();
