import { afterAll, describe, expect, test } from "bun:test";
import {
  chmodSync,
  cpSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { list } from "tar";
import { type Archive, packProject } from "../../server/cli/deploy/archive.ts";
import { readEnvironment, readProject } from "../../server/cli/deploy/project.ts";

const scratch = mkdtempSync(join(tmpdir(), "berth-pack-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));
let made = 0;

const GRAPH_JSON = JSON.stringify({ graphs: { agent: "./agent.ts:graph" } });

/** A folder with these files. */
function folder(files: Record<string, string>): string {
  made += 1;
  const path = join(scratch, `p${made}`);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), text);
  }
  return path;
}

type Packed = Archive & { file: string; entries: string[]; modes: Record<string, number>; types: string[] };

async function pack(path: string): Promise<Packed> {
  made += 1;
  const file = join(scratch, `${made}.tar.gz`);
  const project = readProject(path, undefined);
  const archive = await packProject(project, (await readEnvironment(project)).file, file);
  const entries: string[] = [];
  const modes: Record<string, number> = {};
  const types = new Set<string>();
  await list({
    file,
    onReadEntry: (entry) => {
      entries.push(entry.path);
      modes[entry.path] = entry.mode ?? 0;
      types.add(entry.type);
    },
  });
  return { ...archive, file, entries, modes, types: [...types] };
}

describe("an archive", () => {
  test("never holds secrets, packages or a repository, whatever the ignore files say", async () => {
    const secret = [".env", ".env.local", ".env.production", "sub/.env", ".dev.vars"];
    const tools = ["node_modules/a/index.js", ".git/HEAD", ".venv/x", "sub/__pycache__/x.pyc"];
    const files = ["agent.ts", "graph.json", ".env.example", "sub/tool.ts", ".gitignore"];
    const names = [...secret, ...tools, ...files];
    const texts = Object.fromEntries(names.map((name) => [name, "x"]));
    const path = folder({ ...texts, "graph.json": GRAPH_JSON, ".gitignore": "!.env\n!node_modules\n" });
    expect((await pack(path)).entries).toEqual(files.sort());
  });

  test("leaves out what .gitignore and .dockerignore say, the nearest one with the last word", async () => {
    const path = folder({
      "graph.json": GRAPH_JSON,
      ".gitignore": "*.log\n/dist\nsecret/\n",
      ".dockerignore": "# comment\nnotes\n!notes/kept.md\n**/*.tmp\n",
      "a.log": "",
      "sub/.gitignore": "!kept.log\nprivate.ts\n",
      "sub/kept.log": "",
      "sub/other.log": "",
      "sub/private.ts": "",
      "sub/dist/x.ts": "",
      "sub/x.tmp": "",
      "dist/x.js": "",
      "secret/x": "",
      "notes/a.md": "",
      "sub/notes/a.md": "",
    });
    expect((await pack(path)).entries).toEqual(
      [".dockerignore", ".gitignore", "graph.json", "sub/.gitignore", "sub/dist/x.ts", "sub/kept.log"].concat(
        "sub/notes/a.md",
      ),
    );
  });

  test("of a folder in a repository keeps to the repository's .gitignore", async () => {
    const path = folder({ ".git/HEAD": "", ".gitignore": "generated\n", "app/graph.json": GRAPH_JSON });
    mkdirSync(join(path, "app/generated"));
    writeFileSync(join(path, "app/generated/x.ts"), "");
    expect((await pack(join(path, "app"))).entries).toEqual(["graph.json"]);
    // Left out as a whole, it is no part of the repository.
    writeFileSync(join(path, ".gitignore"), "generated\n/app\n");
    expect((await pack(join(path, "app"))).entries).toEqual(["generated/x.ts", "graph.json"]);
  });

  test("never holds the file that the configuration names for the environment", async () => {
    const config = JSON.stringify({ graphs: { a: "./a.ts:a" }, env: "./settings/prod.txt" });
    const path = folder({ "graph.json": config, "settings/prod.txt": "KEY=1", "settings/a.txt": "" });
    expect((await pack(path)).entries).toEqual(["graph.json", "settings/a.txt"]);
  });

  test("drops links and says so; a file with two names is packed twice", async () => {
    const path = folder({ "graph.json": GRAPH_JSON, "a.ts": "1", "z/b.ts": "2" });
    symlinkSync("/etc/passwd", join(path, "passwd"));
    symlinkSync(join(path, "z"), join(path, "y"));
    linkSync(join(path, "a.ts"), join(path, "c.ts"));
    const { entries, notes, types } = await pack(path);
    expect(entries).toEqual(["a.ts", "c.ts", "graph.json", "z/b.ts"]);
    expect(types).toEqual(["File"]);
    expect(notes).toEqual(["Left out the links passwd, y: links are not deployed"]);
  });

  test("leaves out what a Berth remembers in the project's folder", async () => {
    const path = folder({
      "graph.json": GRAPH_JSON,
      "data/berth.db": "",
      "data/x": "",
      "sub/data/x.csv": "",
    });
    const { entries, notes } = await pack(path);
    expect(entries).toEqual(["graph.json", "sub/data/x.csv"]);
    expect(notes).toEqual(["Left out the folder data: it is the data of a Berth"]);
  });

  test("has the same bytes whoever packs the same files and when", async () => {
    const files = { "graph.json": GRAPH_JSON, "@scope/a.ts": "1", "b.ts": "2", "run.sh": "#!/bin/sh" };
    const first = folder(files);
    chmodSync(join(first, "run.sh"), 0o755);
    const second = join(scratch, "copy");
    cpSync(first, second, { recursive: true });
    utimesSync(join(second, "b.ts"), 1, 1);
    chmodSync(join(second, "b.ts"), 0o600);
    chmodSync(join(first, "b.ts"), 0o600);
    const [one, other] = [await pack(first), await pack(second)];
    expect(await Bun.file(one.file).bytes()).toEqual(await Bun.file(other.file).bytes());
    expect(one.entries.map((name) => name.replace(/^\.\//, "")).sort()).toEqual(Object.keys(files).sort());
    expect((one.modes["run.sh"] ?? 0) & 0o111).not.toBe(0);
  });

  test("whose configuration file is ignored or a link is refused", async () => {
    const ignored = folder({ "graph.json": GRAPH_JSON, ".gitignore": "*.json" });
    await expect(pack(ignored)).rejects.toThrow("would not be in the archive");
    const linked = folder({ "real.txt": GRAPH_JSON });
    symlinkSync(join(linked, "real.txt"), join(linked, "graph.json"));
    await expect(pack(linked)).rejects.toThrow("would not be in the archive");
  });

  test("that is large is warned of", async () => {
    const path = folder({ "graph.json": GRAPH_JSON });
    const noise = new Uint8Array(51 * 2 ** 20);
    for (let at = 0; at < noise.length; at += 65_536) crypto.getRandomValues(noise.subarray(at, at + 65_536));
    writeFileSync(join(path, "noise.bin"), noise);
    expect((await pack(path)).warning).toContain("large (51.0 MB)");
  });
});

describe("local dependencies", () => {
  test("of the configuration and of package.json come along, nothing else beside them", async () => {
    const path = folder({
      "app/graph.json": JSON.stringify({ graphs: { a: "./a.ts:a" }, dependencies: [".", "../lib"] }),
      "app/package.json": JSON.stringify({ dependencies: { shared: "file:../shared", zod: "4.6.7" } }),
      "lib/x.ts": "",
      "shared/package.json": "{}",
      "shared/node_modules/y/index.js": "",
      "other/private.ts": "",
    });
    const { entries, configPath } = await pack(join(path, "app"));
    expect(entries).toEqual(["app/graph.json", "app/package.json", "lib/x.ts", "shared/package.json"]);
    expect(configPath).toBe("app/graph.json");
  });

  test("of a workspace are the workspace", async () => {
    const path = folder({
      "package.json": JSON.stringify({ workspaces: ["packages/*"] }),
      "bun.lock": "",
      "packages/agent/graph.json": GRAPH_JSON,
      "packages/agent/package.json": JSON.stringify({ dependencies: { tools: "workspace:*" } }),
      "packages/tools/package.json": "{}",
    });
    const { entries, configPath } = await pack(join(path, "packages/agent"));
    expect(entries).toContain("bun.lock");
    expect(entries).toContain("packages/tools/package.json");
    expect(configPath).toBe("packages/agent/graph.json");
  });

  test("of a member of a uv workspace are the workspace, and packages that it names by a path", async () => {
    const path = folder({
      "code/pyproject.toml": '[tool.uv.workspace]\nmembers = ["apps/*", "libs/*"]\n',
      "code/uv.lock": "",
      "code/libs/shared/pyproject.toml": '[project]\nname = "shared"\n',
      "code/apps/agent/pyproject.toml":
        '[project]\nname = "agent"\ndependencies = ["shared", "near"]\n[tool.uv.sources]\nnear = { path = "../../../near" }\n',
      "code/apps/agent/graph.json": JSON.stringify({ graphs: { agent: "./graph.py:graph" } }),
      "near/pyproject.toml": '[project]\nname = "near"\n',
      "other/pyproject.toml": '[project]\nname = "other"\n',
    });
    const { entries, configPath, notes } = await pack(join(path, "code/apps/agent"));
    expect(configPath).toBe("code/apps/agent/graph.json");
    expect(entries).toContain("code/uv.lock");
    expect(entries).toContain("code/libs/shared/pyproject.toml");
    expect(entries).toContain("near/pyproject.toml");
    expect(entries).not.toContain("other/pyproject.toml");
    expect(notes).toContain(`With the whole workspace ${join(path, "code")}: agent is a member of it`);
  });

  test("of a configuration in a folder without a package.json are the workspace of the package that it names", async () => {
    const path = folder({
      "package.json": JSON.stringify({ workspaces: ["apps/*", "packages/*"] }),
      "apps/agent/package.json": JSON.stringify({ dependencies: { tools: "workspace:*" } }),
      "apps/agent/src/a.ts": "",
      "apps/agent/deploy/graph.json": JSON.stringify({
        graphs: { a: "../src/a.ts:a" },
        dependencies: ["../"],
      }),
      "packages/tools/package.json": "{}",
    });
    const { entries, configPath } = await pack(join(path, "apps/agent/deploy"));
    expect(entries).toContain("packages/tools/package.json");
    expect(entries).toContain("package.json");
    expect(configPath).toBe("apps/agent/deploy/graph.json");
  });

  /** The member of a workspace at `packages/agent`, with a dependency as npm and Yarn write it. */
  const member = (root: Record<string, string>) =>
    folder({
      "packages/agent/graph.json": GRAPH_JSON,
      "packages/agent/package.json": JSON.stringify({ dependencies: { tools: "*" } }),
      "packages/agent/.dockerignore": "large.bin",
      "packages/agent/large.bin": "",
      "packages/tools/package.json": "{}",
      "packages/tools/large.bin": "",
      ...root,
    });

  const workspaces: [whose: string, root: Record<string, string>][] = [
    ["npm", { "package.json": '{"workspaces":["./packages/*/"]}', "package-lock.json": "{}" }],
    ["Yarn", { "package.json": '{"workspaces":{"packages":["packages/**"]}}', "yarn.lock": "" }],
    ["pnpm", { "pnpm-workspace.yaml": "packages:\n  - 'packages/*'\n", "pnpm-lock.yaml": "" }],
  ];
  test.each(workspaces)(
    "of a member of a workspace of %s are the workspace, lock file and all",
    async (_, root) => {
      const path = member(root);
      const { entries, configPath, notes } = await pack(join(path, "packages/agent"));
      const files = [
        "packages/agent/.dockerignore",
        "packages/agent/graph.json",
        "packages/agent/package.json",
      ];
      const others = ["packages/tools/large.bin", "packages/tools/package.json"];
      expect(entries).toEqual([...files, ...others, ...Object.keys(root)].sort());
      expect(configPath).toBe("packages/agent/graph.json");
      expect(notes).toEqual([`With the whole workspace ${path}: agent is a member of it`]);
    },
  );

  const strangers: [what: string, root: Record<string, string>][] = [
    ["that lists others", { "package.json": '{"workspaces":["apps/*"]}' }],
    ["that leaves it out", { "package.json": '{"workspaces":["packages/*","!packages/agent"]}' }],
    [
      "that pnpm has only settings for",
      { "package.json": "{}", "pnpm-workspace.yaml": "nodeLinker: hoisted" },
    ],
    ["that is broken", { "package.json": "{", "pnpm-workspace.yaml": "packages: [" }],
  ];
  test.each(strangers)("are not those of a folder above %s", async (_, root) => {
    const { entries, configPath, notes } = await pack(join(member(root), "packages/agent"));
    expect([entries, configPath, notes]).toEqual([
      [".dockerignore", "graph.json", "package.json"],
      "graph.json",
      [],
    ]);
  });
});
