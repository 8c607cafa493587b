import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";

/** Keys that were asked for in this turn already: several parts of a screen may show the same. */
const asked = new Set<string>();

/**
 * Asks again for what is shown under a key. An answer that is on its way may be from before the change that one
 * was told of, and so it is asked for once more behind that one.
 */
export async function askAgain(client: QueryClient, queryKey: readonly unknown[]): Promise<void> {
  const name = JSON.stringify(queryKey);
  if (asked.has(name)) return;
  asked.add(name);
  queueMicrotask(() => asked.delete(name));
  const filters = { queryKey, exact: true };
  const kept = { cancelRefetch: false };
  if (client.isFetching(filters) > 0) await client.refetchQueries(filters, kept);
  await client.invalidateQueries(filters, kept);
}

/** Asks again for what is shown under a key; see {@link askAgain}. */
export function useRefresh(queryKey: readonly unknown[]): () => void {
  const client = useQueryClient();
  const name = JSON.stringify(queryKey);
  return useCallback(() => void askAgain(client, JSON.parse(name)), [client, name]);
}

/**
 * Forgets lists that are kept and not shown, such as those of other searches: after a change they would show for a
 * moment what is gone.
 * @param path of the list, without a query
 */
export function useForget(path: string): () => void {
  const client = useQueryClient();
  return useCallback(() => {
    const isOfPath = (kept: unknown) => kept === path || String(kept).startsWith(`${path}?`);
    client.removeQueries({ type: "inactive", predicate: ({ queryKey }) => queryKey.some(isOfPath) });
  }, [client, path]);
}
