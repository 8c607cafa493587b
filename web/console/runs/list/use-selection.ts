import type { Trace } from "@berth/server";
import { type KeyboardEvent, useCallback, useEffect, useMemo, useRef, useState } from "react";

/** The most that is chosen at once: each is a request of its own. */
const MOST_CHOSEN = 200;

const NONE: ReadonlySet<string> = new Set();
const NO_RUNS: readonly Trace[] = [];

export type Selection = {
  chosen: readonly Trace[];
  has(id: string): boolean;
  /** @param isRange all between the last one and this one too */
  toggle(id: string, isRange?: boolean): void;
  chooseAll(): void;
  clear(): void;
  /** What keys do in the list: X chooses, J and K move, Shift+X chooses a range, Ctrl+A all, Esc none. */
  onKeyDown(event: KeyboardEvent<HTMLElement>): void;
};

/** Which rows of a list are chosen, by pointer and by keyboard. */
export function useSelection(rows: readonly Trace[]): Selection {
  const [ids, setIds] = useState(NONE);
  const last = useRef<string>(undefined);
  const latest = useRef(rows);
  latest.current = rows;
  // What is gone from the list is chosen no more.
  useEffect(() => {
    const known = new Set(rows.map(({ id }) => id));
    setIds((before) =>
      [...before].every((id) => known.has(id)) ? before : new Set([...before].filter((id) => known.has(id))),
    );
  }, [rows]);
  const toggle = useCallback((id: string, isRange = false) => {
    const from = last.current;
    last.current = id;
    setIds((before) => changed(before, isRange ? between(latest.current, from, id) : [id], id));
  }, []);
  const clear = useCallback(() => setIds(NONE), []);
  const chooseAll = useCallback(
    () => setIds(new Set(latest.current.slice(0, MOST_CHOSEN).map(({ id }) => id))),
    [],
  );
  const onKeyDown = useCallback(
    (event: KeyboardEvent<HTMLElement>) => pressed(event, { toggle, clear, chooseAll }),
    [toggle, clear, chooseAll],
  );
  const has = useCallback((id: string) => ids.has(id), [ids]);
  // Where nothing is chosen nothing is different when the list grows, and no row is drawn again.
  const chosen = useMemo(
    () => (ids.size === 0 ? NO_RUNS : rows.filter(({ id }) => ids.has(id))),
    [rows, ids],
  );
  return useMemo(
    () => ({ chosen, has, toggle, chooseAll, clear, onKeyDown }),
    [chosen, has, toggle, chooseAll, clear, onKeyDown],
  );
}

function changed(before: ReadonlySet<string>, ids: readonly string[], id: string): ReadonlySet<string> {
  const next = new Set(before);
  const isOn = !before.has(id);
  for (const each of ids) {
    if (!isOn) next.delete(each);
    else if (next.size < MOST_CHOSEN) next.add(each);
  }
  return next;
}

function between(rows: readonly Trace[], from: string | undefined, to: string): string[] {
  const places = [from, to].map((id) => rows.findIndex((row) => row.id === id));
  const [one = -1, other = -1] = places.toSorted((a, b) => a - b);
  return one < 0 ? [to] : rows.slice(one, other + 1).map(({ id }) => id);
}

function pressed(
  event: KeyboardEvent<HTMLElement>,
  { toggle, clear, chooseAll }: Pick<Selection, "toggle" | "clear" | "chooseAll">,
): void {
  const { target, currentTarget, key } = event;
  if (!(target instanceof HTMLElement) || target.matches("input:not([type=checkbox]), textarea")) return;
  const row = target.closest<HTMLElement>("[data-row]");
  const isAll = key === "a" && (event.ctrlKey || event.metaKey);
  if (!isAll && (event.ctrlKey || event.metaKey || event.altKey)) return;
  if (isAll) chooseAll();
  else if (key === "Escape") clear();
  else if (key.toLowerCase() === "x" && row?.dataset.row) toggle(row.dataset.row, event.shiftKey);
  else if (key === "j" || key === "k" || key === "ArrowDown" || key === "ArrowUp") {
    const step = key === "j" || key === "ArrowDown" ? 1 : -1;
    const next = row
      ? currentTarget.querySelector(`[data-index="${Number(row.dataset.index) + step}"] [data-opener]`)
      : currentTarget.querySelector("[data-opener]");
    if (!(next instanceof HTMLElement)) return;
    next.focus();
  } else return;
  event.preventDefault();
}
