import type { ThreadSummary } from "@berth/server";
import { useMemo } from "react";
import { useResource } from "../../data/index.ts";

/** What threads are called, by their ids. */
export type Titles = ReadonlyMap<string, string>;

/** As many as the list of conversations gives at once. */
const MOST_FOUND = 1_000;
const NEWEST = 200;

/**
 * What the conversations are called that changed last, or those whose title has the text in it.
 * @param base in front of the Agent Server's paths
 */
export function useTitles(base: string, text = ""): Titles | undefined {
  const query = text ? `limit=${MOST_FOUND}&q=${encodeURIComponent(text)}` : `limit=${NEWEST}`;
  const { data } = useResource<ThreadSummary[]>(`${base}/api/threads?${query}`, {
    live: ["threads", "traces"],
  });
  return useMemo(() => data && new Map(data.map(({ id, title }) => [id, title])), [data]);
}
