import { benchmarksPage } from "../bench/page.ts";
import { apiPages } from "./api-pages.ts";
import { commandsPage } from "./commands-page.ts";
import type { ApiDocument } from "./document.ts";
import { eventWords } from "./events-table.ts";
import { pagesWithMadeParts } from "./made-parts.ts";
import { settingsPage } from "./settings-page.ts";

/** Every page that is made and not written, or has a part that is, by its path. */
export async function madePages(document: ApiDocument): Promise<Map<string, string>> {
  const api = [...apiPages(document)].map(([name, text]): [string, string] => [`docs/api/${name}`, text]);
  return new Map([
    ...([
      ["docs/configuration.md", settingsPage()],
      ["docs/cli.md", await commandsPage()],
      ["docs/benchmarks.md", benchmarksPage()],
      ["web/console/webhook-events.json", eventWords()],
    ] as const),
    ...(await pagesWithMadeParts()),
    ...api,
  ]);
}
