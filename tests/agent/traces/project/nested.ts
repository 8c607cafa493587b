import { tool } from "@langchain/core/tools";
import { MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { z } from "zod";
import { SpokenModel } from "./spoken-model.ts";

const model = new SpokenModel();
const below = new StateGraph(MessagesAnnotation)
  .addNode("inner", async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
  .addEdge(START, "inner")
  .compile();
const ask = tool(
  async ({ question }) => {
    const [direct, { messages }] = await Promise.all([
      model.invoke(question),
      below.invoke({ messages: [{ role: "user", content: question }] }),
    ]);
    return `${direct.text}; ${messages.at(-1)?.text}`;
  },
  { name: "ask", description: "Asks somebody else", schema: z.object({ question: z.string() }) },
);

/** Two tools side by side, each of which calls a model and a graph that does; and a graph as a node. */
export const graph = new StateGraph(MessagesAnnotation)
  .addNode("outer", async () => {
    await Promise.all(["first", "second"].map((question) => ask.invoke({ question })));
    return {};
  })
  .addNode("below", below)
  .addEdge(START, "outer")
  .addEdge("outer", "below")
  .compile();
