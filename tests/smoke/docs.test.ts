import { afterAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { ROOT, run, SOURCES, startBerth, temporaryFolder } from "./program.ts";

type Block = { page: string; line: number; language: string; text: string };

/** The fenced blocks of a page that are marked to be run: "```sh run" and "```ts run". */
function blocksOf(page: string): Block[] {
  const text = readFileSync(join(ROOT, page), "utf8");
  return [...text.matchAll(/^```(sh|ts) run\n([\s\S]*?)^```$/gm)].map((match) => ({
    page,
    line: text.slice(0, match.index).split("\n").length,
    language: match[1] ?? "",
    text: match[2] ?? "",
  }));
}

const docs = readdirSync(join(ROOT, "docs")).filter((name) => name.endsWith(".md"));
const pages = ["README.md", ...docs.map((name) => `docs/${name}`)].filter(
  (page) => blocksOf(page).length > 0,
);
const folders: { remove(): void }[] = [];
afterAll(() => {
  for (const { remove } of folders) remove();
});

test("the README has blocks to run", () => expect(pages).toContain("README.md"));

describe.each(pages)("%s", (page) => {
  test("does what it says, block after block, on a fresh Berth", async () => {
    const folder = temporaryFolder();
    folders.push(folder);
    symlinkSync(join(ROOT, "node_modules"), join(folder.path, "node_modules"));
    await using berth = await startBerth(SOURCES, { cwd: folder.path });
    for (const block of blocksOf(page)) {
      const { code, out, err } = await run(await command(block, folder.path, berth.url), folder.path);
      const where = `${page}:${block.line}`;
      expect({ where, code, err: code === 0 ? "" : err + out }).toEqual({ where, code: 0, err: "" });
      expect({ where, silent: out.trim() === "" }).toEqual({ where, silent: false });
    }
    expect(await berth.stop()).toBe(0);
  }, 60_000);
});

/** The block as a program in the folder, with the address of this test's Berth in the place of the default one. */
async function command(block: Block, folder: string, url: string): Promise<string[]> {
  const text = block.text.replaceAll(/http:\/\/(127\.0\.0\.1|localhost):8123/g, url);
  if (block.language === "sh")
    return ["bash", "-euo", "pipefail", "-c", text.replaceAll("curl ", "curl --fail-with-body ")];
  const file = join(folder, `block-${block.line}.ts`);
  await Bun.write(file, text);
  return [process.execPath, file];
}

test("the pages about the API name every operation that there is, and no other", async () => {
  const folder = temporaryFolder();
  folders.push(folder);
  await using berth = await startBerth(SOURCES, { cwd: folder.path });
  const { paths }: OpenApi = await (await fetch(`${berth.url}/openapi.json`)).json();
  const served = Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const pages = ["agent-server.md", "control-plane.md", "issue-api.md", "traces.md"];
  const text = pages.map((page) => readFileSync(join(ROOT, "docs", page), "utf8")).join("\n");
  const named = [...text.matchAll(/`((?:GET|POST|PUT|PATCH|DELETE) \/[^`]*)`/g)].map(([, name = ""]) => name);
  expect([...new Set(named)].sort()).toEqual(served.sort());
}, 30_000);

type OpenApi = { paths: Record<string, Record<string, unknown>> };

test("docs/configuration.md names every setting that is read", () => {
  const code = readFileSync(join(ROOT, "server", "config.ts"), "utf8");
  const calls = [...code.matchAll(/\bread\((?:\[([^\]]+)\]|("[A-Z_]+"))/g)];
  const names = calls.flatMap(([, list, one]) => (list ?? one ?? "").match(/[A-Z_]{3,}/g) ?? []);
  const page = readFileSync(join(ROOT, "docs", "configuration.md"), "utf8");
  expect(names.length).toBeGreaterThan(15);
  expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});

test("every link between the pages leads somewhere", () => {
  const all = ["README.md", "CONTRIBUTING.md", "AGENTS.md", ...docs.map((name) => `docs/${name}`)];
  const broken = all.flatMap((page) => {
    const text = readFileSync(join(ROOT, page), "utf8");
    const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)[^)]*\)/g)].map(([, target = ""]) => target);
    return links
      .filter((target) => !readable(join(ROOT, page, "..", target)))
      .map((target) => `${page}: ${target}`);
  });
  expect(broken).toEqual([]);
});

function readable(path: string): boolean {
  try {
    readFileSync(path);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EISDIR";
  }
}
