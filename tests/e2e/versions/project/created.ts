import { createAgent } from "langchain";
import { CountingModel } from "./model.ts";
import { weather } from "./weather.ts";

export const created = createAgent({ model: new CountingModel(), tools: [weather] });
