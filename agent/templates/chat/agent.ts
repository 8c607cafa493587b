import { SystemMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { END, type GraphNode, MessagesValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { ToolNode, toolsCondition } from "@langchain/langgraph/prebuilt";
import { z } from "zod";
import { chooseModel } from "../every-project/model.ts";

const State = new StateSchema({ messages: MessagesValue });

const getWeather = tool(
  ({ city }) => {
    // The one place without a station shows what a failing tool looks like.
    if (city === "Atlantis") throw new Error("There is no weather station in Atlantis.");
    return `It is 18 °C and sunny in ${city}.`;
  },
  {
    name: "get_weather",
    description: "Tells the present weather of a city.",
    schema: z.object({ city: z.string().describe("The name of the city") }),
  },
);

const tools = [getWeather];
const model = (await chooseModel()).bindTools(tools);
const prompt = new SystemMessage("You are a friendly assistant. Use the weather tool where it helps.");

const callModel: GraphNode<typeof State> = async ({ messages }, config) => ({
  messages: [await model.invoke([prompt, ...messages], config)],
});

/** A model that calls tools until it has an answer. The server brings the checkpointer. */
export const graph = new StateGraph(State)
  .addNode("model", callModel)
  .addNode("tools", new ToolNode(tools))
  .addEdge(START, "model")
  .addConditionalEdges("model", toolsCondition, ["tools", END])
  .addEdge("tools", "model")
  .compile();
