import { memo, type RefObject, useEffect, useRef, useState } from "react";
import { Button } from "../../../ui/index.ts";
import type { Entry } from "../content.ts";
import type { Timeline } from "../timeline/index.ts";
import { WORDS } from "../words.tsx";
import { AnswerView } from "./answer-view.tsx";
import { UserMessage } from "./user-message.tsx";
import "./messages.css";

/** How many entries are drawn at first: a long thread opens as fast as a short one. */
const DRAWN = 60;

type MessageListProps = {
  entries: Entry[];
  /** More is coming for the last entry. */
  streaming: boolean;
  /** What is not known yet of older messages: asked for when the reader gets there. */
  unknown?: Unknown;
  /** Without the actions on messages: a subagent's conversation cannot be edited. */
  plain?: boolean;
};

/** The messages of a conversation. */
export function MessageList({ entries, streaming, unknown, plain = false }: MessageListProps) {
  const [drawn, setDrawn] = useState(DRAWN);
  const hidden = Math.max(0, entries.length - drawn);
  const last = entries.at(-1);
  const list = useRef<HTMLDivElement>(null);
  useUnknown(list, unknown, hidden);
  return (
    <div ref={list} className="messages">
      {hidden > 0 && (
        <Button look="quiet" size="small" onClick={() => setDrawn(drawn + DRAWN)}>
          {WORDS.showEarlierMessages(Math.min(hidden, DRAWN))}
        </Button>
      )}
      {entries.slice(hidden).map((entry) => (
        <EntryView key={entry.id} entry={entry} streaming={streaming && entry === last} plain={plain} />
      ))}
    </div>
  );
}

const EntryView = memo(function EntryView({
  entry,
  streaming,
  plain,
}: {
  entry: Entry;
  streaming: boolean;
  plain: boolean;
}) {
  if (entry.kind === "user") return <UserMessage message={entry.message} plain={plain} />;
  if (entry.kind === "answer") return <AnswerView answer={entry} streaming={streaming} plain={plain} />;
  return <p className="note">{entry.message.text}</p>;
});

/** The newest entry of which is not known where it came from, and so what else was said in its place. */
type Unknown = { entryId: string; timeline: Timeline; fetch: () => Promise<unknown> };

/** How far above the shown part an entry is near enough to be asked about. */
const NEAR = "400px 0px";

/** Asks for what is not known as soon as the entry comes near, and again as long as it is there. */
function useUnknown(list: RefObject<HTMLElement | null>, unknown: Unknown | undefined, hidden: number): void {
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
  fetch: () => Promise<unknown>,
): Unknown | undefined {
  if (timeline.complete) return undefined;
  const entry = entries.findLast((one) => {
    const messages = one.kind === "answer" ? one.messages : [one.message];
    return messages.some(({ id }) => timeline.messages.has(id) && !origins.has(id));
  });
  return entry && { entryId: entry.id, timeline, fetch };
}
