import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { textInside } from "../../../server/control/build/source-files.ts";
import { isMember, memberGlobFault, memberGlobs } from "../../../server/sources/workspaces.ts";
import { buildOf, failureOf, openRig, orderOf, type Rig } from "../../control/build/rig.ts";

let rig: Rig;
beforeAll(() => {
  // No registry answers: whatever is installed is of the workspace.
  rig = openRig({ environment: { npm_config_registry: "http://127.0.0.1:9/" } });
});
afterAll(() => rig.remove());

const LISTED = '{"name":"root","private":true,"workspaces":["apps/*","libs/*"]}';
const PNPM = "packages:\n  - apps/*\n  - 'libs/*'\n";
const PNPM_ROOT = { "package.json": "{}", "pnpm-workspace.yaml": PNPM };
const NPM_LOCK = JSON.stringify({
  name: "root",
  lockfileVersion: 3,
  packages: {
    "": { name: "root", workspaces: ["apps/*", "libs/*"] },
    "apps/agent": { name: "agent", dependencies: { dep: "*" } },
    "libs/dep": { name: "dep", version: "1.0.0" },
    "node_modules/agent": { resolved: "apps/agent", link: true },
    "node_modules/dep": { resolved: "libs/dep", link: true },
  },
});
const YARN_LOCK = "# yarn lockfile v1\n";
const PNPM_LOCK = [
  "lockfileVersion: '9.0'",
  "importers:",
  "  .: {}",
  "  apps/agent:",
  "    dependencies:",
  "      dep: {specifier: 'workspace:*', version: 'link:../../libs/dep'}",
  "  libs/dep: {}",
].join("\n");

/** A workspace below `root` whose member, the agent, takes `dep` of it. */
function workspace(root: string, specifier: string, files: Record<string, string>): Record<string, string> {
  const all = {
    "libs/dep/package.json": '{"name":"dep","version":"1.0.0","main":"index.ts"}',
    "libs/dep/index.ts": "export const word = 1;\n",
    "apps/agent/package.json": JSON.stringify({ name: "agent", dependencies: { dep: specifier } }),
    "apps/agent/graph.json": '{"graphs":{"agent":"./agent.ts:graph"}}',
    "apps/agent/agent.ts": "import { word } from 'dep';\nexport const graph = () => word;\n",
    ...files,
  };
  return Object.fromEntries(Object.entries(all).map(([name, text]) => [root + name, text]));
}

const at = (langgraph_config_path: string) => ({ config: { langgraph_config_path } });
const AGENT = at("apps/agent/graph.json");

const workspaces: [what: string, root: string, specifier: string, files: Record<string, string>][] = [
  ["Bun", "", "workspace:*", { "package.json": LISTED }],
  ["npm", "", "*", { "package.json": LISTED, "package-lock.json": NPM_LOCK }],
  ["Yarn", "", "*", { "package.json": LISTED, "yarn.lock": YARN_LOCK }],
  ["npm, below the root of a repository", "code/", "*", { "package.json": LISTED }],
  ["pnpm", "", "workspace:*", PNPM_ROOT],
  ["pnpm, with its lock file", "", "workspace:*", { ...PNPM_ROOT, "pnpm-lock.yaml": PNPM_LOCK }],
];
test.each(workspaces)("a workspace of %s is installed whole", async (_, root, specifier, files) => {
  const given = await orderOf(rig, workspace(root, specifier, files), at(`${root}apps/agent/graph.json`));
  await buildOf(rig, given);
  const lockFile = Object.keys(files).find((name) => name.includes("lock"));
  const installed = given.lines.find((line) => line.startsWith("$ bun install")) ?? "";
  expect(installed.endsWith(`# ${lockFile}`)).toBe(lockFile !== undefined);
});

test.each([
  ["npm", { "package.json": LISTED, "package-lock.json": NPM_LOCK }],
  ["pnpm", { ...PNPM_ROOT, "pnpm-lock.yaml": PNPM_LOCK }],
])("a member that asks for more than the lock file of %s at its root fails the build", async (_, root) => {
  const files = workspace("", "*", root as Record<string, string>);
  const more = { name: "agent", dependencies: { dep: "*", other: "file:../../libs/other" } };
  files["apps/agent/package.json"] = JSON.stringify(more);
  files["libs/other/package.json"] = '{"name":"other","version":"1.0.0"}';
  expect(await failureOf(rig, await orderOf(rig, files, AGENT))).toMatch(/lockfile is frozen/);
});

/** A member that is TypeScript until its build script has written `dist`; it needs another one of the kind. */
function unbuilt(build: string): Record<string, string> {
  const script = (name: string, text: string) =>
    `import { mkdirSync, writeFileSync } from "node:fs";
mkdirSync("dist");
writeFileSync("dist/index.js", ${JSON.stringify(text)});
console.log("built ${name}");`;
  const manifest = (name: string, more: object) =>
    JSON.stringify({ name, version: "1.0.0", exports: { ".": { import: "./dist/index.js" } }, ...more });
  const { "libs/dep/index.ts": _, ...rest } = workspace("", "workspace:*", { "package.json": LISTED });
  return {
    ...rest,
    "apps/agent/deploy/graph.json": '{"graphs":{"agent":"../agent.ts:graph"},"dependencies":["../"]}',
    "libs/dep/package.json": manifest("dep", {
      scripts: { build },
      dependencies: { base: "workspace:*" },
    }),
    "libs/dep/make.ts": `import "base";${script("dep", "export { word } from 'base';")}`,
    "libs/base/package.json": manifest("base", { scripts: { build: "bun make.ts" } }),
    "libs/base/make.ts": script("base", "export const word = 1;"),
    "libs/unneeded/package.json": manifest("unneeded", { scripts: { build: "exit 1" } }),
  };
}
const BESIDE = at("apps/agent/deploy/graph.json");

test("members that are not built are built by their own scripts, in the order in which they need each other", async () => {
  const given = await orderOf(rig, unbuilt("bun make.ts"), BESIDE);
  await buildOf(rig, given);
  const told = given.lines.filter((line) => /^(?:built|\$ bun run|The package)/.test(line));
  expect(told).toEqual([
    "The package base is not built: libs/base/dist/index.js is not there",
    "$ bun run build   # libs/base",
    "built base",
    "The package dep is not built: libs/dep/dist/index.js is not there",
    "$ bun run build   # libs/dep",
    "built dep",
  ]);
});

test("a member whose script fails, or that has none, fails the build by name, with what helps", async () => {
  const failing = await failureOf(rig, await orderOf(rig, unbuilt("echo it broke; exit 3"), BESIDE));
  expect(failing).toContain("libs/dep/dist/index.js is not there. The package dep is not built");
  expect(failing).toContain("--build-command");
  expect(failing).toMatch(/Before that: bun run build .*# libs\/dep failed with exit code 3: .*it broke/);
  const files = unbuilt("");
  files["libs/dep/package.json"] = '{"name":"dep","version":"1.0.0","main":"dist/index.js"}';
  const without = await failureOf(rig, await orderOf(rig, files, BESIDE));
  expect(without).toContain(
    "it has no build script: give it one in libs/dep/package.json, or name the command",
  );
});

test("with a build command nothing else is built", async () => {
  const settings = { build_command: "cd ../../../libs/base && bun make.ts && cd ../dep && bun make.ts" };
  const given = await orderOf(rig, unbuilt("exit 1"), { ...BESIDE, settings });
  await buildOf(rig, given);
  expect(given.lines.join("\n")).not.toContain("bun run build");
});

test("a folder that the workspace above does not list is installed by itself", async () => {
  const files = workspace("", "file:../../libs/dep", {
    "package.json": '{"workspaces":["others/*"]}',
    "bun.lock": "of the others",
  });
  const folder = await buildOf(rig, await orderOf(rig, files, AGENT));
  expect(existsSync(join(folder, "apps", "agent", "node_modules", "dep"))).toBe(true);
});

test("a pnpm workspace without a package.json says what is missing", async () => {
  const files = workspace("", "workspace:*", { "pnpm-workspace.yaml": PNPM });
  expect(await failureOf(rig, await orderOf(rig, files, AGENT))).toMatch(
    /^pnpm-workspace\.yaml needs a package\.json beside it/,
  );
});

const members: [globs: string[], folder: string, is: boolean][] = [
  [["packages/*"], "packages/a", true],
  [["packages/*"], "packages/a/b", false],
  [["./packages/*/"], "packages/a", true],
  [["packages/**"], "packages/a/b", true],
  [["{apps,libs}/*"], "libs/a", true],
  [["a", "b"], "b", true],
  [["packages/*", "!packages/a"], "packages/a", false],
  [["**", "!**/test/**"], "packages/a/test", false],
  [["!packages/a"], "packages/b", false],
  [["."], "a", false],
  [[], "a", false],
];
test.each(members)("the globs %j and the folder %s: %p", (globs, folder, is) =>
  expect(isMember(globs, folder)).toBe(is),
);

test("members are listed in package.json, as a list or in an object, or in pnpm-workspace.yaml", () => {
  expect(memberGlobs({ workspaces: ["a"] }, undefined)).toEqual(["a"]);
  expect(memberGlobs({ workspaces: { packages: ["a"], catalog: {} } }, undefined)).toEqual(["a"]);
  expect(memberGlobs(undefined, "packages: [a, '!b']\n")).toEqual(["a", "!b"]);
  for (const nothing of ["", "packages: 1", "- a", "{", "packages:\n  - 1\n", "[".repeat(2 ** 20)])
    expect(memberGlobs({ workspaces: 7 }, nothing)).toEqual([]);
});

const patterns: [pattern: string, reason: string | undefined][] = [
  ["../other/*", "has a path with .."],
  ["packages/../../other/*", "has a path with .."],
  ["{..,packages}/other", "has a path with .."],
  ["!../other", "has a path with .."],
  ["packages/..", "has a path with .."],
  ["/srv/berth/builds/*/source", "is an absolute path"],
  ["C:/builds/*", "is an absolute path"],
  ["packages\\..\\other", "has a path with .."],
  ["packages\\other", "has characters that no path of a folder has"],
  ["{.,}./x", "may expand to a path with .."],
  [".{.,}/x", "may expand to a path with .."],
  ["{a,.}{b,.}/x", "may expand to a path with .."],
  ["!{.,}./x", "may expand to a path with .."],
  [".[.]/x", "may expand to a path with .."],
  ["packages/[.a]./x", "may expand to a path with .."],
  ["[].]./x", "may expand to a path with .."],
  [".@(.)/x", "may expand to a path with .."],
  ["{,a}/srv/x", "may expand to an absolute path"],
  ["{a,/srv}/x", "may expand to an absolute path"],
  ["{a,}/srv/x", "may expand to an absolute path"],
  ["{apps,libs}/*", undefined],
  ["./{apps,libs}/[a-z]*", undefined],
  ["packages/{lodash.merge,b.c}", undefined],
  ["packages/{a,b}.d", undefined],
  ["packages/x{,-y}/z", undefined],
  ["packages/{1..3}", undefined],
  ["packages/*", undefined],
  ["./packages/**", undefined],
  ["packages/a..b", undefined],
  ["!**/test/**", undefined],
];
test.each(patterns)("the pattern %j is refused: %p", (pattern, reason) => {
  if (reason === undefined) expect(memberGlobFault(pattern)).toBeUndefined();
  else expect(memberGlobFault(pattern)).toContain(reason);
});

describe("a source that names what is outside of it", () => {
  /** A build script of another tenant's package, which says that it ran. */
  const stranger = (home: string) => {
    const folder = join(home, "other");
    mkdirSync(folder, { recursive: true });
    const manifest = { name: "other", version: "1.0.0", main: "dist.js", scripts: { build: "touch ran" } };
    writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
    return folder;
  };

  const named: [what: string, files: Record<string, string>, message: string][] = [
    [
      "a pattern in package.json",
      { "package.json": '{"name":"root","workspaces":["apps/*","../../*"]}' },
      'package.json: the workspace pattern "../../*" has a path with ..',
    ],
    [
      "a pattern in pnpm-workspace.yaml",
      { "package.json": "{}", "pnpm-workspace.yaml": "packages: ['apps/*', '../../*']\n" },
      'pnpm-workspace.yaml: the workspace pattern "../../*" has a path with ..',
    ],
    [
      "a package by its path",
      {
        "package.json": LISTED,
        "apps/agent/package.json": '{"name":"agent","dependencies":{"other":"file:../../../../other"}}',
      },
      "apps/agent/package.json: ../../../../other is not in the source",
    ],
    [
      "an override",
      { "package.json": '{"name":"root","workspaces":["apps/*"],"overrides":{"a":{"other":"/other"}}}' },
      "package.json: /other is not in the source",
    ],
  ];
  test.each(named)("by %s is refused, and nothing runs there", async (_, files, message) => {
    const all = workspace("", "*", { ...files });
    if (!("apps/agent/package.json" in files))
      all["apps/agent/package.json"] = '{"name":"agent","dependencies":{"other":"*"}}';
    const given = await orderOf(rig, all, AGENT);
    const other = stranger(dirname(given.folder));
    expect(await failureOf(rig, given)).toContain(message);
    expect(readdirSync(other)).toEqual(["package.json"]);
  });

  test("a file is read below the root only, also where no link is on the way", async () => {
    const folder = mkdtempSync(join(tmpdir(), "berth-outside-"));
    mkdirSync(join(folder, "source"));
    writeFileSync(join(folder, "secret.json"), "{}");
    symlinkSync("..", join(folder, "source", "link"));
    for (const path of ["../secret.json", "link/secret.json", "a/../../secret.json"])
      expect(await textInside(join(folder, "source"), path)).toBeUndefined();
    rmSync(folder, { recursive: true });
  });
});
