/** What the page at `/` tells: where this process is reached, and what it serves. */
export type Welcome = { publicUrl: string; version: string; graphs: string[] };

/** The page at `/`: the addresses of this process. It needs no other file and no other host. */
export function welcomePage({ publicUrl, version, graphs }: Welcome): string {
  const rows = [
    ["docs", "API reference, to read and to try"],
    ["openapi.json", "The same as an OpenAPI document"],
    ["info", "Version and capabilities"],
    ["ok", "Health"],
    ["metrics", "Metrics"],
  ].map(([path, what]) => `<tr><td><a href="${path}">/${path}</a></td><td>${what}</td></tr>`);
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>Berth</title>
<style>
  :root { color-scheme: light dark; --quiet: light-dark(#5b6472, #a3adba); --line: light-dark(#dfe3e8, #363c45); }
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 40rem; margin: 4rem auto; padding: 0 1rem;
    color: light-dark(#1c2127, #e8ebef); background: light-dark(#fff, #16191d); }
  h1 { margin: 0; line-height: 1.2; }
  h1 small { font-size: 1rem; font-weight: normal; color: var(--quiet); }
  h2 { font-size: 1rem; margin: 2.5rem 0 0.5rem; color: var(--quiet); }
  a { color: light-dark(#0b5bc2, #7ab8ff); }
  ul { margin: 0; padding: 0; list-style: none; }
  table { border-collapse: collapse; width: 100%; }
  td { padding: 0.4rem 1.5rem 0.4rem 0; border-top: 1px solid var(--line); }
  td:first-child { white-space: nowrap; width: 1%; }
  code { font-family: ui-monospace, monospace; overflow-wrap: anywhere; }
</style>
<h1>Berth <small>${escaped(version)}</small></h1>
<p>An Agent Server for LangGraph. Its clients take <code>${escaped(publicUrl)}</code> as their address.</p>
<h2>Graphs</h2>
<ul>${graphs.map((graph) => `<li><code>${escaped(graph)}</code></li>`).join("")}</ul>
<h2>Addresses</h2>
<table>${rows.join("")}</table>
</html>
`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
