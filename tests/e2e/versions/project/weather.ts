import { tool } from "@langchain/core/tools";
import { z } from "zod";

export const weather = tool(({ city }: { city: string }) => `It is sunny in ${city}`, {
  name: "weather",
  description: "Says how the weather is.",
  schema: z.object({ city: z.string() }),
});
