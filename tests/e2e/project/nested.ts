import { FakeListChatModel } from "@langchain/core/utils/testing";
import { MessagesAnnotation, StateGraph } from "@langchain/langgraph";

const model = (answer: string) => new FakeListChatModel({ responses: [answer] });

const inner = new StateGraph(MessagesAnnotation)
  .addNode("speak", async () => ({ messages: [await model("from the subgraph").invoke("?")] }))
  .addEdge("__start__", "speak")
  .compile();

/** A model speaks in a subgraph that is a node, then in one that a node calls, then in the graph itself. */
export const graph = new StateGraph(MessagesAnnotation)
  .addNode("sub", inner)
  .addNode("called", async (state, config) => ({
    messages: (await inner.invoke(state, config)).messages.slice(-1),
  }))
  .addNode("own", async () => ({ messages: [await model("from the graph").invoke("?")] }))
  .addEdge("__start__", "sub")
  .addEdge("sub", "called")
  .addEdge("called", "own")
  .compile();
