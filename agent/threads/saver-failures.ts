import type { Saver } from "../project/graph.ts";

/**
 * The same checkpointer, with a list of what its calls failed with: from outside, an error that comes out
 * of a graph may be the database's or the graph's own.
 */
export function watchFailures(saver: Saver): { saver: Saver; failures: ReadonlySet<unknown> } {
  const failures = new Set<unknown>();
  const watched = new Proxy(saver, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      return (...args: unknown[]) => {
        const result: unknown = value.apply(target, args);
        return result instanceof Promise ? result.catch(noted) : result;
      };
    },
  });
  const noted = (error: unknown) => {
    failures.add(error);
    throw error;
  };
  return { saver: watched, failures };
}
