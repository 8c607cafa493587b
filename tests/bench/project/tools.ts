import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import type { ChatResult } from "@langchain/core/outputs";
import { tool } from "@langchain/core/tools";
import { END, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { ToolNode, toolsCondition } from "@langchain/langgraph/prebuilt";
import { z } from "zod";

const ROUNDS = 2;

/** A model that asks for two tools twice, and then says that it is done. */
class ToolModel extends BaseChatModel {
  constructor() {
    super({});
  }

  _llmType(): string {
    return "tools";
  }

  async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const asked = messages.filter((message) => message.getType() === "ai").length;
    const message =
      asked < ROUNDS
        ? new AIMessage({
            content: "",
            tool_calls: ["Oslo", "Rome"].map((city, at) => callOf(city, asked, at)),
          })
        : new AIMessage("done");
    return { generations: [{ message, text: String(message.content) }] };
  }
}

const callOf = (city: string, asked: number, at: number) => ({
  ...{ id: `call-${asked}-${at}`, name: "weather", args: { city }, type: "tool_call" as const },
});

const weather = tool(({ city }) => `It is sunny in ${city}, and will be all day.`, {
  name: "weather",
  description: "Tells the weather of a city.",
  schema: z.object({ city: z.string() }),
});

const model = new ToolModel();

/** An agent with tools: three calls of a model, four of a tool. */
export const graph = new StateGraph(MessagesAnnotation)
  .addNode("model", async ({ messages }, config) => ({ messages: [await model.invoke(messages, config)] }))
  .addNode("tools", new ToolNode([weather]))
  .addEdge(START, "model")
  .addConditionalEdges("model", toolsCondition, ["tools", END])
  .addEdge("tools", "model")
  .compile();
