import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { isMember, memberGlobs } from "../../../server/control/build/workspaces.ts";
import { buildOf, failureOf, openRig, orderOf, type Rig } from "./rig.ts";

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
