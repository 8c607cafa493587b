import { useState } from "react";
import { Button, classes, visibleText } from "../../../ui/index.ts";
import { wordsOf } from "../../ui/index.ts";
import type { ShownMessage } from "./messages.ts";

const ROLES: Record<ShownMessage["role"], string> = {
  human: "Human",
  ai: "AI",
  system: "System",
  tool: "Tool",
  other: "",
};

/** Messages as people read them, calls of tools among them. */
export function MessageList({ messages }: { messages: readonly ShownMessage[] }) {
  return (
    <ol className="trace-messages">
      {messages.map((message, place) => (
        <li
          // biome-ignore lint/suspicious/noArrayIndexKey: they are never reordered, and many have no id.
          key={place}
          className={classes("trace-message", `trace-message-${message.role}`)}
          data-testid="message"
        >
          <p className="trace-message-who">
            <strong>{ROLES[message.role] || wordsOf(message.name ?? "message")}</strong>
            {message.role !== "other" && message.name}
            {message.isError && <span className="trace-message-failed">failed</span>}
          </p>
          {message.text !== "" && <LongText text={message.text} />}
          {message.calls.map(({ name, args }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: as above.
            <div key={index} className="trace-call">
              <code>{name}</code>
              <pre>{visibleText(typeof args === "string" ? args : JSON.stringify(args, null, 2))}</pre>
            </div>
          ))}
          {message.text === "" && message.calls.length === 0 && <p className="trace-nothing">empty</p>}
        </li>
      ))}
    </ol>
  );
}

const LONGEST = 1_200;

/** Text as it is; of much of it, the beginning until it is asked for. */
export function LongText({ text }: { text: string }) {
  const [isWhole, setWhole] = useState(false);
  const isLong = text.length > LONGEST;
  return (
    <>
      <p className="trace-text">{visibleText(isLong && !isWhole ? `${text.slice(0, LONGEST)}…` : text)}</p>
      {isLong && (
        <Button size="small" look="quiet" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? "Show less" : `Show all ${text.length.toLocaleString()} characters`}
        </Button>
      )}
    </>
  );
}
