import type { Span } from "@berth/server";
import { CircleAlert } from "lucide-react";
import { CopyButton } from "../../ui/index.ts";
import { WORDS } from "../words.tsx";

type Cause = { type: string; message: string; stack?: string };

/** What went wrong in a span: the words of the error, where it was thrown, and what caused it. */
export function SpanErrorView({ span: { error, metadata } }: { span: Span }) {
  if (!error) return null;
  const stack = textIn(metadata.error_stack);
  const causes = Array.isArray(metadata.error_cause) ? (metadata.error_cause as Cause[]) : [];
  return (
    <div className="span-error" role="note" data-testid="span-error">
      <CircleAlert aria-hidden="true" />
      <div>
        <strong>{error.type || WORDS.error}</strong>
        <pre>{error.message}</pre>
        <Stack text={stack} of="error" />
        {causes.map((cause, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: they are never reordered.
          <div key={place} className="span-cause" data-testid="span-cause">
            <p>{WORDS.causedBy(<strong>{cause.type || WORDS.error}</strong>)}</p>
            <pre>{cause.message}</pre>
            <Stack text={textIn(cause.stack)} of={WORDS.cause(place + 1)} />
          </div>
        ))}
      </div>
      <CopyButton
        text={wholeText(`${error.type}: ${error.message}`, stack, causes)}
        label={WORDS.copyTheError}
      />
    </div>
  );
}

function Stack({ text, of }: { text: string | undefined; of: string }) {
  if (text === undefined) return null;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard.
    <section className="span-stack" tabIndex={0} aria-label={WORDS.stackOf(of)} data-testid="span-stack">
      <pre>{text.replaceAll(/^ {4}(?=at )/gm, "")}</pre>
    </section>
  );
}

const textIn = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined);

function wholeText(words: string, stack: string | undefined, causes: readonly Cause[]): string {
  const parts = [
    [words, stack],
    ...causes.map(({ type, message, stack: own }) => [WORDS.causedByText(type, message), own]),
  ];
  return parts.flat().filter(Boolean).join("\n");
}
