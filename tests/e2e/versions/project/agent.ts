import { createReactAgent } from "@langchain/langgraph/prebuilt";
import { CountingModel } from "./model.ts";
import { weather } from "./weather.ts";

export const agent = createReactAgent({ llm: new CountingModel(), tools: [weather] });
