import {
  Annotation,
  END,
  type LangGraphRunnableConfig,
  START,
  StateGraph,
  StreamChannel,
} from "@langchain/langgraph";
import { getLogger } from "@langchain/langgraph-sdk/logging";

const log = getLogger();

log.info("the agent is loaded");

const State = Annotation.Root({
  question: Annotation<string>(),
  answers: Annotation<string[]>({ reducer: (left, right) => [...left, ...right], default: () => [] }),
});

const Configuration = Annotation.Root({
  tone: Annotation<"calm" | "loud">(),
  retries: Annotation<number>(),
});

type Config = LangGraphRunnableConfig<typeof Configuration.State>;

/** Tells which nodes have run, one after the other. */
function progress() {
  const nodes = StreamChannel.remote<string>("progress");
  return {
    init: () => ({ nodes }),
    process(event: { method: string; params: { data: unknown } }) {
      const { node } = event.params.data as { node?: string };
      if (event.method === "updates" && node) nodes.push(node);
      return true;
    },
  };
}

export const graph = new StateGraph(State, Configuration)
  .addNode("think", ({ question }) => {
    log.warn("thinking", { question });
    return {};
  })
  .addNode("answer", ({ question }, { configurable }: Config) => ({
    answers: [configurable?.tone === "loud" ? question.toUpperCase() : question],
  }))
  .addEdge(START, "think")
  .addEdge("think", "answer")
  .addEdge("answer", END)
  .compile({ transformers: [progress] });
