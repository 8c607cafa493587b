import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { transferSizes } from "../../server/web/page.ts";
import { bundlePage } from "../../server/web/page-bundle.ts";
import { readPage, writePage } from "../../server/web/page-folder.ts";
import { Site } from "../../server/web/site.ts";

let folder: string;
let writes = 0;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "berth-site-"));
  write("index.html", '<!doctype html><script type="module" src="./main.ts"></script>');
  write("main.ts", `console.log("${"first ".repeat(300)}");`);
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Two writes may come within one tick of the file system's clock: each gets a time of its own. */
function write(name: string, text: string): void {
  writeFileSync(join(folder, name), text);
  writes += 1;
  utimesSync(join(folder, name), writes, writes);
}

async function scriptOf(site: Site): Promise<string> {
  const html = await (await site.document("index", 0)).bodies.identity.text();
  return /"assets\/([\w-]+\.js)"/.exec(html)?.[1] ?? "no script";
}

const textOf = async (site: Site, name: string) => (await site.asset(name))?.bodies.identity.text();

test("while somebody works on it, a change shows at the next load, and open tabs keep what they have", async () => {
  const site = new Site({ sources: folder, watch: true });
  const first = await scriptOf(site);
  expect(await textOf(site, first)).toContain("first");
  expect(await scriptOf(site)).toBe(first);
  write("main.ts", 'console.log("second");');
  const second = await scriptOf(site);
  expect(second).not.toBe(first);
  expect(await textOf(site, second)).toContain("second");
  expect(await textOf(site, first)).toContain("first");
});

test("otherwise it stays what it was", async () => {
  const site = new Site({ sources: folder });
  const first = await scriptOf(site);
  write("main.ts", 'console.log("second");');
  expect(await scriptOf(site)).toBe(first);
});

test("sources that cannot be bundled fail the call with the reason, and work when they are mended", async () => {
  const site = new Site({ sources: folder, watch: true });
  write("main.ts", 'import "./missing.ts";');
  await expect(site.document("index", 0)).rejects.toThrow("./missing.ts");
  await expect(site.document("index", 0)).rejects.toThrow("./missing.ts");
  write("main.ts", 'console.log("mended");');
  expect(await textOf(site, await scriptOf(site))).toContain("mended");
});

test("a page that was written into a folder is read as it was", async () => {
  const page = await bundlePage(folder, 11);
  const place = join(folder, "page");
  expect(await readPage(place)).toBeUndefined();
  await writePage(place, page);
  const read = await readPage(place);
  expect(read && transferSizes(read)).toEqual(transferSizes(page));
  const [name = "", script] = [...page.assets][0] ?? [];
  const copy = read?.assets.get(name);
  expect([copy?.type, copy?.hash]).toEqual([script?.type, script?.hash]);
  for (const encoding of ["identity", "br", "gzip"] as const)
    expect(await copy?.bodies[encoding]?.text()).toBe(await script?.bodies[encoding]?.text());
  expect(copy?.bodies.br?.size).toBeLessThan(200);
});

test("the list of a page's files is the same in whatever order they were bundled", async () => {
  const page = await bundlePage(folder, 1);
  const [file] = page.assets.values();
  if (!file) throw new Error("the page has no script");
  const place = join(folder, "list");
  const listOf = async (names: string[]) => {
    await writePage(place, { ...page, assets: new Map(names.map((name) => [name, file])) });
    return Bun.file(join(place, "page.json")).text();
  };
  expect(await listOf(["b.js", "a.js", "c.js"])).toBe(await listOf(["c.js", "b.js", "a.js"]));
});
