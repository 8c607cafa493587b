import { expect, test } from "bun:test";
import { type DocumentName, transferSizes, type WebPage } from "../../server/web/page.ts";
import { bundlePage } from "../../server/web/page-bundle.ts";
import { SOURCES } from "../../server/web/site.ts";

/** As a server compresses that bundles the page for whoever asks first; the executable's is a tenth smaller. */
const QUICK = 5;

const page = await bundlePage(SOURCES, QUICK);
const sizes = transferSizes(page);
const texts = new Map(
  await Promise.all(
    [...page.assets].map(async ([name, { bodies }]) => [name, await bodies.identity.text()] as const),
  ),
);

/** The names of files in a text that `refers` finds, and those that they name in turn. */
function reached(page: WebPage, document: string, refers: (text: string) => string[]): string[] {
  const found = new Set<string>();
  const visit = (text: string) => {
    for (const name of refers(text)) {
      if (!page.assets.has(name) || found.has(name)) continue;
      found.add(name);
      visit(texts.get(name) ?? "");
    }
  };
  visit(document);
  return [...found];
}

/** Every file that is named, also those that are loaded when they are needed. */
const mentioned = (text: string) => [...text.matchAll(/[\w-]+-[a-z0-9]{8}\.\w+/g)].map(([name]) => name);
/** What the document links, and what its modules import before they run. */
const atOnce = (text: string) =>
  [...text.matchAll(/(?:(?:href|src)="(?:\.\.\/)*assets\/|(?:from|import)\s*"\.\/)([^"]+)"/g)].flatMap(
    ([, name]) => name ?? [],
  );

async function transfer(document: DocumentName, refers: (text: string) => string[]): Promise<number> {
  const html = (await page.documents.get(document)?.[0]?.bodies.identity.text()) ?? "";
  const names = [`${document}.html`, ...reached(page, html, refers)];
  const total = names.reduce((sum, name) => sum + (sizes[name] ?? 0), 0);
  console.log(`${document}: ${Math.round(total / 1000)} KB in ${names.length} files`);
  return total;
}

/** What a browser fetches before it shows a document's first screen; see "Keep the first screen small" in CONTRIBUTING.md. */
const FIRST_SCREEN = 150_000;

test.each(["index", "console", "docs"] as const)(
  "%s begins with less than 150 KB, in one script",
  async (name) => {
    const first = await transfer(name, atOnce);
    expect(first).toBeGreaterThan(60_000);
    expect(first).toBeLessThan(FIRST_SCREEN);
    const html = (await page.documents.get(name)?.[0]?.bodies.identity.text()) ?? "";
    expect(reached(page, html, atOnce).filter((file) => file.endsWith(".js"))).toHaveLength(1);
  },
);

test("what follows a thread, reads Markdown and colours code is loaded when it is needed", async () => {
  const later = [...texts.keys()].filter((name) => /^(opened-thread|prose|highlighter|plot)-/.test(name));
  expect(later).toHaveLength(4);
  for (const name of ["index", "console"] as const) {
    const html = (await page.documents.get(name)?.[0]?.bodies.identity.text()) ?? "";
    expect(reached(page, html, atOnce).filter((file) => later.includes(file))).toEqual([]);
  }
});

test("all of the chat is less than 400 KB over the network, and traces nothing", async () => {
  expect(await transfer("index", mentioned)).toBeLessThan(400_000);
  expect([...texts.values()].filter((text) => text.includes("api.smith.langchain.com"))).toEqual([]);
});

test("all of the console is less than 400 KB over the network", async () => {
  expect(await transfer("console", mentioned)).toBeLessThan(400_000);
});
