import { tool } from "@langchain/core/tools";
import { createReactAgent } from "@langchain/langgraph/prebuilt";
import { z } from "zod";
import { CountingModel } from "./model.ts";

const weather = tool(({ city }: { city: string }) => `It is sunny in ${city}`, {
  name: "weather",
  description: "Says how the weather is.",
  schema: z.object({ city: z.string() }),
});

export const agent = createReactAgent({ llm: new CountingModel(), tools: [weather] });
