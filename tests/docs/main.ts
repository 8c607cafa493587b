// `bun tests/docs/main.ts`: writes the pages of docs/ that are made from the code. A test compares them.
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { ROOT, SOURCES, startBerth, temporaryFolder } from "../smoke/program.ts";
import type { ApiDocument } from "./document.ts";
import { madePages } from "./pages.ts";

const folder = temporaryFolder();
try {
  await using berth = await startBerth(SOURCES, { cwd: folder.path });
  const document: ApiDocument = await (await fetch(`${berth.url}/openapi.json`)).json();
  const pages = await madePages(document);
  for (const [path, text] of pages) await Bun.write(join(ROOT, path), text);
  const api = join(ROOT, "docs", "api");
  for (const name of readdirSync(api)) if (!pages.has(`docs/api/${name}`)) rmSync(join(api, name));
  console.log(`${pages.size} pages are made.`);
} finally {
  folder.remove();
}
