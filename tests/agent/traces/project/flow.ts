import { entrypoint, task } from "@langchain/langgraph";

const double = task("double", async (value: number) => value * 2);

/** The functional API: a task twice. */
export const graph = entrypoint("flow", async ({ value }: { value: number }) => ({
  value: (await double(value)) + (await double(value + 1)),
}));
