import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { DocumentName, PageFile, WebPage } from "./page.ts";
import type { bundlePage as BundlePage } from "./page-bundle.ts";
import { EMBEDDED, readPage } from "./page-folder.ts";

/** The sources of the page; not there in the executable. */
export const SOURCES = join(import.meta.dir, "..", "..", "web");
/** From the sources a page is wanted at once; the executable carries one that was compressed for long. */
const QUICK = 5;

type SiteOptions = {
  /** Bundle again when a source has changed. */
  watch?: boolean;
  sources?: string;
};

/**
 * The page that this process serves: embedded in the executable, or bundled from its sources when somebody
 * first asks for it, so that a start does not wait for a page that nobody may open.
 */
export class Site {
  readonly #sources: string;
  readonly #watch: boolean;
  #page: Promise<WebPage> | undefined;
  /** An open tab may still load parts of the page as it was before the last change. */
  #former: WebPage | undefined;
  #stamp = "";

  constructor({ watch = false, sources = SOURCES }: SiteOptions = {}) {
    this.#sources = sources;
    this.#watch = watch && !existsSync(EMBEDDED);
  }

  /**
   * A document, for addresses that many levels down.
   * @throws Error when the sources cannot be bundled; the next call tries again
   */
  async document(name: DocumentName, level: number): Promise<PageFile> {
    if (this.#watch) await this.#refresh();
    const file = (await this.#current()).documents.get(name)?.[level];
    if (!file) throw new Error(`no document ${name} for level ${level}`);
    return file;
  }

  /** A file that a document loads; undefined when there is none of that name. */
  async asset(name: string): Promise<PageFile | undefined> {
    return (await this.#current()).assets.get(name) ?? this.#former?.assets.get(name);
  }

  #current(): Promise<WebPage> {
    this.#page ??= load(this.#sources).catch((error) => {
      this.#page = undefined;
      throw error;
    });
    return this.#page;
  }

  async #refresh(): Promise<void> {
    const stamp = stampOf(this.#sources);
    if (stamp === this.#stamp) return;
    this.#stamp = stamp;
    this.#former = (await this.#page) ?? this.#former;
    this.#page = undefined;
  }
}

async function load(sources: string): Promise<WebPage> {
  return (await readPage(EMBEDDED)) ?? freshPage(sources, QUICK);
}

/** The page, bundled from its sources. What does that is loaded when it is needed: the executable never does. */
export async function freshPage(...order: Parameters<typeof BundlePage>): Promise<WebPage> {
  const { bundlePage } = await import("./page-bundle.ts");
  return bundlePage(...order);
}

/** Changes when a file is written, added or removed. */
function stampOf(folder: string): string {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => name !== "node_modules")
    .map((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? stampOf(path) : `${path}:${statSync(path).mtimeMs}`;
    })
    .join("\n");
}
