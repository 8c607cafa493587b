import {
  END,
  type LangGraphRunnableConfig,
  MessagesAnnotation,
  START,
  StateGraph,
  StreamChannel,
} from "@langchain/langgraph";
import { echo, questionIn, ScriptedModel } from "./scripted-model.ts";

const model = new ScriptedModel(echo);

type Seen = { method: string; params: { data: unknown } };

/** Tells what it sees as it goes, and at the end how much that was. */
function activity() {
  const steps = StreamChannel.remote<{ node: string }>("steps");
  const local = StreamChannel.local<string>();
  const { promise, resolve } = Promise.withResolvers<Record<string, number>>();
  const counts: Record<string, number> = {};
  return {
    init: () => ({ steps, local, counts: promise }),
    process({ method, params: { data } }: Seen) {
      counts[method] = (counts[method] ?? 0) + 1;
      local.push(method);
      const { node } = data as { node?: string };
      if (method === "updates" && node) steps.push({ node });
      return true;
    },
    finalize: () => resolve(counts),
  };
}

/** Puts the words of a model's answer together, from the protocol's own events of messages. */
function spoken() {
  const words = new StreamChannel<string>("spoken");
  return {
    init: () => ({ words }),
    process({ method, params: { data } }: Seen) {
      const { event, delta } = data as { event?: string; delta?: { text?: string } };
      if (method === "messages" && event === "content-block-delta" && delta?.text) words.push(delta.text);
      return true;
    },
  };
}

/** Of no interest to clients, and made in vain for none. */
const silent = () => ({ init: () => ({ nothing: 1 }), process: () => true });

/** Two nodes, seen by transformers that were compiled in. */
export const graph = new StateGraph(MessagesAnnotation)
  .addNode("agent", async ({ messages }, config: LangGraphRunnableConfig) => {
    config.writer?.({ name: "own", payload: "of the node" });
    return { messages: [await model.invoke(messages, config)] };
  })
  .addNode("check", ({ messages }) => {
    if (questionIn(messages) === "fail") throw new Error("as asked");
    return {};
  })
  .addEdge(START, "agent")
  .addEdge("agent", "check")
  .addEdge("check", END)
  .compile({ transformers: [activity, silent, spoken] });
