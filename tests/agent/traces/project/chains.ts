import { AIMessage } from "@langchain/core/messages";
import { StringOutputParser } from "@langchain/core/output_parsers";
import { ChatPromptTemplate } from "@langchain/core/prompts";
import { RunnableLambda, RunnableMap, RunnableSequence } from "@langchain/core/runnables";
import { tool } from "@langchain/core/tools";
import { MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { z } from "zod";
import { SpokenModel } from "./spoken-model.ts";

const double = RunnableLambda.from(async function double(n: number) {
  if (n < 0) throw new RangeError(`no double of ${n}`);
  return n * 2;
});
const hidden = double.withConfig({ tags: ["langsmith:hidden"] });
const prompt = ChatPromptTemplate.fromTemplate("say {word}");
const speak = RunnableSequence.from([prompt, new SpokenModel(), new StringOutputParser()]);
const both = RunnableMap.from({ one: double, two: double });

/** Lasts as long as it is told, and calls a chain. */
const wait = tool(
  async ({ ms }) => {
    await Bun.sleep(ms);
    return String(await double.invoke(ms));
  },
  { name: "wait", description: "Waits", schema: z.object({ ms: z.number() }) },
);
const call = (id: string, ms: number) => ({
  ...{ type: "tool_call" as const, id, name: "wait", args: { ms } },
});

/** What a node calls of LangChain that is no model and no tool, and tools side by side. */
export const graph = new StateGraph(MessagesAnnotation)
  .addNode("many", async () => {
    for (let n = 0; n < 200; n++) await double.invoke(n);
    return {};
  })
  .addNode("kinds", async () => {
    await hidden.invoke(1);
    await speak.invoke({ word: "hi" });
    await both.invoke(1);
    await double.invoke(-1).catch(() => undefined);
    return {};
  })
  .addNode("streams", async () => {
    for await (const _ of await speak.stream({ word: "ho" }));
    return {};
  })
  .addNode(
    "itself",
    RunnableLambda.from(async () => ({})),
  )
  .addNode("asks", () => ({
    messages: [
      new AIMessage({ content: "", tool_calls: [call("c-1", 300), call("c-2", 30), call("c-3", 150)] }),
    ],
  }))
  .addNode("tools", new ToolNode([wait]))
  .addEdge(START, "many")
  .addEdge("many", "kinds")
  .addEdge("kinds", "streams")
  .addEdge("streams", "itself")
  .addEdge("itself", "asks")
  .addEdge("asks", "tools")
  .compile();
