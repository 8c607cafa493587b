import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { loadProject, MissingModule } from "../../../agent/project/index.ts";

const scratch = mkdtempSync(join(tmpdir(), "berth-missing-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const json = JSON.stringify;
const GRAPHS = json({ graphs: { agent: "./src/agent.ts:graph" } });
let count = 0;

/** Both texts of a project whose agent imports this; its own folder is `P`. */
async function said(
  imported: string,
  files: Record<string, string> = {},
  links: Record<string, string> = {},
) {
  count += 1;
  const dir = join(scratch, `p${count}`);
  const source = `import ${json(imported)};\nexport const graph = () => null;\n`;
  for (const [name, text] of Object.entries({ "graph.json": GRAPHS, "src/agent.ts": source, ...files })) {
    mkdirSync(dirname(join(dir, name)), { recursive: true });
    writeFileSync(join(dir, name), text);
  }
  for (const [name, to] of Object.entries(links)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true });
    symlinkSync(join(dir, to), join(dir, name));
  }
  const error = await loadProject(dir).catch((thrown) => thrown);
  if (!(error instanceof MissingModule)) throw new Error(`another failure: ${error}`);
  return { here: error.message.replaceAll(dir, "P"), onServer: error.onServer.replaceAll(dir, "P") };
}

describe("a package that is not installed", () => {
  const imports = 'P/src/agent.ts imports the package "left", which is not installed';

  test("though package.json asks for it: the folder to install in is that of the package.json", async () => {
    const { here, onServer } = await said("left", { "package.json": json({ dependencies: { left: "1" } }) });
    expect(here).toEndWith(`${imports}. Run "bun install" or "npm install" in P`);
    expect(onServer).toContain("P/package.json asks for it, but the installation did not bring it");
  });

  test("and that nobody asks for is added", async () => {
    const { here, onServer } = await said("left/deep", { "package.json": "{}" });
    expect(here).toEndWith(
      `${imports}. P/package.json does not name it: run "bun add left" or "npm install left" in P`,
    );
    expect(onServer).toEndWith(`${imports}. Add it to the dependencies in P/package.json`);
  });

  test("of a package: the project is installed anew", async () => {
    const { here } = await said("right", {
      "package.json": json({ dependencies: { right: "1" } }),
      "node_modules/right/package.json": json({ name: "right", main: "./i.js" }),
      "node_modules/right/i.js": 'import "@left/hand/x";',
    });
    expect(here).toContain('imports the package "@left/hand", which is not installed');
    expect(here).toEndWith('Run "bun install" or "npm install" in P');
  });
});

describe("a package that is installed", () => {
  const left = (manifest: object) => ({
    "package.json": json({ dependencies: { left: "1" } }),
    "node_modules/left/package.json": json({ name: "left", version: "3.2.1", ...manifest }),
    "node_modules/left/i.js": "export const a = 1;",
  });

  test("but does not export what is imported", async () => {
    const exports = { ".": "./i.js", "./parts/*": { import: "./parts/*.js" } };
    for (const { here, onServer } of [await said("left/gone", left({ exports }))]) {
      expect(here).toContain('imports "left/gone", which the installed left 3.2.1 does not export');
      expect(here).toContain("(it exports ., ./parts/*)");
      expect(here).not.toMatch(/bun install|Are the packages/);
      expect(onServer).toBe(here);
    }
    expect((await said("left/x", left({ exports: "./i.js" }))).here).toContain("left 3.2.1 does not export");
  });

  test("but lacks a file that it exports", async () => {
    const exports = { "./parts/*": { types: "./none.d.ts", import: "./parts/*.js" } };
    const { here } = await said("left/parts/one", left({ exports }));
    expect(here).toContain("P/node_modules/left/parts/one.js is not there. The installed left 3.2.1 is not");
    expect((await said("left/deep.js", left({}))).here).toContain("P/node_modules/left/deep.js is not there");
  });

  test("from the project's own workspace, but is not built", async () => {
    const member = (scripts: object) => ({
      "package.json": json({ workspaces: ["packages/*"], dependencies: { shared: "*" } }),
      "packages/shared/package.json": json({ name: "shared", main: "./dist/index.js", scripts }),
    });
    const link = { "node_modules/shared": "packages/shared" };
    const scripted = await said("shared", member({ build: "tsc" }), link);
    expect(scripted.here).toEndWith(
      'P/packages/shared/dist/index.js is not there. The package shared is not built: run "bun run build" or "npm run build" in P/packages/shared',
    );
    const plain = await said("shared", member({}), link);
    expect(plain.onServer).toContain("it has no build script");
    expect(plain.onServer).toContain("--build-command");
  });
});
