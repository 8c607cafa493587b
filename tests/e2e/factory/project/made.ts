import { Annotation, interrupt, START, StateGraph } from "@langchain/langgraph";

type Context = { tenant?: string; ask?: boolean; closed?: boolean };
/** As the official server hands it to a factory. */
type Runtime = { accessContext: string; executionRuntime: { context: Context } | null };

const State = Annotation.Root({
  madeFor: Annotation<string>(),
  made: Annotation<Context>(),
  seen: Annotation<Context>(),
  legacy: Annotation<string>(),
  answer: Annotation<string>(),
});

/** Its graphs can only do what they were made for. */
export function graph(config: { configurable?: { legacy?: string } }, runtime: Runtime) {
  const context = runtime.executionRuntime?.context;
  if (context?.closed) throw new Error("this tenant is closed");
  const made = new StateGraph(State)
    .addNode("only", (_, { context: seen }) => ({
      madeFor: runtime.accessContext,
      made: context,
      seen: seen as Context,
      legacy: config.configurable?.legacy ?? "none",
      answer: context?.ask ? interrupt("go on?") : "none",
    }))
    .addEdge(START, "only")
    .compile();
  for (const [method, access] of Object.entries(ONLY_FOR)) {
    const own = Reflect.get(made, method).bind(made);
    Reflect.set(made, method, (...args: unknown[]) => {
      if (runtime.accessContext !== access)
        throw new Error(`${method} on a graph for ${runtime.accessContext}`);
      return own(...args);
    });
  }
  return made;
}

const ONLY_FOR = {
  stream: "threads.create_run",
  getState: "threads.read",
  getStateHistory: "threads.read",
  bulkUpdateState: "threads.update",
  getGraphAsync: "assistants.read",
};
