import { useEffect, useMemo, useState } from "react";
import { useResource } from "../../data/index.ts";
import { type FoundThread, THREAD_WORDS, type Titles, useTitles } from "./threads.ts";
import { titleOf } from "./titles.ts";

/** Threads that one request asks about. */
const AT_ONCE = 200;

type Known = ReadonlyMap<string, string | null>;

/**
 * What the threads of these runs are called, or how they begin: those that changed last come with one answer, older
 * ones are asked for as they are shown.
 * @param threadIds of the rows that were read so far
 */
export function useRunTitles(base: string, threadIds: readonly (string | null)[]): Titles | undefined {
  const newest = useTitles(base);
  const [older, setOlder] = useState<{ base: string; known: Known }>({ base, known: new Map() });
  const known = older.base === base ? older.known : undefined;
  const missing = useMemo(() => {
    if (!newest) return [];
    const ids = threadIds.filter((id) => id !== null && !newest.has(id) && !known?.has(id));
    return [...new Set(ids)].slice(0, AT_ONCE);
  }, [newest, known, threadIds]);
  const { data } = useResource<FoundThread[]>(missing.length > 0 ? `${base}/threads/search` : null, {
    body: { ids: missing, limit: AT_ONCE, select: ["thread_id"], extract: THREAD_WORDS },
    exact: true,
  });
  useEffect(() => {
    if (!data || missing.length === 0) return;
    // One that is gone has no words any more, and is not asked for again.
    const found = new Map<string, string | null>(missing.map((id) => [id ?? "", null]));
    for (const thread of data)
      if (found.has(thread.thread_id)) found.set(thread.thread_id, titleOf(thread, undefined));
    setOlder(({ base: before, known }) => ({
      base,
      known: new Map([...(before === base ? known : []), ...found]),
    }));
  }, [data, missing, base]);
  return useMemo(() => {
    if (!newest) return undefined;
    const named = [...(known ?? [])].flatMap(([id, title]): [string, string][] =>
      title === null ? [] : [[id, title]],
    );
    return new Map([...newest, ...named]);
  }, [newest, known]);
}
