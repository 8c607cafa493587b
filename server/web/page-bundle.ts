import { basename, join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { BunPlugin } from "bun";
import { hashOf, type Page, type PageFile } from "./page.ts";

const text = /^(text\/|application\/(javascript|json|manifest\+json)|image\/svg\+xml)/;
/** Shorter files fit into one packet as they are. */
const WORTH_COMPRESSING = 1_000;

/** A name that is missing in the stand-in is an error of the bundler, not of the page. */
const withoutTracing: BunPlugin = {
  name: "without-tracing",
  setup: (build) => {
    build.onResolve({ filter: /^langsmith(\/|$)/ }, () => ({ path: join(import.meta.dir, "no-tracing.ts") }));
  },
};

const brotli = promisify(brotliCompress);
const zip = promisify(gzip);

/**
 * Bundles and compresses what `index.html` of a folder loads.
 * @param brotliQuality 0–11: 5 takes milliseconds, 11 takes seconds and is a tenth smaller
 * @throws Error what Bun's bundler finds wrong with the sources
 */
export async function bundlePage(sources: string, brotliQuality: number): Promise<Page> {
  const { outputs, success, logs } = await Bun.build({
    entrypoints: [join(sources, "index.html")],
    target: "browser",
    minify: true,
    splitting: true,
    naming: { entry: "[name].[ext]", chunk: "[name]-[hash].[ext]", asset: "[name]-[hash].[ext]" },
    define: { "process.env.NODE_ENV": '"production"' },
    plugins: [withoutTracing],
    throw: false,
  });
  if (!success) throw new Error(`the page cannot be bundled:\n${logs.map(String).join("\n")}`);
  const files = await Promise.all(
    outputs.map(async (output): Promise<[string, PageFile]> => {
      const bytes = new Uint8Array(await output.arrayBuffer());
      return [basename(output.path), await pageFile(output.type, bytes, brotliQuality)];
    }),
  );
  const assets = new Map(files);
  const bundled = assets.get("index.html");
  if (!bundled) throw new Error("index.html was bundled into something else");
  assets.delete("index.html");
  const html = await bundled.bodies.identity.text();
  const from = (folder: string) =>
    pageFile(
      bundled.type,
      Buffer.from(html.replaceAll(/ (href|src)="\.\//g, ` $1="${folder}`)),
      brotliQuality,
    );
  const [document, nested] = await Promise.all([from("assets/"), from("../assets/")]);
  return { document, nested, assets };
}

async function pageFile(type: string, bytes: Uint8Array<ArrayBuffer>, quality: number): Promise<PageFile> {
  const file: PageFile = { type, hash: hashOf(bytes), bodies: { identity: new Blob([bytes]) } };
  if (!text.test(type) || bytes.length < WORTH_COMPRESSING) return file;
  const params = { [constants.BROTLI_PARAM_QUALITY]: quality };
  const [br, gzipped] = await Promise.all([brotli(bytes, { params }), zip(bytes, { level: 9 })]);
  return { ...file, bodies: { ...file.bodies, br: new Blob([br]), gzip: new Blob([gzipped]) } };
}
