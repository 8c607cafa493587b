import { type BaseMessage, ToolMessage } from "@langchain/core/messages";
import {
  Annotation,
  END,
  entrypoint,
  interrupt,
  messagesStateReducer,
  START,
  StateGraph,
} from "@langchain/langgraph";

const State = Annotation.Root({
  doc: Annotation<unknown>,
  answer: Annotation<unknown>,
  messages: Annotation<BaseMessage[]>({ reducer: messagesStateReducer, default: () => [] }),
});

/** Puts what it is given into a tool's artifact, asks a question with it, and keeps the answer. */
export const graph = new StateGraph(State)
  .addNode("tool", ({ doc }) => ({
    messages: [new ToolMessage({ content: "done", tool_call_id: "c", artifact: doc })],
  }))
  .addNode("ask", ({ doc }) => ({ answer: interrupt(doc) }))
  .addEdge(START, "tool")
  .addEdge("tool", "ask")
  .addEdge("ask", END)
  .compile();

/** Returns its input. */
export const returns = entrypoint("returns", async (input: unknown) => input);

/** Adds one to an integer of any size, which it keeps from run to run. */
export const large = new StateGraph(Annotation.Root({ count: Annotation<bigint>, kind: Annotation<string> }))
  .addNode("add", ({ count = 2n ** 70n }) => ({ kind: typeof count, count: count + 1n }))
  .addEdge(START, "add")
  .addEdge("add", END)
  .compile();
