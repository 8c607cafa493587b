import { AIMessage } from "@langchain/core/messages";
import { Annotation, END, interrupt, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";

const State = Annotation.Root({
  ...MessagesAnnotation.spec,
  log: Annotation<string[]>({ reducer: (all, added) => all.concat(added), default: () => [] }),
});

/** Drafts, asks whether that is all right, and says what it was answered. */
export const graph = new StateGraph(State)
  .addNode("draft", () => ({ log: ["draft"] }))
  .addNode("approve", () => {
    const answer = interrupt({ question: "ok?", text: "draft" });
    const text = `answer: ${JSON.stringify(answer)}`;
    return { log: [text], messages: [new AIMessage({ id: crypto.randomUUID(), content: text })] };
  })
  .addEdge(START, "draft")
  .addEdge("draft", "approve")
  .addEdge("approve", END)
  .compile();
