import { AIMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import {
  END,
  type GraphNode,
  interrupt,
  MessagesValue,
  START,
  StateGraph,
  StateSchema,
} from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
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

// Replace the body with a real mail service: nothing reaches it before a person has agreed.
const sendEmail = tool(({ to, subject }) => `The email “${subject}” to ${to} is on its way.`, {
  name: "send_email",
  description: "Sends an email. A person approves it first.",
  schema: z.object({ to: z.string(), subject: z.string(), body: z.string() }),
});

const tools = [getWeather, sendEmail];
const needApproval = new Set(["send_email"]);
const model = (await chooseModel()).bindTools(tools);
const prompt = new SystemMessage("You help with email. Say plainly when an email was not sent.");

const Approval = z.union([
  z.literal(true),
  z.string().regex(/^\s*(approved?|yes|ok)\s*$/i),
  z.object({ type: z.literal("approve") }),
  z.object({ decisions: z.tuple([z.object({ type: z.literal("approve") })]) }),
]);
const Reason = z.union([
  z.string(),
  z.object({ message: z.string() }).transform((answer) => answer.message),
  z
    .object({ decisions: z.tuple([z.object({ message: z.string() })]) })
    .transform(({ decisions: [answer] }) => answer.message),
]);

const callModel: GraphNode<typeof State> = async ({ messages }, config) => ({
  messages: [await model.invoke([prompt, ...messages], config)],
});

/**
 * Asks a person about each call that needs approval. The run pauses at `interrupt` and goes on with the
 * person's answer: `true`, "approve", "yes", `{ "type": "approve" }` or one such decision in `decisions` lets the
 * call through; any other answer declines it, and its text (or `message`) tells the model why.
 */
const review: GraphNode<typeof State> = ({ messages }) => {
  const declined: ToolMessage[] = [];
  for (const { id = "", name, args } of toolCalls(messages).filter((call) => needApproval.has(call.name))) {
    const answer: unknown = interrupt(question(name, args));
    if (Approval.safeParse(answer).success) continue;
    const reason = Reason.safeParse(answer).data ?? "no reason given";
    const content = `The person declined: ${reason}`;
    declined.push(new ToolMessage({ content, name, tool_call_id: id, status: "error" }));
  }
  return { messages: declined };
};

/** Words for a person, and the same in the form that Agent Chat UI, Agent Inbox and deep-agents-ui read. */
function question(name: string, args: Record<string, unknown>) {
  const description = `Shall I run ${name}?`;
  return {
    question: description,
    tool: name,
    args,
    action_requests: [{ name, args, description }],
    review_configs: [{ action_name: name, allowed_decisions: ["approve", "reject"] }],
  };
}

function toolCalls(messages: (typeof State.State)["messages"]) {
  const last = messages.at(-1);
  return AIMessage.isInstance(last) ? (last.tool_calls ?? []) : [];
}

function afterModel({ messages }: typeof State.State) {
  const calls = toolCalls(messages);
  if (calls.length === 0) return END;
  return calls.some((call) => needApproval.has(call.name)) ? "review" : "tools";
}

/** `ToolNode` skips the calls that `review` has already answered. The server brings the checkpointer. */
export const graph = new StateGraph(State)
  .addNode("model", callModel)
  .addNode("review", review)
  .addNode("tools", new ToolNode(tools))
  .addEdge(START, "model")
  .addConditionalEdges("model", afterModel, ["review", "tools", END])
  .addEdge("review", "tools")
  .addEdge("tools", "model")
  .compile();
