import { useEffect, useRef } from "react";

/** What the server tells to have become different. */
export const LIVE_KINDS = [
  "deployments",
  "traces",
  "issues",
  "deliveries",
  "engine_runs",
  "subscriptions",
  "threads",
  "runs",
  "keys",
  "system",
] as const;
export type LiveKind = (typeof LIVE_KINDS)[number];

type Listener = (kind: LiveKind | "all") => void;

const listeners = new Set<Listener>();

/** Tells whoever shows something of that kind to ask for it again; `all` after a time without news. */
export function announce(kind: LiveKind | "all"): void {
  for (const listener of listeners) listener(kind);
}

/** Calls back when something of these kinds may have become different. */
export function useLive(kinds: readonly LiveKind[], changed: () => void): void {
  const latest = useRef(changed);
  latest.current = changed;
  const names = kinds.join();
  useEffect(() => {
    const wanted = new Set<string>(["all", ...names.split(",")]);
    const listener: Listener = (kind) => wanted.has(kind) && latest.current();
    if (names === "") return;
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
    };
  }, [names]);
}
