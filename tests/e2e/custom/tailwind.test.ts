import { afterAll, beforeAll, expect, test } from "bun:test";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TEST_LIMIT_MS } from "../../limits.ts";
import { run } from "../../smoke/program.ts";
import { servedBerth } from "../served-berth.ts";

const folder = mkdtempSync(join(tmpdir(), "berth-tailwind-"));
cpSync(join(import.meta.dir, "tailwind-3"), folder, { recursive: true });
beforeAll(async () => {
  const { code, err } = await run([process.execPath, "install", "--frozen-lockfile"], folder);
  if (code !== 0) throw new Error(err);
}, TEST_LIMIT_MS);
// Behind the installation.
const berth = servedBerth({ project: folder });
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const styles = async (graph: string, query = "") =>
  (await fetch(`${berth.url}/ui/${graph}/entrypoint.css${query}`)).text();

test("Tailwind 3 is compiled by its configuration, whose globs count from the project", async () => {
  const css = await styles("agent");
  expect(css).toMatch(/\.text-brand\{[^}]*rgb\(1 2 3/);
  expect(css).toContain(".underline{");
  expect(css).not.toContain("@tailwind");
  // In a file that is left out.
  expect(css).not.toContain("line-through");
});

test("a stylesheet without Tailwind is the bundler's alone", async () => {
  expect(await styles("plain")).toContain(".plain{color:teal}");
});

test("a page may say which colours are preferred", async () => {
  const part = /@media \(prefers-color-scheme:dark\)\{\.dark/;
  expect(await styles("agent")).toMatch(part);
  expect(await styles("agent", "?color_scheme=dark")).toMatch(/@media \(min-width:0px\)\{\.dark/);
  expect(await styles("agent", "?color_scheme=light")).not.toMatch(/prefers-color-scheme|min-width:0px/);
  expect((await fetch(`${berth.url}/ui/agent/entrypoint.css?color_scheme=blue`)).status).toBe(422);
});

test("what Tailwind finds wrong is told with the file", async () => {
  writeFileSync(join(folder, "broken.css"), "@tailwind utilities;\n.x { @apply nothing-such; }\n");
  const answer = await fetch(`${berth.url}/ui/broken/entrypoint.css`);
  expect(answer.status).toBe(503);
  expect(((await answer.json()) as { detail: string }).detail).toMatch(
    /^The components of the graph "broken" cannot be bundled: broken\.css: .*nothing-such/,
  );
});
