import { useMemo, useState } from "react";
import { Button, classes, visibleText } from "../../../ui/index.ts";
import { bytesText, JsonView, Section, wordsOf } from "../../ui/index.ts";
import { WORDS } from "../words.tsx";
import { messagesOf, type ShownMessage } from "./messages.ts";

type SpanValueProps = { title: string; value: unknown; testId: string };

/** What a span took in or gave: messages as messages, the rest as JSON, and all of it as JSON on demand. */
export function SpanValue({ title, value, testId }: SpanValueProps) {
  const [isRaw, setRaw] = useState(false);
  const hasForm = value !== null && typeof value === "object";
  return (
    <Section
      title={title}
      testId={testId}
      actions={
        hasForm && (
          <Button
            size="small"
            look="quiet"
            aria-pressed={isRaw}
            onClick={() => setRaw(!isRaw)}
            data-testid={`${testId}-raw`}
          >
            {isRaw ? WORDS.readable : WORDS.json}
          </Button>
        )
      }
    >
      {isRaw ? <JsonView value={value} label={title} /> : <Readable value={value} title={title} />}
    </Section>
  );
}

function Readable({ value, title }: { value: unknown; title: string }) {
  const { messages, rest } = useMemo(() => messagesOf(value), [value]);
  if (value === null || value === undefined) return <p className="trace-nothing">{WORDS.nothing}</p>;
  if (typeof value === "string") return <LongText text={value} />;
  const cut = cutOf(value);
  if (cut)
    return (
      <>
        <p className="trace-nothing">{WORDS.tooLongToKeep(bytesText(cut.bytes))}</p>
        <LongText text={cut.text} />
      </>
    );
  return (
    <>
      {messages.length > 0 && <MessageList messages={messages} />}
      {rest !== undefined && (
        <JsonView value={rest} label={messages.length > 0 ? WORDS.restOf(title) : title} />
      )}
    </>
  );
}

/** The store keeps the beginning of what is above its limit. */
function cutOf(value: unknown): { bytes: number; text: string } | undefined {
  if (typeof value !== "object" || value === null || !("__cut__" in value)) return undefined;
  const text = "text" in value && typeof value.text === "string" ? value.text : "";
  return { bytes: Number(value.__cut__), text };
}

const ROLES: Record<ShownMessage["role"], string> = {
  human: WORDS.human,
  ai: WORDS.ai,
  system: WORDS.system,
  tool: WORDS.tool,
  other: "",
};

/** Messages as people read them, calls of tools among them. */
function MessageList({ messages }: { messages: readonly ShownMessage[] }) {
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
            {message.isError && <span className="trace-message-failed">{WORDS.failed}</span>}
          </p>
          {message.text !== "" && <LongText text={message.text} />}
          {message.calls.map(({ name, args }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: as above.
            <div key={index} className="trace-call">
              <code>{name}</code>
              <pre>{visibleText(typeof args === "string" ? args : JSON.stringify(args, null, 2))}</pre>
            </div>
          ))}
          {message.text === "" && message.calls.length === 0 && (
            <p className="trace-nothing">{WORDS.empty}</p>
          )}
        </li>
      ))}
    </ol>
  );
}

const LONGEST = 1_200;

/** Text as it is; of much of it, the beginning until it is asked for. */
function LongText({ text }: { text: string }) {
  const [isWhole, setWhole] = useState(false);
  const isLong = text.length > LONGEST;
  return (
    <>
      <p className="trace-text">{visibleText(isLong && !isWhole ? `${text.slice(0, LONGEST)}…` : text)}</p>
      {isLong && (
        <Button size="small" look="quiet" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? WORDS.showLess : WORDS.showAllCharacters(text.length.toLocaleString())}
        </Button>
      )}
    </>
  );
}
