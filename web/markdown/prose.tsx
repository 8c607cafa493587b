import { type MouseEvent, useEffect, useId, useState } from "react";
import ReactMarkdown, { type Components, defaultUrlTransform } from "react-markdown";
import remarkGfm from "remark-gfm";
import { CodeBlock } from "./code-block.tsx";
import { hasFormulas, withFormulas } from "./formula-text.ts";
import { isLocalPicture } from "./local-picture.ts";
import { RefusedLink, RemotePicture } from "./remote-picture.tsx";
import { WORDS } from "./words.tsx";

/** A block of Markdown that is no code. What reads it is large, and so this is loaded with the first text. */
export function Prose({ text }: { text: string }) {
  const id = useId();
  const typesetter = useTypesetter(hasFormulas(text));
  return (
    <ReactMarkdown
      remarkPlugins={typesetter ? [...plugins, typesetter.formulas] : plugins}
      remarkRehypeOptions={footnotesOf(id)}
      components={typesetter ? typeset(typesetter) : components}
      urlTransform={safeUrl}
    >
      {typesetter ? withFormulas(text) : text}
    </ReactMarkdown>
  );
}

type Typesetter = typeof import("./formula.tsx");

let loaded: Typesetter | undefined;

/** What sets formulas, loaded with the first of them; until then they are text. */
function useTypesetter(isWanted: boolean): Typesetter | undefined {
  const [, setLoaded] = useState(loaded);
  useEffect(() => {
    if (!isWanted || loaded) return;
    let isHere = true;
    import("./formula.tsx").then(
      (module) => {
        loaded = module;
        if (isHere) setLoaded(module);
      },
      () => {},
    );
    return () => {
      isHere = false;
    };
  }, [isWanted]);
  return isWanted ? loaded : undefined;
}

let withTypesetter: Components | undefined;

/** The same components each time: others would be drawn anew. */
function typeset({ Formula }: Typesetter): Components {
  withTypesetter ??= {
    ...components,
    code: ({ className = "", children }) =>
      className.includes("math-inline") ? (
        <Formula tex={String(children)} isBlock={false} />
      ) : (
        <code className={className || undefined}>{children}</code>
      ),
    pre: ({ node }) => {
      const { text, language } = codeOf(node);
      if (language === "math") return <Formula tex={text} isBlock />;
      return <CodeBlock text={text} language={language} />;
    },
  };
  return withTypesetter;
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
    <input type="checkbox" checked={checked} disabled aria-label={checked ? WORDS.done : WORDS.toDo} />
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
    <section className="md-table" tabIndex={0} aria-label={WORDS.table}>
      <table>{children}</table>
    </section>
  ),
  pre: ({ node }) => <CodeBlock {...codeOf(node)} />,
};

type PreNode = Parameters<Extract<Components["pre"], (...given: never[]) => unknown>>[0]["node"];

/** The text of a block of code, and what its language is. */
function codeOf(node: PreNode): { text: string; language: string | undefined } {
  const code = node?.children[0];
  if (code?.type !== "element") return { text: "", language: undefined };
  const text = code.children.map((child) => (child.type === "text" ? child.value : "")).join("");
  const names = code.properties.className;
  const name = Array.isArray(names) ? names.find((one) => String(one).startsWith("language-")) : undefined;
  return { text: text.replace(/\n$/, ""), language: name ? String(name).slice(9) : undefined };
}

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
  if (isLocalPicture(src, location.href)) return <img src={src} alt={alt} loading="lazy" />;
  return <RemotePicture src={src} alt={alt} />;
}

function safeUrl(url: string, key: string): string {
  return key === "src" && isLocalPicture(url, location.href) ? url : defaultUrlTransform(url);
}
