import { setTimeout as sleep } from "node:timers/promises";
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
import { resultsIn, ScriptedModel, turnOf } from "../../e2e/protocol/project/scripted-model.ts";

const look = tool(
  async ({ direction }) => {
    await sleep(1000);
    return `A ship in the ${direction}.`;
  },
  { name: "look", description: "Looks out, for a second", schema: z.object({ direction: z.string() }) },
);

const model = new ScriptedModel((messages) => {
  const [seen] = resultsIn(messages);
  if (seen) return { text: seen };
  const call = { id: `call_${turnOf(messages)}`, name: "look", args: { direction: "north" } };
  return { text: "I look. ", calls: [call] };
});

function next({ messages }: { messages: BaseMessage[] }) {
  const last = messages.at(-1);
  return last && isAIMessage(last) && last.tool_calls?.length ? "tools" : END;
}

/** Model, a tool that takes its time, model. */
export const graph = new StateGraph(MessagesAnnotation)
  .addNode("agent", async ({ messages }, config: LangGraphRunnableConfig) => ({
    messages: [await model.invoke(messages, config)],
  }))
  .addNode("tools", new ToolNode([look]))
  .addEdge(START, "agent")
  .addConditionalEdges("agent", next, ["tools", END])
  .addEdge("tools", "agent")
  .compile();
