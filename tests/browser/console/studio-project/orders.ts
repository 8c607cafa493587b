import { setTimeout as sleep } from "node:timers/promises";
import {
  END,
  interrupt,
  ReducedValue,
  type Runtime,
  START,
  StateGraph,
  StateSchema,
} from "@langchain/langgraph";
import { z } from "zod";

const list = () =>
  new ReducedValue(z.array(z.string()).default([]), {
    inputSchema: z.array(z.string()),
    reducer: (before: string[], more: string[]) => before.concat(more),
  });

const State = new StateSchema({
  order: z.string().describe("What is ordered, separated by commas"),
  currency: z.string().default("EUR").describe("Three letters, as in EUR"),
  items: list(),
  total: z.number().default(0),
  answer: z.string().default(""),
});

const Context = z.object({
  prompt: z.string().optional().describe("How the answer begins"),
  model: z.enum(["small", "large"]).optional(),
});

const RATES: Record<string, number> = { EUR: 10, USD: 11 };

const Parcel = new StateSchema({ total: z.number().default(0), answer: z.string().default("") });

/** An inside of its own: packs, then labels. */
const shipping = new StateGraph(Parcel)
  .addNode("pack", () => ({}))
  .addNode("label", ({ total }) => ({ answer: `On its way for ${total}` }))
  .addEdge(START, "pack")
  .addEdge("pack", "label")
  .addEdge("label", END)
  .compile();

/** Fails for a currency without a rate; asks a person about more than 40. */
export const graph = new StateGraph(State, Context)
  .addNode("read", async ({ order }) => {
    // Long enough for a person, and a test, to see it at work.
    await sleep(order.includes("slow") ? 2_000 : 0);
    return { items: order.split(",").map((item) => item.trim()) };
  })
  .addNode("price", ({ items, currency }) => {
    const rate = RATES[currency];
    if (rate === undefined) throw new Error(`There is no rate for ${currency}.`);
    return { total: items.length * rate };
  })
  .addNode("approve", ({ total }) => {
    const said = interrupt({ question: `Ship for ${total}?`, total });
    return said === "no" ? { answer: "Not shipped" } : {};
  })
  .addNode("ship", shipping)
  .addNode("confirm", async (state, { context }: Runtime<z.infer<typeof Context>>) => {
    const { order, answer, total, currency } = state;
    await sleep(order.includes("late") ? 2_000 : 0);
    return {
      answer: `${context?.prompt ?? "Done"}: ${answer}, ${total} ${currency} (${context?.model ?? "no"} model)`,
    };
  })
  .addEdge(START, "read")
  .addEdge("read", "price")
  .addConditionalEdges("price", ({ total }) => (total > 40 ? "approve" : "ship"), ["approve", "ship"])
  .addConditionalEdges("approve", ({ answer }) => (answer === "Not shipped" ? END : "ship"), ["ship", END])
  .addEdge("ship", "confirm")
  .addEdge("confirm", END)
  .compile();
