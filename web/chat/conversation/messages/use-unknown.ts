import { type RefObject, useEffect } from "react";
import type { Entry } from "../content/index.ts";
import type { Timeline } from "../timeline/index.ts";

/** The newest entry of which is not known where it came from, and so what else was said in its place. */
export type Unknown = { entryId: string; timeline: Timeline; fetch: () => Promise<void> };

/** How far above the shown part an entry is near enough to be asked about. */
const NEAR = "400px 0px";

/** Asks for what is not known as soon as the entry comes near, and again as long as it is there. */
export function useUnknown(
  list: RefObject<HTMLElement | null>,
  unknown: Unknown | undefined,
  hidden: number,
): void {
  const { entryId, timeline, fetch } = unknown ?? {};
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is drawn and known changes whether it is near
  useEffect(() => {
    const entry = entryId && list.current?.querySelector(`:scope > [data-entry="${CSS.escape(entryId)}"]`);
    if (!entry || !fetch) return;
    const watcher = new IntersectionObserver(
      (seen) => {
        // What cannot be fetched now is asked for again when the reader comes back to it.
        if (seen.some(({ isIntersecting }) => isIntersecting)) fetch().catch(() => {});
      },
      { root: list.current?.closest(".conversation-scroll") ?? null, rootMargin: NEAR },
    );
    watcher.observe(entry);
    return () => watcher.disconnect();
  }, [list, entryId, timeline, fetch, hidden]);
}

/** The newest entry with a message whose origin is not known, if its history can still be fetched. */
export function unknownIn(
  entries: readonly Entry[],
  timeline: Timeline,
  origins: ReadonlyMap<string, unknown>,
  fetch: () => Promise<void>,
): Unknown | undefined {
  if (timeline.complete) return undefined;
  const entry = entries.findLast((one) => {
    const messages = one.kind === "answer" ? one.messages : [one.message];
    return messages.some(({ id }) => timeline.messages.has(id) && !origins.has(id));
  });
  return entry && { entryId: entry.id, timeline, fetch };
}
