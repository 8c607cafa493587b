import { useSyncExternalStore } from "react";

const wide = window.matchMedia("(min-width: 48rem)");

const subscribe = (update: () => void) => {
  wide.addEventListener("change", update);
  return () => wide.removeEventListener("change", update);
};

/** Whether there is room for columns. */
export function useWide(): boolean {
  return useSyncExternalStore(subscribe, () => wide.matches);
}
