import { memo, Suspense, useRef } from "react";
import { lazyScreen } from "../ui/index.ts";
import { type Block, NO_BLOCKS, splitBlocks, wholeBlocks } from "./blocks.ts";
import { CodeBlock, PlainText } from "./code-block.tsx";
import { limitBlocks } from "./limit-blocks.ts";
import "./markdown.css";

const Prose = lazyScreen(() => import("./prose.tsx"), "Prose");

type MarkdownProps = {
  text: string;
  /** More text is coming: the end is drawn with a caret, and only the last block is parsed again. */
  streaming?: boolean;
};

/** Markdown as React elements. Raw HTML stays text, links open elsewhere, and no image is fetched from afar. */
export const Markdown = memo(function Markdown({ text, streaming = false }: MarkdownProps) {
  const blocks = useBlocks(text, streaming);
  return (
    <div className={streaming ? "md md-streaming" : "md"}>
      <Suspense fallback={<p className="md-plain">{text}</p>}>
        {blocks.map((block, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: blocks are only ever added at the end
          <BlockView key={place} {...block} />
        ))}
      </Suspense>
      {streaming && blocks.length === 0 && <p />}
    </div>
  );
});

function useBlocks(text: string, streaming: boolean): Block[] {
  const split = useRef(NO_BLOCKS);
  const whole = useRef<{ text: string; blocks: Block[] }>(undefined);
  if (streaming) {
    if (split.current.text !== text) split.current = splitBlocks(text, split.current);
    return limitBlocks(split.current.blocks);
  }
  if (whole.current?.text !== text) whole.current = { text, blocks: limitBlocks(wholeBlocks(text)) };
  return whole.current.blocks;
}

const BlockView = memo(
  function BlockView({ kind, text, language, open, joined }: Block) {
    if (kind === "plain") return <PlainText text={text} />;
    if (kind === "code") return <CodeBlock text={text} language={language} open={open} />;
    return (
      <div className={joined ? `md-block md-joined-${joined}` : "md-block"}>
        <Prose text={text} />
      </div>
    );
  },
  // That a block is finished matters to code only: its colours wait for it.
  (a, b) =>
    a.text === b.text &&
    a.language === b.language &&
    a.kind === b.kind &&
    a.joined === b.joined &&
    (a.kind === "prose" || a.open === b.open),
);
