import { Annotation, entrypoint, StateGraph, task } from "@langchain/langgraph";

const greet = task("greet", async (name: string) => `hello ${name}`);

/** The functional API: its state is what it returned last. */
export const greeting = entrypoint({ name: "greeting" }, async ({ name }: { name: string }) => ({
  said: await greet(name),
}));

export const counted = entrypoint(
  { name: "counted" },
  async ({ name }: { name: string }) => (await greet(name)).length,
);

const State = Annotation.Root({
  said: Annotation<string>,
  never: Annotation<string>,
  list: Annotation<string[]>({ reducer: (old, added) => old.concat(added), default: () => [] }),
  counts: Annotation<Record<string, number>>({
    reducer: (old, added) => ({ ...old, ...added }),
    default: () => ({ none: 0 }),
  }),
});

/** Writes one of its channels; two others have a value all the same. */
export const defaults = new StateGraph(State)
  .addNode("say", () => ({ said: "hello" }))
  .addEdge("__start__", "say")
  .compile();
