/** What the page at `/` tells: where this process is reached, and what it serves. */
export type Welcome = { publicUrl: string; version: string; graphs: string[] };

/** The page at `/`: the addresses of this process. It needs no other file and no other host. */
export function welcomePage({ publicUrl, version, graphs }: Welcome): string {
  const rows = [
    ["docs", "API reference"],
    ["openapi.json", "API document"],
    ["info", "Version and capabilities"],
    ["ok", "Health"],
    ["metrics", "Metrics"],
  ].map(([path, what]) => `<tr><td><a href="${path}">/${path}</a></td><td>${what}</td></tr>`);
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Berth</title>
<style>
  :root { color-scheme: light dark; }
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 40rem; margin: 4rem auto; padding: 0 1rem; }
  td { padding: 0.2rem 1.5rem 0.2rem 0; }
  code { font-family: ui-monospace, monospace; }
</style>
<h1>Berth <small>${escaped(version)}</small></h1>
<p>An Agent Server listens here. LangGraph clients take <code>${escaped(publicUrl)}</code> as their address.</p>
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
