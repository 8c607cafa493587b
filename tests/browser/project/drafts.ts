import { AIMessage } from "@langchain/core/messages";
import { interrupt, MessagesAnnotation, StateGraph } from "@langchain/langgraph";

const ALL = { allow_accept: true, allow_edit: true, allow_respond: true, allow_ignore: true };
const draft = (to: string, config: object) => ({
  action_request: { action: "send_email", args: { to, body: "The launch is on Friday." } },
  config,
  description: `# A draft to ${to}\n\nIt tells of **the launch**.`,
});

/** Asks about one draft, or about two, or for words, and repeats what it was answered. */
export const graph = new StateGraph(MessagesAnnotation)
  .addNode("review", ({ messages }) => {
    const one = draft("ada@example.com", ALL);
    const two = draft("grace@example.com", { ...ALL, allow_accept: false, allow_edit: false });
    const wanted = String(messages.at(-1)?.content);
    const question = wanted.includes("words") ? { question: "What shall it say?" } : one;
    const answer = interrupt<unknown, unknown>(wanted.includes("two") ? [one, two] : question);
    return { messages: [new AIMessage(`\`${JSON.stringify(answer)}\``)] };
  })
  .addEdge("__start__", "review")
  .compile();
