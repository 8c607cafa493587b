import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { TEST_LIMIT_MS } from "../../limits.ts";
import { noPython, testPython, VENV } from "../../python-here.ts";
import { because, describeUnless } from "../../skips.ts";
import { type PythonIndex, startPythonIndex } from "./python-index.ts";
import { failureOf, openRig, orderOf, type Rig } from "./rig.ts";

type Files = Record<string, string>;

/** Builds a wheel of one module without any package of an index. */
const BACKEND = `
import os, re, zipfile
def build_wheel(folder, config_settings=None, metadata_directory=None):
    text = open("pyproject.toml").read()
    name = re.search(r'name = "([^"]+)"', text).group(1)
    needs = eval((re.findall(r"^dependencies = (\\[.*\\])$", text, re.M) or ["[]"])[0])
    plain = name.replace("-", "_")
    info = f"{plain}-0.1.0.dist-info"
    file = f"{plain}-0.1.0-py3-none-any.whl"
    with zipfile.ZipFile(os.path.join(folder, file), "w") as wheel:
        wheel.write("module.py", f"{plain}.py")
        requires = "".join(f"Requires-Dist: {one}\\n" for one in needs)
        wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\\nName: {name}\\nVersion: 0.1.0\\n{requires}")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
        wheel.writestr(f"{info}/RECORD", "")
    return file
build_editable = build_wheel
`;

/** A package of the source whose module says which one it is. */
const member = (folder: string, name: string, needs: string[], more = ""): Files => ({
  [`${folder}/pyproject.toml`]: `[project]
name = "${name}"
version = "0.1.0"
requires-python = ">=3.11"
dependencies = ${JSON.stringify(needs)}
${more}
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]
`,
  [`${folder}/backend.py`]: BACKEND,
  [`${folder}/module.py`]: `WORD = "${name} of the source"\n`,
});

const SOURCES = "[tool.uv.sources]\nzz-shared = { workspace = true }\nzz-base = { workspace = true }\n";

/** As `cases/python/uv-workspace`: an agent, a member that it needs, and one that this one needs. */
const workspace = (config: object, more: Files = {}): Files => ({
  "pyproject.toml": `[project]
name = "zz-root"
version = "0.1.0"
requires-python = ">=3.11"
dependencies = ["langgraph>=1,<2"]
[tool.uv.workspace]
members = ["apps/*", "libs/*"]
${SOURCES}[tool.uv]
package = false
`,
  ...member("libs/shared", "zz-shared", ["zz-base"], SOURCES),
  ...member("libs/base", "zz-base", []),
  ...member("libs/unneeded", "zz-unneeded", ["nothing-of-this-name"]),
  ...member("apps/agent", "zz-agent", ["langgraph>=1,<2", "zz_shared"], SOURCES),
  "apps/agent/langgraph.json": JSON.stringify(
    Object.assign({ graphs: { agent: "./graph.py:graph" } }, config),
  ),
  "apps/agent/graph.py": "from zz_shared import WORD\n",
  // A build that ends here is shorter: the graphs are not loaded.
  "apps/agent/show.sh":
    ".venv/bin/python -c 'import zz_shared, zz_base, langgraph.graph as of; print(zz_shared.WORD, zz_base.WORD, of.WORD)'\nexit 3\n",
  ...more,
});
const BUILD = {
  config: { langgraph_config_path: "apps/agent/langgraph.json" },
  settings: { build_command: "sh show.sh" },
};
const INSTALLED = "zz-shared of the source zz-base of the source langgraph of the index";
const UV_SOURCE = { source: { kind: "uv", root: "../..", package: "zz-agent" } };

const uvHere = join(VENV, "bin", "uv");
const noUv =
  noPython ?? because(Bun.which("uv", { PATH: dirname(uvHere) }) === null, "the tests' Python has no uv");

describeUnless(noUv)("members of a uv workspace are never taken from an index", () => {
  const scratch = mkdtempSync(join(tmpdir(), "berth-uv-"));
  let index: PythonIndex;
  const rigs: Record<string, Rig> = {};
  beforeAll(() => {
    // The deployment's user has to get there.
    chmodSync(scratch, 0o755);
    mkdirSync(join(scratch, "bin"));
    symlinkSync(uvHere, join(scratch, "bin", "uv"));
    index = startPythonIndex(join(scratch, "index"), testPython() ?? "");
    index.publish("langgraph", "1.9.0", 'WORD = "langgraph of the index"\n');
    // For the environment itself.
    for (const name of ["pip", "setuptools", "wheel"]) index.publish(name, "99.0.0", "");
    for (const name of ["zz-shared", "zz-base", "zz-agent"])
      index.publish(name, "9.0.0", "raise SystemExit\n");
    const network = { PIP_INDEX_URL: index.url, UV_DEFAULT_INDEX: index.url, PIP_CERT: "" };
    const PATH = process.env.PATH ?? "";
    const paths = PATH.split(":").filter((folder) => Bun.which("uv", { PATH: folder }) === null);
    rigs.pip = openRig({ environment: { PATH: paths.join(":"), ...network } });
    rigs.uv = openRig({ environment: { PATH: `${join(scratch, "bin")}:${PATH}`, ...network } });
  });
  beforeEach(() => {
    index.asked.length = 0;
  });
  afterAll(async () => {
    for (const rig of Object.values(rigs)) rig.remove();
    await index.stop();
    rmSync(scratch, { recursive: true, force: true });
  });

  const rigOf = (name: string) => rigs[name] as Rig;
  const failure = async (by: string, files: Files) =>
    failureOf(rigOf(by), await orderOf(rigOf(by), files, BUILD));
  const membersAsked = () => index.asked.filter((name) => name.startsWith("zz-"));

  /** The workspace with a lock file that uv makes of it. */
  async function locked(files: Files): Promise<Files> {
    const folder = mkdtempSync(join(scratch, "lock-"));
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
    const env = {
      UV_DEFAULT_INDEX: index.url,
      UV_CACHE_DIR: join(scratch, "uv"),
      HOME: scratch,
      PATH: process.env.PATH,
    };
    const words = [uvHere, "lock", "--python", testPython() ?? ""];
    const lock = Bun.spawn(words, { cwd: folder, env, stdout: "ignore", stderr: "pipe" });
    const told = await new Response(lock.stderr).text();
    if ((await lock.exited) !== 0) throw new Error(told);
    index.asked.length = 0;
    return Object.assign({}, files, { "uv.lock": readFileSync(join(folder, "uv.lock"), "utf8") });
  }

  const without = (folder: string, files: Files): Files =>
    Object.fromEntries(Object.entries(files).filter(([path]) => !path.startsWith(folder)));

  test.each([
    ["pip", "by the folder of the agent", {}],
    ["uv", "by the folder of the agent", {}],
    ["uv", "by source.kind uv", UV_SOURCE],
  ])(
    "%s installs them from their folders: %s",
    async (by, _, config) => {
      expect(await failure(by, workspace(config))).toContain(INSTALLED);
      expect(membersAsked()).toEqual([]);
    },
    TEST_LIMIT_MS,
  );

  test(
    "a package that says by its own code what it needs gets the members from their folders, too",
    async () => {
      const files = without("libs/unneeded", workspace({}));
      const path = "apps/agent/pyproject.toml";
      files[path] = (files[path] ?? "").replace(/^dependencies = .*$/m, 'dynamic = ["dependencies"]');
      // What the package says in the end.
      files["apps/agent/backend.py"] = BACKEND.replace('["[]"]', `["['langgraph', 'zz-shared']"]`);
      expect(await failure("uv", files)).toContain(INSTALLED);
      expect(membersAsked()).toEqual([]);
    },
    TEST_LIMIT_MS,
  );

  test(
    "a package that tool.uv.sources names by its path comes from there, without a workspace",
    async () => {
      const sources = '[tool.uv.sources]\nzz-shared = { path = "../../libs/shared" }\n';
      const files = workspace({}, member("apps/agent", "zz-agent", ["langgraph", "zz-shared"], sources));
      const base = '[tool.uv.sources]\nzz-base = { path = "../base" }\n';
      Object.assign(files, member("libs/shared", "zz-shared", ["zz-base"], base));
      expect(await failure("uv", without("pyproject.toml", files))).toContain(INSTALLED);
      expect(membersAsked()).toEqual([]);
    },
    TEST_LIMIT_MS,
  );

  test(
    "a lock file is followed with its hashes, and the members come from their folders",
    async () => {
      const files = await locked(without("libs/unneeded", workspace(UV_SOURCE)));
      expect(await failure("uv", files)).toContain(INSTALLED);
      expect(membersAsked()).toEqual([]);
      index.publish("langgraph", "1.9.0", 'WORD = "something else"\n');
      expect(await failure("uv", files)).toMatch(/^uv pip install -r uv\.lock failed .*Hash mismatch/);
      index.publish("langgraph", "1.9.0", 'WORD = "langgraph of the index"\n');
    },
    TEST_LIMIT_MS,
  );

  const refused: [what: string, config: object, files: Files, reason: string][] = [
    [
      "a list of requirements that names a member",
      {},
      { "apps/agent/requirements.txt": "-r more.txt\n", "apps/agent/more.txt": "# ours\nZZ_Shared>=0.1\n" },
      'apps/agent/more.txt: "zz-shared" is a member of the uv workspace (libs/shared)',
    ],
    [
      "a configuration that names a member",
      { dependencies: [".", "zz-shared"] },
      {},
      'dependencies: "zz-shared" is a member of the uv workspace: name its folder, ./../../libs/shared',
    ],
    [
      "a build that needs a member",
      {},
      {
        "libs/base/pyproject.toml":
          '[project]\nname="zz-base"\nversion="1"\n[build-system]\nrequires=["zz-agent"]\n',
      },
      'libs/base/pyproject.toml: build-system.requires names "zz-agent", a member of the uv workspace',
    ],
    [
      "a source that is no member",
      {},
      { "libs/shared/pyproject.toml": '[project]\nname="other"\nversion="1"\ndependencies=[]\n' },
      'apps/agent/pyproject.toml: "zz-shared" is no member of the uv workspace',
    ],
    [
      "a package that is no member",
      { source: { kind: "uv", root: "../..", package: "other" } },
      {},
      'source.package: "other" is no member of the uv workspace in pyproject.toml',
    ],
    [
      "a root outside",
      { source: { kind: "uv", root: "../../.." } },
      {},
      "source.root: ../../.. is not in the source",
    ],
    ["a path outside", { dependencies: ["/etc"] }, {}, "dependencies: /etc is not in the source"],
    ["a URL outside", { dependencies: ["a @ file:///etc"] }, {}, "dependencies: /etc is not in the source"],
    [
      "members outside",
      {},
      { "pyproject.toml": '[tool.uv.workspace]\nmembers = ["apps/*", "../../*"]\n' },
      'pyproject.toml: the workspace pattern "../../*" has a path with ..',
    ],
    [
      "another index for one package",
      {},
      member("apps/agent", "zz-agent", ["other"], '[tool.uv.sources]\nother = { index = "ours" }\n'),
      'tool.uv.sources says where "other" comes from, which only uv with a uv.lock follows: add a uv.lock',
    ],
  ];
  test.each(refused)("%s is refused", async (_, config, files, reason) => {
    expect(await failure("pip", workspace(config, files))).toContain(reason);
    expect(membersAsked()).toEqual([]);
  });
});
