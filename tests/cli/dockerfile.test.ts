import { afterAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { dockerfileOf } from "../../server/cli/deploy/dockerfile.ts";
import { readProjectFiles } from "../../server/control/index.ts";

const scratch = realpathSync(mkdtempSync(join(tmpdir(), "berth-dockerfile-")));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

type Given = { config?: object; files?: Record<string, string>; commands?: object; path?: string };
let made = 0;

/** The lines that a project gives; its files are real ones. */
async function linesOf({ config = {}, files = {}, commands = {}, path = "graph.json" }: Given) {
  made += 1;
  const root = join(scratch, String(made));
  const whole = { graphs: { agent: "./agent.ts:graph" }, ...config };
  for (const [name, text] of Object.entries({ ...files, [path]: JSON.stringify(whole) })) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  const found = await readProjectFiles(root, path);
  const text = dockerfileOf({ config: whole, configFile: join(root, path), files: found, root, commands });
  expect(text).not.toContain(scratch);
  return text.trimEnd().split("\n");
}

const PYTHON = { graphs: { agent: "./agent.py:graph" } };
const fromOf = async (config: object) => (await linesOf({ config }))[0];
const runs = (lines: string[]) => lines.filter((line) => line.startsWith("RUN "));

test("a project without packages is its files and this berth, as nobody in particular", async () => {
  expect(await linesOf({})).toEqual([
    "FROM debian:trixie-slim",
    "USER 0:0",
    "USER 0:0",
    "COPY berth /usr/local/bin/berth",
    "COPY --chown=65532:65532 own /berth",
    "COPY app /app",
    "WORKDIR /app",
    "ENV HOST=0.0.0.0 PORT=8000 DATA_DIR=/berth/data HOME=/berth/home",
    "EXPOSE 8000",
    "USER 65532:65532",
    'ENTRYPOINT ["/usr/local/bin/berth","serve","--project","/app/graph.json"]',
  ]);
});

test("the base follows the versions, the distribution and the name of an image", async () => {
  expect(await fromOf({ node_version: "22" })).toBe("FROM node:22-trixie-slim");
  expect(await fromOf({ node_version: 20, image_distro: "bookworm" })).toBe("FROM node:20-bookworm-slim");
  expect(await fromOf(PYTHON)).toBe("FROM python:3.12-slim-trixie");
  expect(await fromOf({ ...PYTHON, python_version: "3.13", node_version: "20" })).toBe(
    "FROM python:3.13-slim-trixie",
  );
  const named = { ...PYTHON, base_image: "mirror.example:5000/a/base@sha256:00", image_distro: "wolfi" };
  expect(await fromOf(named)).toBe("FROM mirror.example:5000/a/base@sha256:00");
});

test("JavaScript packages are installed by this berth, by the lock file", async () => {
  const files = { "package.json": "{}", "bun.lock": "" };
  const lines = await linesOf({ files, config: { dockerfile_lines: ["RUN apt-get update", "USER me"] } });
  expect(lines.slice(1, 5)).toEqual(["USER 0:0", "RUN apt-get update", "USER me", "USER 0:0"]);
  expect(lines).toContain("ARG BUN_BE_BUN=1");
  expect(runs(lines)[1]).toBe(
    'RUN --mount=type=cache,target=/var/cache/berth ["/usr/local/bin/berth","install","--no-progress","--frozen-lockfile","--ignore-scripts"]',
  );
  const scripts = await linesOf({
    files: { "package.json": "{}" },
    config: { berth: { lifecycle_scripts: true } },
  });
  expect(runs(scripts)[0]).toEndWith('["/usr/local/bin/berth","install","--no-progress"]');
});

test("a member of a workspace is installed at the root, and members are built", async () => {
  const lines = await linesOf({
    path: "apps/my $agent/langgraph.json",
    files: {
      "package.json": JSON.stringify({ workspaces: ["apps/*", "libs/*"] }),
      "apps/my $agent/package.json": JSON.stringify({ name: "agent", dependencies: { lib: "*" } }),
      "libs/lib/package.json": JSON.stringify({
        ...{ name: "lib", main: "dist/a.js" },
        scripts: { build: "x" },
      }),
    },
  });
  const at = lines.indexOf("WORKDIR /app");
  expect(lines[at + 1]).toContain('"install"');
  expect(lines[at + 2]).toBe("WORKDIR /app/libs/lib");
  expect(lines[at + 3]).toStartWith("RUN BUN_BE_BUN=1 /usr/local/bin/berth run build || ");
  expect(lines).toContain("WORKDIR /app/apps/my \\$agent");
  expect(lines.at(-1)).toEndWith('"--project","/app/apps/my $agent/langgraph.json"]');
});

test("a project's own commands take the place of ours", async () => {
  const files = { "package.json": "{}" };
  const commands = { install_command: "bun install --production", build_command: "make 'a b'" };
  const lines = await linesOf({ files, commands });
  expect(lines).toContain("COPY bun /usr/local/bin/bun");
  expect(runs(lines)).toEqual([
    'RUN ["/bin/sh","-c","bun install --production"]',
    'RUN ["/bin/sh","-c","make \'a b\'"]',
  ]);
});

test("Python packages go into an environment beside the configuration", async () => {
  const config = { ...PYTHON, dependencies: [".", "httpx", "./lib"] };
  const files = {
    "requirements.txt": "a",
    "lib/pyproject.toml": '[project]\ndependencies = ["b>1"]',
  };
  const pip =
    '"/app/.venv/bin/python","-m","pip","install","--no-input","--no-cache-dir","--disable-pip-version-check"';
  expect(runs(await linesOf({ config, files }))).toEqual([
    'RUN ["python3","-m","venv","--clear","--system-site-packages","/app/.venv"]',
    `RUN [${pip},"httpx"]`,
    `RUN [${pip},"-r","/app/requirements.txt"]`,
    `RUN [${pip},"b>1"]`,
    `RUN [${pip},"langgraph"]`,
    'RUN ["/app/.venv/bin/python","-m","pip","uninstall","--yes","uv","wheel","setuptools","pip"]',
  ]);
});

test("uv follows its lock file; pip_installer and keep_pkg_tools say otherwise", async () => {
  const files = { "uv.lock": "", "pyproject.toml": '[project]\ndependencies = ["a"]' };
  const auto = runs(await linesOf({ config: { ...PYTHON, keep_pkg_tools: true }, files }));
  expect(auto.map((line) => /uv"?,"(export|pip)/.exec(line)?.[1])).toEqual([
    ...[undefined, undefined, "export", "pip", "pip"],
  ]);
  const kept = { ...PYTHON, pip_installer: "pip", keep_pkg_tools: ["pip"] };
  const pip = runs(await linesOf({ config: kept, files }));
  expect(pip.join("\n")).not.toContain("export");
  expect(pip.at(-1)).toEndWith('"uninstall","--yes","uv","wheel","setuptools"]');
});

test("settings of pip are there for the build alone", async () => {
  const config = { ...PYTHON, pip_config_file: "./pip.conf", pip_installer: "auto" };
  const lines = await linesOf({ config, files: { "pip.conf": "[global]", "uv.lock": "" } });
  expect(lines).toContain("ARG PIP_CONFIG_FILE=/run/secrets/pip.conf");
  for (const line of runs(lines))
    expect(line).toStartWith("RUN --mount=type=secret,id=pip-config,target=/run/secrets/pip.conf ");
});

test("what no image can be made of is refused by its key", async () => {
  const wrong: [key: string, value: unknown, more?: object][] = [
    ["base_image", "a b"],
    ["base_image", "a\nRUN b"],
    ["image_distro", "wolfi"],
    ["node_version", "latest"],
    ["dockerfile_lines", "RUN x"],
    ["python_version", "2.7", PYTHON],
    ["pip_installer", "poetry", PYTHON],
    ["keep_pkg_tools", ["make"], PYTHON],
  ];
  for (const [key, value, more] of wrong)
    await expect(linesOf({ config: { ...more, [key]: value } })).rejects.toThrow(`"${key}" must be`);
  const both = { ...PYTHON, pip_installer: "uv", pip_config_file: "./pip.conf" };
  await expect(linesOf({ config: both })).rejects.toThrow("uv does not read");
});
