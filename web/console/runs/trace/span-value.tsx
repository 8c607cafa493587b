import { useMemo, useState } from "react";
import { Button } from "../../../ui/index.ts";
import { bytesText, JsonView, Section } from "../../ui/index.ts";
import { LongText, MessageList } from "./message-list.tsx";
import { messagesOf } from "./messages.ts";

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
            {isRaw ? "Readable" : "JSON"}
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
  if (value === null || value === undefined) return <p className="trace-nothing">Nothing</p>;
  if (typeof value === "string") return <LongText text={value} />;
  const cut = cutOf(value);
  if (cut)
    return (
      <>
        <p className="trace-nothing">Too long to be kept: the beginning of {bytesText(cut.bytes)}.</p>
        <LongText text={cut.text} />
      </>
    );
  return (
    <>
      {messages.length > 0 && <MessageList messages={messages} />}
      {rest !== undefined && (
        <JsonView value={rest} label={messages.length > 0 ? `${title}, the rest` : title} />
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
