import type { Span } from "@berth/server";
import { useCallback, useMemo, useState } from "react";
import { spanRows } from "./span-rows.ts";

const NONE: ReadonlySet<string> = new Set();

export type Folds = ReturnType<typeof useFolds>;

/** Which spans are closed, and the lines that are left. */
export function useFolds(spans: readonly Span[]) {
  const [closed, setClosed] = useState(NONE);
  const rows = useMemo(() => spanRows(spans, closed), [spans, closed]);
  const toggle = useCallback(
    (id: string) => setClosed((before) => (before.has(id) ? without(before, [id]) : new Set(before).add(id))),
    [],
  );
  const open = useCallback((ids: readonly string[]) => {
    setClosed((before) => (ids.some((id) => before.has(id)) ? without(before, ids) : before));
  }, []);
  return { rows, closed, toggle, open, setClosed };
}

function without(ids: ReadonlySet<string>, gone: readonly string[]): ReadonlySet<string> {
  const rest = new Set(ids);
  for (const id of gone) rest.delete(id);
  return rest;
}
