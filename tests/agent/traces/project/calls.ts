import { tool } from "@langchain/core/tools";
import { MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { z } from "zod";
import { SpokenModel } from "./spoken-model.ts";

class StationUnknown extends Error {}

const weather = tool(
  async ({ city }) => {
    if (city === "Atlantis") throw new StationUnknown(`no station in ${city}`);
    return `18 °C in ${city}`;
  },
  { name: "weather", description: "The weather of a city", schema: z.object({ city: z.string() }) },
);
const model = new SpokenModel();
const silent = new SpokenModel(true);

/** A model call in one node, two tool calls in another, of which one fails and is caught. */
export const graph = new StateGraph(MessagesAnnotation)
  .addNode("think", async ({ messages }) => {
    const chosen = messages.at(-1)?.text === "whole" ? silent : model;
    return { messages: [await chosen.invoke(messages)] };
  })
  .addNode("act", async () => {
    const call = (id: string, city: string) => ({
      ...{ type: "tool_call" as const, id, name: "weather", args: { city } },
    });
    const said = await weather.invoke(call("call-1", "Berlin"));
    await weather.invoke(call("call-2", "Atlantis")).catch(() => undefined);
    return { messages: [said] };
  })
  .addEdge(START, "think")
  .addEdge("think", "act")
  .compile();
