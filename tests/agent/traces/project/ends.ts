import { Annotation, interrupt, type LangGraphRunnableConfig, START, StateGraph } from "@langchain/langgraph";

class Nameless extends Error {}

const State = Annotation.Root({ how: Annotation<string> });

let tries = 0;

/** Ends as it is told: throws, asks, waits for ever, or succeeds at the second try. */
export const graph = new StateGraph(State)
  .addNode(
    "end",
    async ({ how }, config: LangGraphRunnableConfig) => {
      if (how === "throws") throw new Nameless("row 17 is broken");
      if (how === "asks") interrupt("may I?");
      if (how === "retries" && tries++ === 0) throw new Error("busy");
      if (how === "waits") {
        await new Promise((_, reject) => {
          config.signal?.addEventListener("abort", () => reject(config.signal?.reason));
        });
      }
      return {};
    },
    {
      retryPolicy: {
        maxAttempts: 2,
        initialInterval: 1,
        jitter: false,
        retryOn: (e) => e.message === "busy",
      },
    },
  )
  .addEdge(START, "end")
  .compile();
