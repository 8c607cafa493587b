import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { BuildAborted, PrepareFailed } from "../../../server/control/build/builder.ts";
import { until } from "../../e2e/condition.ts";
import { describeUnless, notRoot } from "../../skips.ts";
import { buildOf, failureOf, type Ordered, openRig, order, orderOf, type Rig, type Wanted } from "./rig.ts";

const GRAPH_JSON = '{"graphs":{"agent":"./agent.ts:graph"},"env":".env"}';
const AGENT = "export const graph = () => null;\n";
const plain = { "graph.json": GRAPH_JSON, "agent.ts": AGENT };

let rig: Rig;
beforeAll(() => {
  rig = openRig({
    environment: {
      SERVICE_API_KEY: "key-of-berth",
      SECRETS_KEY: "secrets-of-berth",
      DATABASE_URL: "sqlite:/of-berth",
      HTTPS_PROXY: "http://proxy.test:3128",
      npm_config_registry: "http://127.0.0.1:9/",
      npm_config_userconfig: "/root/.npmrc",
    },
  });
});
afterAll(() => rig.remove());

const ordered = (files: Record<string, string>, wanted?: Wanted) => orderOf(rig, files, wanted);
const built = (given: Ordered) => buildOf(rig, given);
const failure = (given: Ordered) => failureOf(rig, given);

describe("an archive", () => {
  test("without dependencies is built, and nothing but the project stays", async () => {
    const given = await ordered({ ...plain, "sub/data.txt": "x" });
    const folder = await built(given);
    expect(readdirSync(given.folder).sort()).toEqual(["complete", "source"]);
    expect(readFileSync(join(folder, "sub", "data.txt"), "utf8")).toBe("x");
    expect(given.lines).toContain("Loaded agent");
    // One reads its files, one loads its graphs.
    expect(given.children).toHaveLength(2);
  });

  test("is built anew over what a killed attempt left", async () => {
    const given = await ordered(plain);
    mkdirSync(join(given.folder, "source", "rubbish"), { recursive: true });
    mkdirSync(join(given.folder, "work", "bin"), { recursive: true });
    symlinkSync("/etc", join(given.folder, "source", "link"));
    expect(readdirSync(await built(given)).sort()).toEqual(["agent.ts", "graph.json"]);
    await rig.builders.remove(given.revision.id);
    expect(existsSync(given.folder)).toBe(false);
  });

  const unprepared: [what: string, wanted: () => Promise<Ordered>, message: RegExp][] = [
    [
      "without its configuration file",
      () => ordered({ "agent.ts": AGENT }),
      /"graph.json" is not in the archive/,
    ],
    [
      "with a path that leaves it",
      () => ordered(plain, { config: { langgraph_config_path: "../graph.json" } }),
      /langgraph_config_path must be a path inside/,
    ],
    ["that is no archive", async () => broken(), /neither a tar nor a tar\.gz|damaged/],
    [
      "that is gone",
      async () => order(rig, { config: { source_tarball_path: `uploads/x/${Bun.randomUUIDv7()}` } }),
      /is gone: upload it again/,
    ],
    [
      "that was never uploaded",
      async () => order(rig, { config: { source_tarball_path: "/etc/passwd" } }),
      /not upl/,
    ],
    ["that is not named", async () => order(rig, {}), /This revision has no archive/],
  ];
  test.each(unprepared)("%s cannot be prepared", async (_what, wanted, message) => {
    const error = await rig.builders.prepare(await wanted()).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(PrepareFailed);
    expect((error as Error).message).toMatch(message);
  });

  async function broken(): Promise<Ordered> {
    const source_tarball_path = await rig.uploadBytes(Buffer.from("no archive ".repeat(200)));
    return order(rig, { config: { source_tarball_path } });
  }
});

describe("dependencies", () => {
  const dependency = {
    "dep/package.json": '{"name":"dep","version":"1.2.3","scripts":{"postinstall":"touch ran-here"}}',
    "dep/index.ts": "export const word = 'of the dependency';\n",
  };
  const withDependency = {
    ...dependency,
    "graph.json": GRAPH_JSON,
    "package.json": JSON.stringify({
      name: "project",
      dependencies: { dep: "file:./dep" },
      scripts: { postinstall: "env > leaked.txt" },
      trustedDependencies: ["dep"],
    }),
    "agent.ts": "import { word } from 'dep';\nexport const graph = () => word;\n",
  };
  const lock = (dependencies: string, packages: string) =>
    `{"lockfileVersion":1,"configVersion":1,"workspaces":{"":{"name":"project","dependencies":{${dependencies}}}},"packages":{${packages}}}`;

  test("are installed without running anything of theirs or of the project", async () => {
    const given = await ordered(withDependency);
    const folder = await built(given);
    expect(existsSync(join(folder, "node_modules", "dep", "index.ts"))).toBe(true);
    expect(existsSync(join(folder, "leaked.txt"))).toBe(false);
    expect(given.lines).toContain("$ bun install --no-progress --ignore-scripts");
  });

  test("may run their scripts when the project says so, and see nothing of Berth's environment", async () => {
    const graph = '{"graphs":{"agent":"./agent.ts:graph"},"berth":{"lifecycle_scripts":true}}';
    const given = await ordered(
      { ...withDependency, "graph.json": graph },
      { secrets: [{ name: "MODEL_KEY", value: "secret-of-the-revision" }] },
    );
    const leaked = readFileSync(join(await built(given), "leaked.txt"), "utf8");
    expect(leaked).toContain("HTTPS_PROXY=http://proxy.test:3128");
    expect(leaked).not.toContain("of-berth");
    expect(leaked).not.toContain("SERVICE_API_KEY");
    expect(leaked).not.toContain("secret-of-the-revision");
    expect(leaked).not.toContain("/root/.npmrc");
  });

  test("are kept to the lock file", async () => {
    const bunLock = lock('"dep":"file:./dep"', '"dep":["dep@file:dep",{}]');
    const given = await ordered({ ...withDependency, "bun.lock": bunLock });
    await built(given);
    expect(given.lines).toContain(
      "$ bun install --no-progress --frozen-lockfile --ignore-scripts   # bun.lock",
    );
  });

  test.each([
    ["bun.lock", lock("", "")],
    ["package-lock.json", '{"name":"project","lockfileVersion":3,"packages":{"":{"name":"project"}}}'],
  ])("fail when package.json asks for more than %s", async (name, text) => {
    const reason = await failure(await ordered({ ...withDependency, [name]: text }));
    expect(reason).toMatch(/^bun install .* failed with exit code 1: /);
    expect(reason).toMatch(/lockfile is frozen/);
  });

  test("come from the operator's registries, whose credentials only commands of allowed workspaces see", async () => {
    const home = join(rig.dataDir, "berth-home");
    mkdirSync(home);
    writeFileSync(join(home, ".npmrc"), "//registry.test/:_authToken=token-of-the-machine\n");
    writeFileSync(join(home, ".bunfig.toml"), "# of the machine\n");
    const index = "https://berth:password-of-the-machine@index.test/";
    const environment = {
      HOME: home,
      npm_config_registry: index,
      UV_INDEX_A_PASSWORD: "password-of-the-machine",
    };
    const look = "ls -A ../work/home; cat ../work/home/.npmrc; env\n";
    const told = async (credentialWorkspaces: readonly string[], wanted: Wanted, files = {}) => {
      const other = openRig({ environment, credentialWorkspaces });
      const given = await orderOf(other, { ...plain, "look.sh": look, ...files }, wanted);
      await other.builders.build(given);
      other.remove();
      return given.lines.join("\n");
    };
    try {
      const own = { settings: { install_command: "sh look.sh", build_command: "sh look.sh" } };
      const allowed = await told(["*"], own);
      expect(allowed).toContain("token-of-the-machine");
      expect(allowed).toContain("UV_INDEX_A_PASSWORD");
      // The files are there while packages are installed only.
      expect(allowed.slice(allowed.lastIndexOf("$ sh look.sh"))).not.toContain("token-of-the-machine");
      const graph = '{"graphs":{"agent":"./agent.ts:graph"},"berth":{"lifecycle_scripts":true}}';
      const scripts = { "graph.json": graph, "package.json": '{"scripts":{"postinstall":"sh look.sh"}}' };
      for (const denied of [await told([], own), await told([Bun.randomUUIDv7()], {}, scripts)])
        for (const secret of ["of-the-machine", ".npmrc\n", ".bunfig.toml", "UV_INDEX_A_PASSWORD"])
          expect(denied).not.toContain(secret);
    } finally {
      rmSync(home, { recursive: true });
    }
  });
});

describe("commands", () => {
  const settings = {
    install_command: "sh install.sh && bunx --version",
    build_command: "bun run ./make.ts",
  };
  const project = {
    "install.sh": "pwd > at-root.txt\n",
    "app/graph.json": GRAPH_JSON,
    "app/make.ts":
      "await Bun.write('agent.ts', 'export const graph = () => null;\\n'); console.log('made it');\n",
  };
  const config = { langgraph_config_path: "app/graph.json" };

  test("of the project take the place of the installation, and build where its configuration lies", async () => {
    const given = await ordered(project, { settings, config });
    const folder = await built(given);
    expect(readFileSync(join(folder, "at-root.txt"), "utf8").trim()).toEndWith("/source");
    expect(existsSync(join(folder, "app", "agent.ts"))).toBe(true);
    expect(given.lines).toContain("made it");
  });

  test("that fail are told with the end of their output", async () => {
    const given = await ordered(plain, { settings: { build_command: "ls /nowhere-at-all" } });
    expect(await failure(given)).toMatch(
      /^ls \/nowhere-at-all failed with exit code [12]: .*\/nowhere-at-all.*No such file/,
    );
  });

  test("end with the build, and whatever they started too", async () => {
    const script = "sleep 300 & echo started $! ; sleep 300";
    const given = await ordered(
      { ...plain, "hang.sh": script },
      { settings: { build_command: "sh hang.sh" } },
    );
    const building = rig.builders.build(given).catch((thrown: unknown) => thrown);
    await until("the command has started", async () =>
      given.lines.some((line) => line.startsWith("started ")),
    );
    given.stop.abort();
    expect(await building).toBeInstanceOf(BuildAborted);
    const pid = given.lines.find((line) => line.startsWith("started "))?.split(" ")[1];
    await until("its child has ended", async () => !isAlive(Number(pid)));
  });
});

test("what a command left behind in a session of its own ends with the build", async () => {
  const leave = `
    const child = Bun.spawn(["sleep", "300"], { detached: true, stdio: ["ignore", "ignore", "ignore"] });
    console.log("left", child.pid);
    child.unref();`;
  const given = await ordered(
    { ...plain, "leave.ts": leave },
    { settings: { build_command: "bun leave.ts" } },
  );
  await built(given);
  const pid = Number(given.lines.find((line) => line.startsWith("left "))?.split(" ")[1]);
  expect(pid).toBeGreaterThan(1);
  await until("it has ended", async () => !isAlive(pid));
});

const isAlive = (pid: number) =>
  existsSync(`/proc/${pid}/stat`) && !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));

describe("a graph that cannot be loaded fails the build with the reason and the place:", () => {
  const cases: [what: string, agent: string, message: RegExp][] = [
    ["broken syntax", "export const a = 1;\nexport const graph = {{;\n", /^agent\.ts:2:\d+: Expected/],
    [
      "no such export",
      "export const other = 1;\n",
      /^graph\.json: graphs\.agent: agent\.ts has no export "graph"$/,
    ],
    ["no graph", "export const graph = 5;\n", /the export "graph" of agent\.ts is a number, not a graph/],
    [
      "a throw",
      "const a = 1;\nthrow new Error('boom ' + a);\n",
      /cannot be loaded: boom 1 \(agent\.ts:2:\d+\)$/,
    ],
    [
      "an unknown package",
      'import x from "@nobody/has-this";\nexport const graph = x;\n',
      /agent\.ts imports the package "@nobody\/has-this", which is not installed\. Add a package\.json/,
    ],
    ["an end of the process", "process.exit(3);\n", /process\.exit\(3\) was called.*agent\.ts:1/],
    ["a lie", "console.log('berth-check: nonsense'); process.exit(0);\n", /process\.exit\(0\) was called/],
  ];
  test.each(cases)("%s", async (_what, agent, message) => {
    expect(await failure(await ordered({ ...plain, "agent.ts": agent }))).toMatch(message);
  });

  test("its configuration file is not JSON", async () =>
    expect(await failure(await ordered({ ...plain, "graph.json": "{graphs" }))).toMatch(
      /^graph\.json is not valid/,
    ));

  test("but keys without effect are warnings, each once", async () => {
    const config = { ...JSON.parse(GRAPH_JSON), $schema: "x", _own: 1, image_distro: "wolfi", made_up: [] };
    const given = await ordered({ ...plain, "graph.json": JSON.stringify(config) });
    await built(given);
    expect(given.warnings).toEqual([
      expect.stringMatching(/^graph\.json: "image_distro" has no effect: /),
      expect.stringMatching(/^graph\.json: "made_up" has no effect: /),
    ]);
  });

  test("but its secrets are there, and in no log", async () => {
    const agent = `
      if (process.env.MODEL_KEY !== "secret-of-the-revision") throw new Error("no key");
      console.log("the key is", process.env.MODEL_KEY, Object.keys(process.env).join(" "));
      setInterval(() => undefined, 1_000);
      export const graph = () => null;\n`;
    const secrets = [{ name: "MODEL_KEY", value: "secret-of-the-revision" }];
    const given = await ordered({ ...plain, "agent.ts": agent }, { secrets });
    await built(given);
    const told = given.lines.find((line) => line.startsWith("the key is"));
    expect(told).toMatch(/^the key is \*+ /);
    expect(told).not.toMatch(/SERVICE_API_KEY|SECRETS_KEY|DATABASE_URL|HTTPS_PROXY/);
  });
});

describe("a template", () => {
  test("needs no build", async () => {
    const given = order(rig, { source: "internal_template", settings: { template: "chat" } });
    expect(rig.builders.isBuildable("internal_template")).toBe(false);
    expect(await rig.builders.prepare(given)).toEqual({ config: {}, image: null });
    expect(await rig.builders.build(given)).toEqual({ build: null, image: null, commitSha: null });
  });

  test("that is none is refused", () =>
    expect(
      rig.builders.prepare(order(rig, { source: "internal_template", settings: { template: "toString" } })),
    ).rejects.toThrow(/names no built-in template: "toString"/));
});

test("a project that is packed with its folder is told how to pack it", async () => {
  const files = { "deep/er/graph.json": "{}", "my-agent/graph.json": "{}", "my-agent/agent.ts": "" };
  const error = await rig.builders.prepare(await orderOf(rig, files)).catch((thrown: unknown) => thrown);
  expect((error as Error).message).toBe(
    'langgraph_config_path "graph.json" is not in the archive, which holds 3 files. It holds "my-agent/graph.json": pack what is in "my-agent" (tar -C my-agent -czf project.tar.gz .), or name that path',
  );
});

test("an image comes from whoever has the engine", async () =>
  expect(await rig.builders.prepare(order(rig, { source: "external_docker" }))).toEqual({
    config: { image_digest: null },
    image: "sha256:1",
  }));

// Only root can be somebody else.
describeUnless(notRoot)("where deployments are kept apart", () => {
  const look = `
    import { readFileSync, readdirSync, writeFileSync, symlinkSync } from "node:fs";
    const attempt = (what, work) => { try { work(); console.log(what, "done"); } catch (e) { console.log(what, e.code); } };
    console.log("uid", process.getuid(), process.getgid(), process.getgroups().join(","));
    for (const path of process.argv.slice(2)) {
      attempt("read " + path, () => readFileSync(path));
      attempt("list " + path, () => readdirSync(path));
    }
    attempt("write builds", () => writeFileSync("../../x", ""));
    attempt("replace source", () => symlinkSync("/etc", "../evil"));
    attempt("replace bun", () => writeFileSync("../work/bin/bun", ""));
    attempt("environment of Berth", () => readFileSync("/proc/${process.pid}/environ"));
  `;

  test("a command runs as the deployment's user and reaches nothing of Berth or of another deployment", async () => {
    expect(rig.isolated).toBe(true);
    writeFileSync(join(rig.dataDir, "berth.db"), "rows", { mode: 0o600 });
    const other = await ordered(plain);
    const others = await built(other);
    const given = await ordered({ ...plain, "look.ts": look }, { uid: 48_123 });
    const tried = [
      join(rig.dataDir, "berth.db"),
      rig.dataDir,
      join(rig.dataDir, "uploads"),
      join(rig.dataDir, "builds"),
      others,
      join(others, "agent.ts"),
    ];
    given.revision.settings.build_command = `bun ./look.ts ${tried.join(" ")}`;
    const folder = await built(given);
    expect(given.lines.find((line) => line.startsWith("uid "))).toMatch(/^uid 48123 48123 (?:48123)?$/);
    const isSeen = (line: string) => tried.some((path) => line.endsWith(`${path} done`));
    expect(given.lines.filter(isSeen)).toEqual([]);
    expect(given.lines.filter((line) => /^(?:read|list) /.test(line))).toHaveLength(2 * tried.length);
    for (const what of ["write builds", "replace source", "replace bun", "environment of Berth"])
      expect(given.lines).toContain(`${what} EACCES`);
    expect(lstatSync(folder).uid).toBe(48_123);
    expect(lstatSync(folder).mode & 0o777).toBe(0o700);
    expect(lstatSync(given.folder).uid).toBe(0);
  });

  test("what the project made is removed by its links, not through them", async () => {
    const kept = join(rig.dataDir, "kept");
    mkdirSync(kept);
    writeFileSync(join(kept, "file"), "precious");
    const given = await ordered(plain, { settings: { build_command: `ln -s ${kept} trap` } });
    await built(given);
    await rig.builders.remove(given.revision.id);
    expect(existsSync(given.folder)).toBe(false);
    expect(readFileSync(join(kept, "file"), "utf8")).toBe("precious");
  });
});
