import { randomUUID } from "node:crypto";
import { AIMessage } from "@langchain/core/messages";
import {
  Annotation,
  interrupt,
  type LangGraphRunnableConfig,
  MessagesAnnotation,
  StateGraph,
} from "@langchain/langgraph";
import { typedUi, uiMessageReducer } from "@langchain/langgraph-sdk/react-ui/server";
import type components from "./ui/index.js";

const State = Annotation.Root({
  ...MessagesAnnotation.spec,
  ui: Annotation({ reducer: uiMessageReducer, default: () => [] }),
});
type State = typeof State.State;

const last = ({ messages }: State) => String(messages.at(-1)?.content);

/** Shows the weather under its message, and corrects what it shows before it ends. */
async function weather(_: State, config: LangGraphRunnableConfig) {
  const ui = typedUi<typeof components>(config);
  const message = new AIMessage({ id: randomUUID(), content: "Here is the weather." });
  const shown = ui.push({ name: "weather", props: { city: "Lisbon", degrees: 20 } }, { message });
  ui.push({ id: shown.id, name: "weather", props: { degrees: 21 } } as never, { message, merge: true });
  const gone = ui.push({ name: "weather", props: { city: "Nowhere", degrees: 0 } }, { message });
  ui.delete(gone.id);
  return { messages: [message] };
}

/** Shows what the module lacks, and something that fails. */
async function faulty(_: State, config: LangGraphRunnableConfig) {
  const ui = typedUi(config);
  const message = new AIMessage({ id: randomUUID(), content: "" });
  ui.push({ name: "missing", props: {} }, { message });
  ui.push({ name: "failing", props: {} }, { message });
  return { messages: [message] };
}

function review(state: State) {
  const answer = interrupt<{ question: string }, string>({ question: `Shall I ${last(state)}?` });
  return { messages: [new AIMessage(`Done: ${answer}`)] };
}

const answer = ({ messages }: State) => ({
  messages: [new AIMessage(`I have read ${messages.length} messages`)],
});

function next(state: State) {
  const said = last(state);
  if (said.includes("weather")) return "weather";
  if (said.includes("faulty")) return "faulty";
  return said.includes("send") ? "review" : "answer";
}

export const graph = new StateGraph(State)
  .addNode("weather", weather)
  .addNode("faulty", faulty)
  .addNode("review", review)
  .addNode("answer", answer)
  .addConditionalEdges("__start__", next, ["weather", "faulty", "review", "answer"])
  .addEdge("weather", "__end__")
  .addEdge("faulty", "__end__")
  .addEdge("review", "__end__")
  .addEdge("answer", "__end__")
  .compile();
