import { AIMessage } from "@langchain/core/messages";
import {
  Annotation,
  interrupt,
  type LangGraphRunnableConfig,
  MessagesAnnotation,
  StateGraph,
} from "@langchain/langgraph";
import type { Answer, Question } from "./inbox.js";

const State = Annotation.Root({
  ...MessagesAnnotation.spec,
  draft: Annotation<Record<string, string> | null>,
});
type State = typeof State.State;

const WISHES = ["email", "wishes"];

const say = (text: string) => ({ messages: [new AIMessage(text)] });
const last = ({ messages }: State) => String(messages.at(-1)?.content);

/** Writes a draft as the person has wished so far. */
async function write(state: State, { store }: LangGraphRunnableConfig) {
  const tone = (await store?.get(WISHES, "tone"))?.value.text ?? "plain";
  return { draft: { to: "ada@example.com", body: `${last(state)} (${tone})` } };
}

/** Asks before anything is sent; remembers what the person wishes. */
async function review({ draft }: State, { store }: LangGraphRunnableConfig) {
  const question: Question = {
    action_request: { action: "send_email", args: draft ?? {} },
    config: { allow_accept: true, allow_edit: true, allow_respond: true, allow_ignore: true },
    description: `# To ${draft?.to}\n\n${draft?.body}`,
  };
  const [answer] = interrupt<Question[], Answer[]>([question]);
  if (answer?.type === "accept") return say(`Done: ${draft?.body}`);
  if (answer?.type === "edit") return say(`Done: ${answer.args.args.body}`);
  if (answer?.type === "response") {
    await store?.put(WISHES, "tone", { text: answer.args });
    return say(`Next time: ${answer.args}`);
  }
  return say("Left alone");
}

const answer = ({ messages }: State) => say(`I have read ${messages.length} messages`);

export const graph = new StateGraph(State)
  .addNode("answer", answer)
  .addNode("write", write)
  .addNode("review", review)
  .addConditionalEdges("__start__", (state) => (last(state).includes("send") ? "write" : "answer"))
  .addEdge("write", "review")
  .addEdge("review", "__end__")
  .addEdge("answer", "__end__")
  .compile();
