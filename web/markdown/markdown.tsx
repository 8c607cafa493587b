import { memo, useRef } from "react";
import ReactMarkdown, { type Components, defaultUrlTransform } from "react-markdown";
import remarkGfm from "remark-gfm";
import { type Block, NO_BLOCKS, splitBlocks, wholeBlocks } from "./blocks.ts";
import { CodeBlock } from "./code-block.tsx";
import "./markdown.css";

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
      {blocks.map((block, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: blocks are only ever added at the end
        <BlockView key={place} {...block} />
      ))}
      {streaming && blocks.length === 0 && <p />}
    </div>
  );
});

function useBlocks(text: string, streaming: boolean): Block[] {
  const split = useRef(NO_BLOCKS);
  const whole = useRef<{ text: string; blocks: Block[] }>(undefined);
  if (streaming) {
    if (split.current.text !== text) split.current = splitBlocks(text, split.current);
    return split.current.blocks;
  }
  if (whole.current?.text !== text) whole.current = { text, blocks: wholeBlocks(text) };
  return whole.current.blocks;
}

const BlockView = memo(
  function BlockView({ kind, text, language, open, joined }: Block) {
    if (kind === "code") return <CodeBlock text={text} language={language} open={open} />;
    return (
      <div className={joined ? `md-block md-joined-${joined}` : "md-block"}>
        <ReactMarkdown remarkPlugins={plugins} components={components} urlTransform={safeUrl}>
          {text}
        </ReactMarkdown>
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

const plugins = [remarkGfm];

const components: Components = {
  // A message has a heading of its own, which those inside of it stand below.
  h1: "h3",
  h2: "h4",
  h3: "h5",
  h4: "h6",
  h5: "h6",
  input: ({ checked }) => (
    <input type="checkbox" checked={checked} disabled aria-label={checked ? "Done" : "To do"} />
  ),
  a: ({ href, children }) => (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  ),
  img: ({ src, alt }) => <Picture src={typeof src === "string" ? src : undefined} alt={alt ?? ""} />,
  table: ({ children }) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className="md-table" tabIndex={0} aria-label="Table">
      <table>{children}</table>
    </section>
  ),
  pre: ({ node }) => {
    const code = node?.children[0];
    if (code?.type !== "element") return null;
    const text = code.children.map((child) => (child.type === "text" ? child.value : "")).join("");
    const names = code.properties.className;
    const name = Array.isArray(names) ? names.find((one) => String(one).startsWith("language-")) : undefined;
    return <CodeBlock text={text.replace(/\n$/, "")} language={name ? String(name).slice(9) : undefined} />;
  },
};

/** What the machine holds is shown; a picture of elsewhere becomes a link, since fetching it would tell of the reader. */
function Picture({ src, alt }: { src?: string; alt: string }) {
  if (!src) return <span>{alt}</span>;
  if (isLocal(src)) return <img src={src} alt={alt} loading="lazy" />;
  return (
    <a href={src} target="_blank" rel="noopener noreferrer nofollow">
      {alt || src}
    </a>
  );
}

function isLocal(src: string): boolean {
  if (/^data:image\/(png|jpe?g|gif|webp|avif);/i.test(src) || src.startsWith("blob:")) return true;
  return URL.canParse(src, location.href) && new URL(src, location.href).origin === location.origin;
}

function safeUrl(url: string, key: string): string {
  return key === "src" && isLocal(url) ? url : defaultUrlTransform(url);
}
