import { Check, Copy } from "lucide-react";
import { IconButton, useCopy, visibleText } from "../../ui/index.ts";
import { WORDS } from "./words.ts";
import "./json-view.css";

/** Puts a text into the clipboard. */
export function CopyButton({ text, label = WORDS.copy }: { text: string; label?: string }) {
  const { copied, copy } = useCopy();
  return (
    <span className="copy-button">
      <IconButton
        label={copied ? WORDS.copied : label}
        size="small"
        align="end"
        data-testid="copy"
        onClick={() => copy(text)}
      >
        {copied ? <Check /> : <Copy />}
      </IconButton>
    </span>
  );
}

type JsonViewProps = { value: unknown; label?: string };

/** A value as indented JSON, to read and to copy. Text that is JSON already is shown as it is. */
export function JsonView({ value, label = "JSON" }: JsonViewProps) {
  const text = typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "undefined");
  return (
    <div className="json-view">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard. */}
      <section tabIndex={0} aria-label={label}>
        <pre data-testid="json">{visibleText(text)}</pre>
      </section>
      <CopyButton text={text} />
    </div>
  );
}
