import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { IconButton, visibleText } from "../../ui/index.ts";
import "./json-view.css";

const TOLD_MS = 1_500;

/** Puts a text into the clipboard. */
export function CopyButton({ text, label = "Copy" }: { text: string; label?: string }) {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), TOLD_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  return (
    <span className="copy-button">
      <IconButton
        label={isCopied ? "Copied" : label}
        size="small"
        align="end"
        data-testid="copy"
        onClick={() => copy(text).then(setCopied)}
      >
        {isCopied ? <Check /> : <Copy />}
      </IconButton>
    </span>
  );
}

/** Browsers give the clipboard to secure pages only; elsewhere the old way still works. */
async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = document.createElement("textarea");
    field.value = text;
    (document.querySelector("dialog[open]") ?? document.body).append(field);
    field.select();
    const copied = document.execCommand("copy");
    field.remove();
    return copied;
  }
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
