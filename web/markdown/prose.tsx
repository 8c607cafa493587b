import ReactMarkdown, { type Components, defaultUrlTransform } from "react-markdown";
import remarkGfm from "remark-gfm";
import { CodeBlock } from "./code-block.tsx";

/** A block of Markdown that is no code. What reads it is large, and so this is loaded with the first text. */
export function Prose({ text }: { text: string }) {
  return (
    <ReactMarkdown remarkPlugins={plugins} components={components} urlTransform={safeUrl}>
      {text}
    </ReactMarkdown>
  );
}

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
