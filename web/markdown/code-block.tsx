import { Check, Copy } from "lucide-react";
import { memo, type ReactNode, useEffect, useState } from "react";
import { useCopy } from "./copy.ts";
import { highlightLater } from "./highlight.ts";

type CodeBlockProps = { text: string; language?: string; open?: boolean };

/** A block of code with its language and a copy button; it is coloured once nothing more is written into it. */
export const CodeBlock = memo(function CodeBlock({ text, language, open = false }: CodeBlockProps) {
  const [coloured, setColoured] = useState<{ of: string; nodes: ReactNode }>();
  const { copied, copy } = useCopy();
  useEffect(() => {
    if (open || !language) return;
    return highlightLater(text, language, (nodes) => setColoured({ of: text, nodes }));
  }, [text, language, open]);
  return (
    <div className="md-code">
      <div className="md-code-bar">
        <span className="md-code-language">{language ?? "text"}</span>
        <button
          type="button"
          className="md-code-copy"
          aria-label={copied ? "Copied" : "Copy this code"}
          onClick={() => copy(text)}
        >
          {copied ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />}
          <span>{copied ? "Copied" : "Copy"}</span>
        </button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre tabIndex={0}>
        <code>{coloured?.of === text ? coloured.nodes : text}</code>
      </pre>
    </div>
  );
});
