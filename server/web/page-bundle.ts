import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { BunPlugin } from "bun";
import { DEEPEST, DOCUMENTS, type DocumentName, hashOf, type PageFile, type WebPage } from "./page.ts";

const text = /^(text\/|application\/(javascript|json|manifest\+json)|image\/svg\+xml)/;
/** Shorter files fit into one packet as they are. */
const WORTH_COMPRESSING = 1_000;

/** `langsmith`, and what `@langchain/core` traces runs with. */
const TRACING = /^langsmith(\/|$)|^\.\.\/tracers\/(base|console|log_stream|tracer_langchain)\.js$/;

/** A name that is missing in the stand-in is an error of the bundler, not of the page. */
const withoutTracing: BunPlugin = {
  name: "without-tracing",
  setup: (build) => {
    build.onResolve({ filter: TRACING }, () => ({ path: join(import.meta.dir, "no-tracing.ts") }));
  },
};

const brotli = promisify(brotliCompress);
const zip = promisify(gzip);

/**
 * Bundles and compresses the documents of a folder and what they load.
 * @param brotliQuality 0–11: 5 takes milliseconds, 11 takes seconds and is a tenth smaller
 * @throws Error what Bun's bundler finds wrong with the sources
 */
export async function bundlePage(sources: string, brotliQuality: number): Promise<WebPage> {
  const names = DOCUMENTS.filter((name) => existsSync(join(sources, `${name}.html`)));
  const pages = await Promise.all(names.map((name) => bundleDocument(sources, name, brotliQuality)));
  const assets = new Map(pages.flatMap(({ files }) => [...files]));
  const components = await componentPage(sources, assets, brotliQuality);
  return { documents: new Map([...pages.map(({ document }) => document), ...components]), assets };
}

/**
 * One document and its files. Each document is bundled by itself: what two have in common would be cut into a dozen
 * files, and a browser waits for every one of them before it draws anything.
 */
async function bundleDocument(
  sources: string,
  name: DocumentName,
  quality: number,
): Promise<{ document: [DocumentName, PageFile[]]; files: Map<string, PageFile> }> {
  const { outputs, success, logs } = await Bun.build({
    entrypoints: [join(sources, `${name}.html`)],
    target: "browser",
    minify: true,
    splitting: true,
    naming: { entry: "[name].[ext]", chunk: "[name]-[hash].[ext]", asset: "[name]-[hash].[ext]" },
    define: { "process.env.NODE_ENV": '"production"' },
    plugins: [withoutTracing],
    throw: false,
  });
  if (!success) throw new Error(`the page cannot be bundled:\n${logs.map(String).join("\n")}`);
  const read = await Promise.all(
    outputs.map(async (output): Promise<[string, PageFile]> => {
      const bytes = new Uint8Array(await output.arrayBuffer());
      return [basename(output.path), await pageFile(output.type, bytes, quality)];
    }),
  );
  const files = new Map(read);
  const document = await takeDocument(files, name, quality);
  await dropSpareStyles(files, document[1]);
  return { document, files };
}

/**
 * The document of components, with its script among the assets. It has no origin, and browsers let such a document
 * load classic scripts only: hence no modules, and nothing in common with the rest of the page.
 */
async function componentPage(
  sources: string,
  assets: Map<string, PageFile>,
  quality: number,
): Promise<[DocumentName, PageFile[]][]> {
  const entry = join(sources, "component", "main.tsx");
  if (!existsSync(entry)) return [];
  const { outputs } = await Bun.build({
    entrypoints: [entry],
    target: "browser",
    format: "iife",
    minify: true,
    naming: "component-[hash].[ext]",
    define: { "process.env.NODE_ENV": '"production"' },
    plugins: [withoutTracing],
  });
  const [script] = outputs;
  if (!script) throw new Error("component/main.tsx was bundled into nothing");
  const name = basename(script.path);
  assets.set(name, await pageFile(script.type, new Uint8Array(await script.arrayBuffer()), quality));
  const html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Component</title></head><body><script src="./${name}"></script></body></html>`;
  return [["component", await levelsOf(html, "text/html;charset=utf-8", quality)]];
}

/** A document's stylesheet has those of the parts that are loaded later; the bundler writes them once more alone. */
async function dropSpareStyles(files: Map<string, PageFile>, levels: readonly PageFile[]): Promise<void> {
  const text = await levels[0]?.bodies.identity.text();
  for (const name of [...files.keys()])
    if (name.endsWith(".css") && !text?.includes(name)) files.delete(name);
}

/** Takes a document out of what was bundled, as it is at each level of addresses. */
async function takeDocument(
  files: Map<string, PageFile>,
  name: DocumentName,
  quality: number,
): Promise<[DocumentName, PageFile[]]> {
  const bundled = files.get(`${name}.html`);
  if (!bundled) throw new Error(`${name}.html was bundled into something else`);
  files.delete(`${name}.html`);
  return [name, await levelsOf(await bundled.bodies.identity.text(), bundled.type, quality)];
}

const levelsOf = (html: string, type: string, quality: number): Promise<PageFile[]> =>
  Promise.all(
    Array.from({ length: DEEPEST + 1 }, (_, level) => {
      const folder = `${"../".repeat(level)}assets/`;
      return pageFile(type, Buffer.from(html.replaceAll(/ (href|src)="\.\//g, ` $1="${folder}`)), quality);
    }),
  );

async function pageFile(type: string, bytes: Uint8Array<ArrayBuffer>, quality: number): Promise<PageFile> {
  const file: PageFile = { type, hash: hashOf(bytes), bodies: { identity: new Blob([bytes]) } };
  if (!text.test(type) || bytes.length < WORTH_COMPRESSING) return file;
  const params = { [constants.BROTLI_PARAM_QUALITY]: quality };
  const [br, gzipped] = await Promise.all([brotli(bytes, { params }), zip(bytes, { level: 9 })]);
  return { ...file, bodies: { ...file.bodies, br: new Blob([br]), gzip: new Blob([gzipped]) } };
}
