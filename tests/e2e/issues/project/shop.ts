import { tool } from "@langchain/core/tools";
import { Annotation, END, type LangGraphRunnableConfig, START, StateGraph } from "@langchain/langgraph";
import { z } from "zod";

const State = Annotation.Root({
  order: Annotation<number>,
  fault: Annotation<string | undefined>,
  found: Annotation<string>,
});

/** Fails as it is asked to, in words that vary from order to order. */
const searchOrders = tool(
  async ({ order, fault }) => {
    if (fault === "refused") throw new Error(`connect ECONNREFUSED 10.0.3.${order}:5432`);
    if (fault === "broken") throw new TypeError(`order ${order} in /srv/data/${order}.json has no items`);
    if (fault) throw new RangeError(fault);
    return `order ${order}`;
  },
  {
    name: "search_orders",
    description: "Finds an order",
    schema: z.object({ order: z.number(), fault: z.string().optional() }),
  },
);

async function search({ order, fault }: typeof State.State, config: LangGraphRunnableConfig) {
  return { found: await searchOrders.invoke({ order, fault }, config) };
}

export const graph = new StateGraph(State)
  .addNode("search", search)
  .addEdge(START, "search")
  .addEdge("search", END)
  .compile();
