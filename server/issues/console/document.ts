import { html, Markup } from "./html.ts";

const STYLE = `
:root { color-scheme: light dark; --line: color-mix(in srgb, currentColor 18%, transparent); }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 0 auto; padding: 1.5rem; }
h1 { font-size: 1.5rem; margin: 0 0 .5rem; overflow-wrap: anywhere; }
h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
p { margin: .5rem 0; white-space: pre-line; overflow-wrap: anywhere; }
.facts { display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; opacity: .8; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .4rem .75rem .4rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
td { overflow-wrap: anywhere; }
th { font-weight: 600; }
code { font-size: .9em; }
`;

const styleTag = new Markup(`<style>${STYLE}</style>`);

const policy = () => {
  const hash = new Bun.CryptoHasher("sha256").update(STYLE).digest("base64");
  return `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
};

/** A page of a few words and tables: no script, nothing to load. */
export function documentOf(title: string, content: Markup, status = 200): Response {
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Berth</title>
${styleTag}
</head>
<body>
<main>${content}</main>
</body>
</html>
`;
  return new Response(page.text, {
    status,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": policy(),
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "referrer-policy": "same-origin",
    },
  });
}
