import type { Saver } from "../project/index.ts";

/**
 * The same checkpointer, with a list of what its calls failed with: from outside, an error that comes out
 * of a graph may be the database's or the graph's own.
 */
export function watchFailures(saver: Saver): { saver: Saver; failures: ReadonlySet<unknown> } {
  const failures = new Set<unknown>();
  const noted = (error: unknown): never => {
    failures.add(error);
    throw error;
  };
  const watched = new Proxy(saver, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      return (...args: unknown[]) => {
        const result: unknown = value.apply(target, args);
        if (result instanceof Promise) return result.catch(noted);
        return isAsyncIterable(result) ? watchedItems(result, noted) : result;
      };
    },
  });
  return { saver: watched, failures };
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}

async function* watchedItems(items: AsyncIterable<unknown>, noted: (error: unknown) => never) {
  try {
    yield* items;
  } catch (error) {
    noted(error);
  }
}
