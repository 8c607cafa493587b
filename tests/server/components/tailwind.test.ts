import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compileTailwind } from "../../../server/components/tailwind.ts";

const project = mkdtempSync(join(tmpdir(), "berth-own-tailwind-"));
afterAll(() => rmSync(project, { recursive: true, force: true }));
writeFileSync(join(project, "card.tsx"), `export const Card = () => <p className="underline p-4">hi</p>;`);

test.each(['@import "tailwindcss";', '@import "tailwindcss/utilities";', "@tailwind utilities;"])(
  "a project without Tailwind has %s compiled by Berth's copy",
  async (css) => {
    const compiled = await compileTailwind(join(project, "card.css"), css, project);
    expect(compiled).toContain("text-decoration-line: underline");
  },
);

test("a stylesheet without Tailwind is left to the bundler", async () => {
  expect(await compileTailwind(join(project, "card.css"), ".a { color: teal }", project)).toBeUndefined();
});
