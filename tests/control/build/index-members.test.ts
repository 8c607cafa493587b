import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { failureOf, openRig, orderOf, type Rig } from "./rig.ts";

let rig: Rig;
let asked: string[] = [];
/** Where a stranger has published a package of each name. */
const registry: Bun.Server<undefined> = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: ({ url }): Response => {
    const name = decodeURIComponent(new URL(url).pathname.slice(1));
    asked.push(name);
    const version = (text: string) => ({ name, version: text, dist: { tarball: `${registry.url}none.tgz` } });
    const versions = { "1.0.0": version("1.0.0"), "9.0.0": version("9.0.0") };
    return Response.json({ name, "dist-tags": { latest: "9.0.0" }, versions });
  },
});
beforeAll(() => {
  rig = openRig({ environment: { npm_config_registry: String(registry.url) } });
});
beforeEach(() => {
  asked = [];
});
afterAll(async () => {
  rig.remove();
  await registry.stop(true);
});

type Files = Record<string, string>;
const ROOT = { name: "root", private: true, workspaces: ["apps/*", "libs/*"] };

/** A workspace whose agent takes its member `dep`, of version 1.0.0, by this specifier. */
function workspace(specifier: string, root: object, files: Files = {}): Files {
  return {
    "package.json": JSON.stringify(Object.assign({}, ROOT, root)),
    "libs/dep/package.json": '{"name":"dep","version":"1.0.0","main":"index.ts"}',
    "libs/dep/index.ts": "export const word = 'of the member';\n",
    "apps/agent/package.json": JSON.stringify({ name: "agent", dependencies: { dep: specifier } }),
    "apps/agent/graph.json": '{"graphs":{"agent":"./agent.ts:graph"}}',
    "apps/agent/linked.sh":
      "grep -q 'of the member' node_modules/dep/index.ts ../../node_modules/dep/index.ts && exit 3\n",
    "apps/agent/agent.ts": "import { word } from 'dep';\nexport const graph = () => word;\n",
    ...files,
  };
}
const AGENT = { config: { langgraph_config_path: "apps/agent/graph.json" } };

const confusions: [what: string, files: Files, reason: string][] = [
  ["a range that its version does not satisfy", workspace("^9.0.0", {}), "the member's version is 1.0.0"],
  ["a tag", workspace("latest", {}), "it is no range of versions"],
  ["no version at all", workspace("", {}), "it is no range of versions"],
  ["an alias of the same name", workspace("npm:dep@^9", {}), "the member's version is 1.0.0"],
  [
    "a range for a member without a version",
    workspace("^9.0.0", {}, { "libs/dep/package.json": '{"name":"dep"}' }),
    "the member has no version",
  ],
  [
    "a catalog",
    workspace("catalog:", { workspaces: { packages: ROOT.workspaces, catalog: { dep: "^9.0.0" } } }),
    "the member's version is 1.0.0",
  ],
  [
    "a setting of Bun",
    workspace("*", {}, { "bunfig.toml": "[install]\nlinkWorkspacePackages = false\n" }),
    "bunfig.toml turns off the linking of members",
  ],
  [
    "a setting of pnpm",
    workspace("*", {}, { ".npmrc": "link-workspace-packages=false\n" }),
    ".npmrc turns off the linking of members",
  ],
  [
    "a list that only pnpm reads",
    workspace("*", { workspaces: ["apps/*"] }, { "pnpm-workspace.yaml": "packages: ['apps/*', 'libs/*']\n" }),
    "only package.json says which members Bun links",
  ],
];
test.each(confusions)("a member is never taken from the registry: %s", async (_, files, reason) => {
  const failure = await failureOf(rig, await orderOf(rig, files, AGENT));
  expect(failure).toStartWith('apps/agent/package.json: "dep" is a member of the workspace (libs/dep)');
  expect(failure).toContain(reason);
  expect(failure).toEndWith('Write "workspace:*"');
  expect(asked).toEqual([]);
});

test.each([
  ["overrides", { overrides: { dep: "9.0.0" } }],
  ["nested overrides", { overrides: { agent: { dep: "9.0.0" } } }],
  ["resolutions", { resolutions: { "**/dep": "9.0.0" } }],
])("%s do not replace a member by a package of the registry", async (_, root) => {
  const failure = await failureOf(rig, await orderOf(rig, workspace("*", root), AGENT));
  expect(failure).toMatch(/^package\.json: (?:overrides|resolutions) would replace "dep", a member of/);
  expect(asked).toEqual([]);
});

test.each([
  "*",
  "^1.0.0",
  ">=0.9 <2",
  "0.9.0 - 2",
  "1.x || 2.x",
  "workspace:^",
  "file:../../libs/dep",
  "npm:dep",
])("a member that %j names is linked", async (specifier) => {
  const given = await orderOf(rig, workspace(specifier, {}), AGENT);
  // A build that ends behind the installation is shorter.
  given.revision.settings.build_command = "sh linked.sh";
  expect(await failureOf(rig, given)).toMatch(/failed with exit code 3/);
  expect(asked).toEqual([]);
});
