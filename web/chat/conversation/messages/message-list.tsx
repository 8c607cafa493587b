import { memo, useRef, useState } from "react";
import { Button } from "../../../ui/index.ts";
import type { Entry } from "../content/index.ts";
import { AnswerView } from "./answer-view.tsx";
import { type Unknown, useUnknown } from "./use-unknown.ts";
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
          Show {Math.min(hidden, DRAWN)} earlier messages
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
