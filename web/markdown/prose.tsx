import { type MouseEvent, useId } from "react";
import ReactMarkdown, { type Components, defaultUrlTransform } from "react-markdown";
import remarkGfm from "remark-gfm";
import { CodeBlock } from "./code-block.tsx";
import { RefusedLink, RemotePicture } from "./remote-picture.tsx";

/** A block of Markdown that is no code. What reads it is large, and so this is loaded with the first text. */
export function Prose({ text }: { text: string }) {
  const id = useId();
  return (
    <ReactMarkdown
      remarkPlugins={plugins}
      remarkRehypeOptions={footnotesOf(id)}
      components={components}
      urlTransform={safeUrl}
    >
      {text}
    </ReactMarkdown>
  );
}

const plugins = [remarkGfm];

/** Footnotes are named within their message, of which there are many on the page. */
const footnotesOf = (id: string) => ({
  clobberPrefix: `${id}-`,
  footnoteLabelTagName: "h3",
  footnoteLabelProperties: { className: ["visually-hidden"] },
});

const components: Components = {
  // A message has a heading of its own, which those inside of it stand below. Most messages begin with a second or
  // third level: these look different and are read as the same one, so that no level is left out.
  h1: "h3",
  h2: ({ children }) => <h3 className="md-h2">{children}</h3>,
  // The heading of the footnotes has an id and a class of its own.
  h3: ({ id, className = "md-h3", children }) => (
    <h3 id={id} className={className}>
      {children}
    </h3>
  ),
  input: ({ checked }) => (
    <input type="checkbox" checked={checked} disabled aria-label={checked ? "Done" : "To do"} />
  ),
  a: ({ node: _, href, children, ...rest }) => {
    if (!href) return <RefusedLink>{children}</RefusedLink>;
    // A footnote, and the way back from it.
    if (href.startsWith("#"))
      return (
        <a {...rest} href={href} onClick={jump}>
          {children}
        </a>
      );
    return (
      <a href={href} target="_blank" rel="noopener noreferrer nofollow">
        {children}
      </a>
    );
  },
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

/** Goes to a place in the same message, without leaving it in the address, which names the subagent that is open. */
function jump(event: MouseEvent<HTMLAnchorElement>): void {
  event.preventDefault();
  const id = decodeURIComponent(event.currentTarget.hash.slice(1));
  const target = document.getElementById(id);
  target?.scrollIntoView({ block: "center" });
  const link = target instanceof HTMLAnchorElement ? target : target?.querySelector<HTMLElement>("a");
  link?.focus({ preventScroll: true });
}

/** What the machine holds is shown at once. */
function Picture({ src, alt }: { src?: string; alt: string }) {
  if (!src) return <span>{alt}</span>;
  if (isLocal(src)) return <img src={src} alt={alt} loading="lazy" />;
  return <RemotePicture src={src} alt={alt} />;
}

function isLocal(src: string): boolean {
  if (/^data:image\/(png|jpe?g|gif|webp|avif);/i.test(src) || src.startsWith("blob:")) return true;
  return URL.canParse(src, location.href) && new URL(src, location.href).origin === location.origin;
}

function safeUrl(url: string, key: string): string {
  return key === "src" && isLocal(url) ? url : defaultUrlTransform(url);
}
