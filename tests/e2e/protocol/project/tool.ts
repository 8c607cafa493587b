import { type BaseMessage, isAIMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import {
  END,
  type LangGraphRunnableConfig,
  MessagesAnnotation,
  START,
  StateGraph,
} from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { z } from "zod";
import { questionIn, type Reply, resultsIn, ScriptedModel, turnOf } from "./scripted-model.ts";

const schema = z.object({ city: z.string() });

const getWeather = tool(({ city }) => `Sunny in ${city}`, {
  name: "get_weather",
  description: "The weather of a city",
  schema,
});

const breakDown = tool(
  () => {
    throw new Error("the tool broke down");
  },
  { name: "break_down", description: "Throws", schema },
);

/** Calls a tool for each question; `broken` in it calls the one that throws. */
function script(messages: BaseMessage[]): Reply {
  const results = resultsIn(messages);
  if (results.length > 0) return { text: `It is: ${results.join(" and ")}` };
  const name = questionIn(messages).includes("broken") ? "break_down" : "get_weather";
  return {
    text: "Checking. ",
    calls: [{ id: `call_${turnOf(messages)}`, name, args: { city: "Paris on the Seine" } }],
  };
}

const model = new ScriptedModel(script);

function next({ messages }: { messages: BaseMessage[] }) {
  const last = messages.at(-1);
  return last && isAIMessage(last) && last.tool_calls?.length ? "tools" : END;
}

/** Model, tool, model. */
export const graph = new StateGraph(MessagesAnnotation)
  .addNode("agent", async ({ messages }, config: LangGraphRunnableConfig) => ({
    messages: [await model.invoke(messages, config)],
  }))
  .addNode("tools", new ToolNode([getWeather, breakDown]))
  .addEdge(START, "agent")
  .addConditionalEdges("agent", next, ["tools", END])
  .addEdge("tools", "agent")
  .compile();
