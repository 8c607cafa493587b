import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { readPythonSource } from "../../../server/control/build/python-source.ts";

test.each([
  ["dependencies", { dependencies: ["../elsewhere"] }, "../elsewhere"],
  ["pip_config_file", { pip_config_file: "../pip.conf" }, "../pip.conf"],
])("%s may not lead out of the source, and the error names the key", async (key, config, name) => {
  const reading = readPythonSource(import.meta.dir, import.meta.dir, { dependencies: [], ...config });
  await expect(reading).rejects.toThrow(`${key}: ${name} is not in the source`);
});

describe("what is installed for a member of a uv workspace", () => {
  const scratch = mkdtempSync(join(tmpdir(), "berth-uv-source-"));
  afterAll(() => rmSync(scratch, { recursive: true, force: true }));
  let made = 0;

  async function installsOf(files: Record<string, string>, config: Record<string, unknown> = {}) {
    made += 1;
    const root = join(scratch, String(made));
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, name)), { recursive: true });
      writeFileSync(join(root, name), text);
    }
    const source = await readPythonSource(root, join(root, "agent"), config);
    const shown = (words: string[]) => words.map((word) => word.replace(root, ""));
    const { installs, lock } = source;
    return {
      installs: installs.map(shown),
      lock: lock && { package: lock.package, locals: shown(lock.locals) },
    };
  }

  const project = (name: string, needs: string[], more = "") =>
    `[project]\nname = "${name}"\ndependencies = ${JSON.stringify(needs)}\n[build-system]\nrequires = []\n${more}`;
  const files = {
    "pyproject.toml": '[tool.uv.workspace]\nmembers = ["agent", "libs/*"]\nexclude = ["libs/old"]\n',
    "agent/pyproject.toml": project("agent", ["a>1", "My_Lib[fast]>=1 ; python_version > '3'"]),
    "libs/lib/pyproject.toml": project("my.lib", ["b"]).replace(
      "[build-system]",
      '[project.optional-dependencies]\nfast = ["c", "last"]\n[build-system]',
    ),
    "libs/last/pyproject.toml": project("last", ["agent"]),
    "libs/old/pyproject.toml": project("old", []),
  };

  test("is the index's packages of all members that it needs, and these members by their folders", async () => {
    expect((await installsOf(files)).installs).toEqual([
      ["a>1", "c", "b", "/libs/lib", "/libs/last", "/agent"],
    ]);
  });

  test("is the lock file's packages for this member, and then the members without what they need", async () => {
    const found = await installsOf({ ...files, "uv.lock": "" });
    expect(found.lock).toEqual({ package: "agent", locals: ["/libs/lib", "/libs/last", "/agent"] });
  });

  test("is every member, where only the package itself says what it needs", async () => {
    const dynamic = '[project]\nname = "agent"\ndynamic = ["dependencies"]\n[build-system]\nrequires = []\n';
    const { installs } = await installsOf({ ...files, "agent/pyproject.toml": dynamic });
    expect(installs).toEqual([["b", "/agent", "/libs/last", "/libs/lib"]]);
  });

  test("is a repository at its commit, where tool.uv.sources says so", async () => {
    const source = '[tool.uv.sources]\nx = { git = "https://git.test/x", tag = "v1", subdirectory = "py" }\n';
    const { installs } = await installsOf({ "agent/pyproject.toml": project("agent", ["x[y]>1"], source) });
    expect(installs).toEqual([["x[y] @ git+https://git.test/x@v1#subdirectory=py"]]);
  });

  test("is the package itself, too, where source.kind is uv", async () => {
    const source = { kind: "uv", root: "..", package: "Agent" };
    expect((await installsOf(files, { source })).installs).toEqual([
      ["a>1", "c", "b", "/agent", "/libs/lib", "/libs/last"],
    ]);
  });
});
