import { END, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { getLogger } from "@langchain/langgraph-sdk/logging";

const log = getLogger();

log.info("loading {braces}", { part: "agent" }).debug("chained");

/** Says what it does through the logger that the server gives. */
export const graph = new StateGraph(MessagesAnnotation)
  .addNode("speak", async () => {
    const circle: Record<string, unknown> = { big: 12n };
    circle.itself = circle;
    log.warn("in a node", { apiKey: "sk-hidden", level: "fatal", run: "not mine", circle });
    await Promise.resolve();
    log.error({ message: "one object", code: 7 });
    log.error(new Error("thrown away"));
    log.silly("too quiet to be seen");
    return {};
  })
  .addEdge(START, "speak")
  .addEdge("speak", END)
  .compile();
