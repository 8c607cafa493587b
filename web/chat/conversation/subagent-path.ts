import { useCallback, useMemo, useSyncExternalStore } from "react";

const PREFIX = "#subagent/";

/** The subagents that are open, outermost first, by their calls. They live in the address, so Back leaves them. */
export function useSubagentPath() {
  const hash = useSyncExternalStore(listen, () => location.hash);
  const path = useMemo(
    () => (hash.startsWith(PREFIX) ? hash.slice(PREFIX.length).split("/").map(decodeURIComponent) : []),
    [hash],
  );
  const go = useCallback((to: string[]) => {
    const next = to.length > 0 ? PREFIX + to.map(encodeURIComponent).join("/") : "";
    // An empty hash would scroll to the top and leave a "#" behind.
    history.pushState(history.state, "", next || location.pathname + location.search);
    window.dispatchEvent(new Event("hashchange"));
  }, []);
  return { path, go };
}

function listen(changed: () => void): () => void {
  window.addEventListener("hashchange", changed);
  window.addEventListener("popstate", changed);
  return () => {
    window.removeEventListener("hashchange", changed);
    window.removeEventListener("popstate", changed);
  };
}
