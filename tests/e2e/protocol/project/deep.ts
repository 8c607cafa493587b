import { type BaseMessage, HumanMessage, isAIMessage, ToolMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import {
  Command,
  END,
  type LangGraphRunnableConfig,
  MessagesAnnotation,
  Send,
  START,
  StateGraph,
} from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { z } from "zod";
import { questionIn, type Reply, resultsIn, type Script, ScriptedModel, turnOf } from "./scripted-model.ts";

type State = typeof MessagesAnnotation.State;

/** One task for each call, so that each has a namespace of its own. */
function callsIn(state: State) {
  const last = state.messages.at(-1);
  const calls = last && isAIMessage(last) ? (last.tool_calls ?? []) : [];
  return calls.length === 0 ? END : calls.map((call) => new Send("tools", { ...state, lg_tool_call: call }));
}

/** The loop that deep agents are made of, with their names of nodes. */
function loop(script: Script, tools: ConstructorParameters<typeof ToolNode>[0]) {
  const model = new ScriptedModel(script, 1);
  return new StateGraph(MessagesAnnotation)
    .addNode("model_request", async ({ messages }, config: LangGraphRunnableConfig) => ({
      messages: [await model.invoke(messages, config)],
    }))
    .addNode("tools", new ToolNode(tools))
    .addEdge(START, "model_request")
    .addConditionalEdges("model_request", callsIn, ["tools", END])
    .addEdge("tools", "model_request")
    .compile();
}

const searchWeb = tool(({ query }) => `results for ${query}`, {
  name: "search_web",
  description: "Searches",
  schema: z.object({ query: z.string() }),
});

function search(messages: BaseMessage[]): Reply {
  const [found] = resultsIn(messages);
  if (found !== undefined) return { text: `Findings: ${found}` };
  const query = questionIn(messages);
  return {
    text: "",
    calls: [{ id: `call_${query.replace(/\W+/g, "_")}`, name: "search_web", args: { query } }],
  };
}

const researcher = loop(search, [searchWeb]);

const task = tool(
  async ({ description }, config) => {
    const { messages } = await researcher.invoke({ messages: [new HumanMessage(description)] }, config);
    const content = messages.at(-1)?.text ?? "";
    const answer = new ToolMessage({ content, name: "task", tool_call_id: config.toolCall?.id ?? "" });
    return new Command({ update: { messages: [answer] } });
  },
  {
    name: "task",
    description: "Hands a piece of work to a subagent",
    schema: z.object({ description: z.string(), subagent_type: z.string() }),
  },
);

/** Hands two pieces of work to subagents at once, then says what they found. */
function coordinate(messages: BaseMessage[]): Reply {
  const results = resultsIn(messages);
  if (results.length > 0) return { text: `Final answer: ${[...results].sort().join(" and ")}` };
  const turn = turnOf(messages);
  const hand = (place: number, subject: string, subagent_type: string) => ({
    id: `call_task_${turn}_${place}`,
    name: "task",
    args: { description: `Research ${subject} for question ${turn}`, subagent_type },
  });
  return { text: "Delegating. ", calls: [hand(1, "streams", "researcher"), hand(2, "sums", "math-whiz")] };
}

export const graph = loop(coordinate, [task]);
