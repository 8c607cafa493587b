import { Check, Copy } from "lucide-react";
import { memo, type ReactNode, useEffect, useState } from "react";
import { useCopy } from "../ui/index.ts";
import { WORDS } from "./words.tsx";

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
        <span className="md-code-language">{language ?? WORDS.plainText}</span>
        <button
          type="button"
          className="md-code-copy"
          aria-label={copied ? WORDS.copied : WORDS.copyThisCode}
          onClick={() => copy(text)}
        >
          {copied ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />}
          <span>{copied ? WORDS.copied : WORDS.copy}</span>
        </button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre tabIndex={0}>
        <code>{coloured?.of === text ? coloured.nodes : <PlainCode text={text} />}</code>
      </pre>
    </div>
  );
});

/** Text beyond the limits of Markdown, as it was written. */
export function PlainText({ text }: { text: string }) {
  return (
    <div className="md-unformatted">
      <p className="md-note">{WORDS.unformatted}</p>
      <PlainCode text={text} />
    </div>
  );
}

const LINES_A_PART = 40;

/** Code without colours, in parts, so that one more line lays out only the last of them. */
function PlainCode({ text }: { text: string }) {
  const lines = text.split("\n");
  const parts = Array.from({ length: Math.ceil(lines.length / LINES_A_PART) }, (_, part) =>
    lines.slice(part * LINES_A_PART, (part + 1) * LINES_A_PART).join("\n"),
  );
  // biome-ignore lint/suspicious/noArrayIndexKey: lines are only ever added at the end
  return parts.map((part, place) => <CodePart key={place} text={part} />);
}

const CodePart = memo(function CodePart({ text }: { text: string }) {
  return <span className="md-code-part">{text}</span>;
});

/** A longer text is left plain: colouring it would hold up the page. */
const LONGEST = 20_000;

/**
 * Colours code when the page has nothing better to do, and hands over the result. The highlighter is loaded
 * with the first code that needs it. Gives a function that calls it off.
 */
function highlightLater(text: string, language: string, done: (nodes: ReactNode) => void): () => void {
  if (text.length > LONGEST) return () => {};
  let wanted = true;
  const whenIdle = window.requestIdleCallback ?? ((work: () => void) => setTimeout(work, 1));
  import("./highlighter.ts").then(({ highlight }) => {
    whenIdle(() => {
      const nodes = wanted ? highlight(text, language) : undefined;
      if (nodes !== undefined) done(nodes);
    });
  });
  return () => {
    wanted = false;
  };
}
