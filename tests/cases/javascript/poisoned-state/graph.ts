import { Annotation, DeltaChannel, END, START, StateGraph } from "@langchain/langgraph";

const refuse = (what: string): never => {
  throw new RangeError(`${what} refuses this value`);
};

const built = (channel: unknown) => {
  const State = Annotation.Root({ log: (() => channel) as never, how: Annotation<string> });
  return new StateGraph(State)
    .addNode("first", ((state: { how: string }) => ({ log: [state.how] })) as never)
    .addNode("second", (() => ({ log: ["second"] })) as never)
    .addEdge(START, "first")
    .addEdge("first", "second")
    .addEdge("second", END)
    .compile();
};

/** Takes one value after the other in a run, and refuses them together, as LangGraph rebuilds a state. */
const reducer = (list: string[] | undefined, writes: string[][]) =>
  writes.length > 1 && writes.flat().includes("poison")
    ? refuse("the reducer")
    : [...(list ?? []), ...writes.flat()];

export const rebuilt = built(new DeltaChannel<string[]>(reducer));

/** JSON cannot hold the initial value. */
export const initial = built(
  Annotation<object>({ reducer: (old) => old, default: () => ({ toJSON: () => refuse("toJSON") }) }),
);

export const factory = (config: { configurable?: Record<string, unknown> }) =>
  config.configurable?.poison ? refuse("the factory") : rebuilt;
