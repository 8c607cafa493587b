import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join } from "node:path";
import { manifestOf, packageOf, ROOT, readSources } from "./source.ts";

type Manifest = Partial<Record<"dependencies" | "devDependencies" | "overrides", Record<string, string>>> & {
  trustedDependencies?: string[];
};

const sources = readSources();
const read = (path: string): Manifest => JSON.parse(readFileSync(join(ROOT, path), "utf8"));
const declared = ({ dependencies, devDependencies }: Manifest) => ({ ...dependencies, ...devDependencies });

/** Package names by the package.json that has to name them; hoisting hides one that is missing. */
const imported = Map.groupBy(
  sources.flatMap((source) =>
    source.imports
      .filter(
        ({ specifier }) =>
          // `@/x` is a path by the tsconfig of a project.
          !/^(?:\.|@\/)/.test(specifier) && !isBuiltin(specifier) && !specifier.startsWith("bun:"),
      )
      .map(({ specifier }) => ({
        manifest: manifestOf(source),
        name: packageOf(specifier),
        path: source.path,
      })),
  ),
  ({ manifest }) => manifest,
);

const WORKSPACES = ["store", "agent", "server", "web", "tests"];
const manifests = [...new Set([...imported.keys(), ...WORKSPACES.map((name) => `${name}/package.json`)])];

describe.each(manifests)("%s", (manifest) => {
  const names = declared(read(manifest));

  test("names every package that its modules import", () => {
    const missing = (imported.get(manifest) ?? []).filter(({ name }) => !(name in names));
    expect(missing).toEqual([]);
  });

  test("pins every version", () => {
    const loose = Object.entries(names).filter(
      ([, version]) => !/^(\d+\.\d+\.\d+(-[\w.]+)?|npm:@?[\w/.-]+@\d+\.\d+\.\d+|workspace:\*)$/.test(version),
    );
    expect(loose).toEqual([]);
  });
});

/** Used without an import: run by name, read as an asset, or wanted by a package that leaves it to us. */
const WITHOUT_IMPORT: Record<string, string> = {
  "@modelcontextprotocol/conformance": "run by tests/e2e/mcp/node-22.ts",
  "@biomejs/biome": "run by tests/runner/check.ts",
  bun: "the Bun of the scripts",
  "@types/react": "types of what web/ imports",
  "@types/react-dom": "types of what web/ imports",
  "bun-types": "named in tsconfig.json",
  typescript: "run by tests/runner/check.ts and by agent/project/state-types.ts",
  "@tailwindcss/node": "resolved by server/components/tailwind.ts",
  "@tailwindcss/oxide": "resolved by server/components/tailwind.ts",
  tailwindcss: "resolved by server/components/tailwind.ts",
};

test("nothing is installed that nobody uses", () => {
  const used = new Set([...imported.values()].flat().map(({ name }) => name));
  const unused = ["package.json", ...WORKSPACES.map((name) => `${name}/package.json`)].flatMap((manifest) =>
    Object.keys(declared(read(manifest)))
      .filter((name) => !used.has(name) && !(name in WITHOUT_IMPORT))
      .map((name) => `${manifest}: ${name}`),
  );
  expect(unused).toEqual([]);
});

test("every dependency has its line in docs/dependencies.md, and those at run time above the others", () => {
  const page = join(ROOT, "docs", "dependencies.md");
  const text = existsSync(page) ? readFileSync(page, "utf8") : "";
  const [atRunTime = ""] = text.split(/^## Only in tests$/m);
  const namesIn = (folders: string[]) =>
    folders.flatMap((name) => Object.keys(read(`${name}/package.json`).dependencies ?? {}));
  const missing = (names: string[], where: string) =>
    names.filter((name) => !name.startsWith("@berth/") && !where.includes(`\`${name}\``));
  const untold = [
    ...missing(namesIn(["store", "agent", "server", "web"]), atRunTime),
    ...missing(namesIn(["tests"]), text),
    ...missing(
      Object.keys(read("package.json").devDependencies ?? {}).filter((name) => name !== "bun"),
      text,
    ),
  ];
  expect([...new Set(untold)]).toEqual([]);
});

test("no package but Bun itself runs a script when it is installed", () => {
  // Without a list Bun trusts packages of its own choice, one that reports installs to its makers among them.
  expect(read("package.json").trustedDependencies).toEqual(["bun"]);
});

test("the lock file names no registry", () => {
  expect(readFileSync(join(ROOT, "bun.lock"), "utf8")).not.toMatch(/https?:\/\//);
});
