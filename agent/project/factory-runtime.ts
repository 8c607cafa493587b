/**
 * What a factory is asked for a graph for, as its second argument: to run it, to read or to edit the state of a thread,
 * or to describe it. The names are those of the official server.
 */
export type FactoryRuntime = {
  accessContext: "threads.create_run" | "threads.update" | "threads.read" | "assistants.read";
  /** Only for a run: the `context` that its nodes see, `{}` where it has none. */
  executionRuntime: { context: unknown } | null;
};

/** For whatever is no run. */
export const inspecting = (
  accessContext: Exclude<FactoryRuntime["accessContext"], "threads.create_run">,
): FactoryRuntime => ({ accessContext, executionRuntime: null });

export const running = (context: unknown): FactoryRuntime => ({
  accessContext: "threads.create_run",
  executionRuntime: { context: context ?? {} },
});
