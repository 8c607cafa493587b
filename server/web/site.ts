import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Page, PageFile } from "./page.ts";
import { EMBEDDED, readPage } from "./page-folder.ts";

const sources = join(import.meta.dir, "..", "..", "web");
/** From the sources a start must be quick; the executable carries what was compressed for long. */
const QUICK = 5;

/**
 * The page that this process serves: embedded in the executable, or bundled from `web/` when somebody first
 * asks for it, so that a start does not wait for a page that nobody may open.
 */
export class Site {
  #page: Promise<Page> | undefined;
  /** An open tab may still load parts of the page as it was before the last change. */
  #former: Page | undefined;
  #stamp = "";

  /** @param watch bundle again when a file under `web/` has changed */
  constructor(private readonly watch = false) {}

  async document(): Promise<PageFile> {
    if (this.watch) await this.#refresh();
    return (await this.#current()).document;
  }

  async asset(name: string): Promise<PageFile | undefined> {
    return (await this.#current()).assets.get(name) ?? this.#former?.assets.get(name);
  }

  #current(): Promise<Page> {
    this.#page ??= load().catch((error) => {
      // The sources may be mended while the process runs.
      this.#page = undefined;
      throw error;
    });
    return this.#page;
  }

  async #refresh(): Promise<void> {
    const stamp = sourcesStamp();
    if (stamp === this.#stamp) return;
    this.#stamp = stamp;
    this.#former = await this.#page;
    this.#page = undefined;
  }
}

async function load(): Promise<Page> {
  const embedded = await readPage(EMBEDDED);
  if (embedded) return embedded;
  // Loaded when it is needed: the executable never does.
  const { bundlePage } = await import("./page-bundle.ts");
  return bundlePage(QUICK);
}

/** Changes when a file of the page is written, added or removed. */
function sourcesStamp(): string {
  const paths = readdirSync(sources, { recursive: true, encoding: "utf8" });
  const own = paths.filter((path) => !path.startsWith("node_modules"));
  return own.map((path) => `${path}:${statSync(join(sources, path)).mtimeMs}`).join("\n");
}
