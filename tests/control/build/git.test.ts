import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { SourceConfig } from "@berth/store";
import { BuildFailed, PrepareFailed } from "../../../server/control/build/builder.ts";
import { type GitServer, serveGit } from "./git-server.ts";
import { failureOf, type Ordered, openRig, order, type Rig } from "./rig.ts";

const TOKEN = "token-of-somebody";
const INTEGRATION = "01900000-0000-7000-8000-000000000001";
const WRONG = "01900000-0000-7000-8000-000000000002";
const project = {
  "graph.json": '{"graphs":{"agent":"./agent.ts:graph"}}',
  "agent.ts": "export const graph = () => 'one';\n",
  "run.sh": "#!/bin/sh\n",
};

let rig: Rig;
let server: GitServer;
let first: string;
let second: string;

/** Names of these tests' own; git itself knows none of them. */
const resolve = async (name: string) => {
  if (name === "git.test") return ["127.0.0.1"];
  throw new Error("ENOTFOUND");
};

beforeAll(async () => {
  const tokens = { [INTEGRATION]: TOKEN, [WRONG]: "wrong" };
  rig = openRig({ tokens, environment: { HOME: "/nowhere" }, resolve });
  server = serveGit(TOKEN);
  await server.repository("public", project);
  first = await server.git("public", "rev-parse", "HEAD");
  await server.git("public", "tag", "-a", "v1", "-m", "the first");
  second = await server.commit("public", { "agent.ts": "export const graph = () => 'two';\n" }, "next");
  const folder = await server.repository("private", project);
  await server.git("public", "push", "-q", "--tags", folder.replace("private", "public"));
  await server.repository("empty", {});
});
afterAll(() => {
  server.stop();
  rig.remove();
});

function ordered(repo_ref: string | null, settings: Partial<SourceConfig> = {}): Ordered {
  return order(rig, {
    source: "github",
    config: { repo_ref },
    settings: { repo_url: server.url("public"), ...settings },
  });
}

/** As the reconciler does: what was found is written into the row before the build. */
async function prepared(given: Ordered): Promise<Ordered> {
  const { config } = await rig.builders.prepare(given);
  Object.assign(given.revision.config, config);
  return given;
}

async function refusal(given: Ordered): Promise<string> {
  const error = await rig.builders.prepare(given).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(PrepareFailed);
  expect(existsSync(given.folder)).toBe(false);
  return (error as Error).message;
}

describe("a repository", () => {
  test.each([
    ["main", () => first, "one"],
    ["next", () => second, "two"],
    ["refs/tags/v1", () => first, "one"],
    [null, () => first, "one"],
  ] as const)("at %s is built from the commit that this names", async (ref, commit, word) => {
    const given = await prepared(ordered(ref));
    expect(given.revision.config.repo_commit_sha).toBe(commit());
    const { build, commitSha } = await rig.builders.build(given);
    expect(commitSha).toBe(commit());
    const folder = join(given.folder, build?.dir ?? "");
    expect(readFileSync(join(folder, "agent.ts"), "utf8")).toContain(word);
    expect(readdirSync(folder)).not.toContain(".git");
    expect(readdirSync(given.folder).sort()).toEqual(["complete", "source"]);
    if (rig.isolated) expect(lstatSync(join(folder, "agent.ts")).uid).toBe(given.deployment.uid);
  });

  test("that moved on is built as it was when its turn came", async () => {
    await server.commit("public", { "later.txt": "1" }, "moving");
    const given = await prepared(ordered("moving"));
    await server.commit("public", { "later.txt": "2" }, "moving");
    const { commitSha } = await rig.builders.build(given);
    expect(commitSha).toBe(given.revision.config.repo_commit_sha);
    expect(readFileSync(join(given.folder, "source", "later.txt"), "utf8")).toBe("1");
  });

  test("is asked at the address that its name was looked up to", async () => {
    const repo_url = server.url("public").replace("127.0.0.1", "git.test");
    const { config } = await prepared(ordered("main", { repo_url })).then(({ revision }) => revision);
    expect(config.repo_commit_sha).toBe(first);
  });

  test("holds links that lead nowhere", async () => {
    const work = await server.repository("public-links", project);
    await server.git(
      "public-links",
      "update-index",
      "--add",
      "--cacheinfo",
      "120000",
      await blob("/etc/passwd"),
      "link",
    );
    await server.git("public-links", "commit", "-q", "-m", "a link");
    await server.git("public-links", "push", "-q", "--all", work);
    const given = await prepared(ordered("main", { repo_url: server.url("public-links") }));
    await rig.builders.build(given);
    expect(given.lines).toContain("Links are not followed: link");
    expect(lstatSync(join(given.folder, "source", "link")).isFile()).toBe(true);
    expect(readFileSync(join(given.folder, "source", "link"), "utf8")).toBe("/etc/passwd");
  });

  test("without the configuration file fails its build", async () => {
    const given = await prepared(ordered("main"));
    given.revision.config.langgraph_config_path = "elsewhere/graph.json";
    const error = await rig.builders.build(given).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(BuildFailed);
    expect((error as Error).message).toBe("elsewhere/graph.json is not in the source");
  });

  test("with a Python graph fails its build before anything is installed, where no Python fits", async () => {
    const python = '{"graphs":{"agent":"./agent.py:graph"}}';
    const files = { "graph.json": python, "package.json": '{"dependencies":{"no-such":"1"}}' };
    await server.repository("public-python", files);
    const old = join(rig.dataDir, "old-python");
    mkdirSync(old);
    for (const name of ["python3", "python"])
      writeFileSync(join(old, name), "#!/bin/sh\necho 3.9.1\n", { mode: 0o755 });
    const other = openRig({ environment: { HOME: "/nowhere", PATH: `${old}:${process.env.PATH}` }, resolve });
    const given = order(other, { source: "github", settings: { repo_url: server.url("public-python") } });
    const { config } = await other.builders.prepare(given);
    Object.assign(given.revision.config, config);
    const error = await other.builders.build(given).catch((thrown: unknown) => thrown);
    other.remove();
    expect(error).toBeInstanceOf(BuildFailed);
    expect((error as Error).message).toStartWith("The project needs Python 3.11 or newer");
    expect(given.lines.join("\n")).not.toContain("nstall");
  });

  async function blob(text: string): Promise<string> {
    const file = join(rig.dataDir, "blob");
    writeFileSync(file, text);
    return server.git("public-links", "hash-object", "-w", file);
  }
});

describe("a commit", () => {
  test("is built by its id, whatever the branches are now", async () => {
    const given = await prepared(ordered(first));
    expect(given.revision.config.repo_commit_sha).toBe(first);
    expect((await rig.builders.build(given)).commitSha).toBe(first);
    expect(readFileSync(join(given.folder, "source", "agent.ts"), "utf8")).toContain("one");
  });

  test("that is not there fails the build, and the beginning of one is no name", async () => {
    const nobodys = "0123456789".repeat(4);
    expect(await failureOf(rig, await prepared(ordered(nobodys)))).toStartWith(
      `There is no commit ${nobodys} in http`,
    );
    expect(await refusal(ordered(first.slice(0, 8)))).toEndWith(": a commit is named by its whole id");
  });
});

describe("submodules", () => {
  /** A repository with these submodules: by path, the address that `.gitmodules` has and the commit. */
  async function submodule(name: string, modules: Record<string, [url: string, commit: string]>) {
    const lines = Object.entries(modules).map(
      ([path, [url]]) => `[submodule "the one at ${path}"]\n\tpath = ${path}\n\turl = ${url}\n`,
    );
    const folder = await server.repository(name, { ...project, ".gitmodules": lines.join("") });
    for (const [path, [, commit]] of Object.entries(modules))
      await server.git(name, "update-index", "--add", "--cacheinfo", `160000,${commit},${path}`);
    await server.git(name, "commit", "-q", "-m", "submodules");
    await server.git(name, "push", "-q", "--all", folder);
  }
  const head = (name: string) => server.git(name, "rev-parse", "HEAD");

  test("are fetched at their commits, and theirs, from the same place with the same token", async () => {
    await server.repository("private-inner", { "inner.txt": "inner" });
    await submodule("private-outer", { "lib/inner": ["../private-inner", await head("private-inner")] });
    await submodule("private-whole", {
      "vendor/outer": [server.url("private-outer"), await head("private-outer")],
      open: ["./../public", first],
    });
    const settings = { repo_url: server.url("private-whole"), integration_id: INTEGRATION };
    const given = await prepared(ordered("main", settings));
    await rig.builders.build(given);
    const source = join(given.folder, "source");
    expect(readFileSync(join(source, "vendor/outer/lib/inner/inner.txt"), "utf8")).toBe("inner");
    expect(readFileSync(join(source, "open/agent.ts"), "utf8")).toContain("one");
    expect(existsSync(join(source, "open/.git"))).toBe(false);
    if (rig.isolated) expect(lstatSync(join(source, "open/agent.ts")).uid).toBe(given.deployment.uid);
  });

  test("of another host are fetched without the token", async () => {
    await submodule("private-elsewhere", {
      other: [server.url("private-inner").replace("127.0.0.1", "git.test"), first],
    });
    const settings = { repo_url: server.url("private-elsewhere"), integration_id: INTEGRATION };
    const before = server.asked.length;
    expect(await failureOf(rig, await prepared(ordered("main", settings)))).toMatch(
      /^The submodule other: http:\/\/git\.test\S+ asks for credentials/,
    );
    const asked = server.asked.slice(before).filter(({ path }) => path.startsWith("/private-inner"));
    expect(asked.length).toBeGreaterThan(0);
    expect(asked.filter(({ authorization }) => authorization !== null)).toEqual([]);
  });

  test.each([
    ["/etc", "its address must be an http, https or ssh address"],
    ["http://169.254.169.254/x", "its address is not allowed"],
    ["", ".gitmodules does not say where it is"],
  ])("at %p are refused by name", async (url, reason) => {
    await submodule("public-refused", { "vendor/bad": [url, first] });
    const given = await prepared(ordered("main", { repo_url: server.url("public-refused") }));
    expect(await failureOf(rig, given)).toStartWith(`The submodule vendor/bad: ${reason}`);
  });

  test("whose commit is nowhere are refused by name", async () => {
    await submodule("public-gone", { vendor: [server.url("public"), "0123456789".repeat(4)] });
    const given = await prepared(ordered("main", { repo_url: server.url("public-gone") }));
    expect(await failureOf(rig, given)).toMatch(
      /^The submodule vendor: \S+\/public does not hand out its commit 0123/,
    );
  });
});

test("files that Git LFS keeps are refused by name, and what only tells of it is built", async () => {
  const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${"a".repeat(64)}\nsize 12345\n`;
  const told = { "notes.md": `Such a file looks like this:\n\n    ${pointer}` };
  await server.repository("public-large", { ...project, ...told });
  const settings = { repo_url: server.url("public-large") };
  await rig.builders.build(await prepared(ordered("main", settings)));
  await server.commit("public-large", { "weights/model.bin": pointer });
  expect(await failureOf(rig, await prepared(ordered("main", settings)))).toBe(
    "weights/model.bin: kept in Git LFS, which is not fetched. Commit the content itself, or upload the project (berth deploy)",
  );
});

describe("a private repository", () => {
  test("is read with the token of its integration, which is in no argument, log or message", async () => {
    const settings = { repo_url: server.url("private"), integration_id: INTEGRATION };
    const given = await prepared(ordered("main", settings));
    await rig.builders.build(given);
    expect(given.lines.join("\n")).not.toContain(TOKEN);
    expect(given.lines.join("\n")).not.toContain(btoa(`x-access-token:${TOKEN}`));
  });

  test.each([
    [null, /asks for credentials: store a token as an integration/],
    [WRONG, /does not accept the token of the integration$/],
    ["01900000-0000-7000-8000-000000000003", /^The integration .* does not exist any more$/],
  ])("is not read with %p", async (integration_id, message) =>
    expect(await refusal(ordered("main", { repo_url: server.url("private"), integration_id }))).toMatch(
      message,
    ),
  );

  test("a token does not follow to another address", async () => {
    const before = server.asked.length;
    const settings = { repo_url: server.url("moved"), integration_id: INTEGRATION };
    expect(await refusal(ordered("main", settings))).toMatch(/leads on to another address: give that one$/);
    expect(server.asked.slice(before).filter(({ path }) => !path.startsWith("/moved"))).toEqual([]);
  });

  test("a token is not sent in the open", async () => {
    const settings = { repo_url: "http://git.test/x", integration_id: INTEGRATION };
    expect(await refusal(ordered("main", settings))).toMatch(/sent to https addresses only/);
  });
});

describe("cannot be prepared:", () => {
  const cases: [what: string, given: () => Ordered, message: RegExp][] = [
    ["an unknown branch", () => ordered("nope"), /^There is no branch nope in http/],
    ["an unknown tag", () => ordered("refs/tags/v9"), /^There is no tag refs\/tags\/v9 in/],
    ["a tag that is given as a branch", () => ordered("v1"), /the tag of that name is refs\/tags\/v1$/],
    ["a branch that is an option", () => ordered("--upload-pack=touch"), /repo_ref must not begin with -/],
    [
      "an unknown repository",
      () => ordered("main", { repo_url: server.url("nothing") }),
      /there is no repository at/,
    ],
    ["an empty one", () => ordered(null, { repo_url: server.url("empty") }), /\/empty is empty$/],
    ["nobody who answers", () => ordered("main", { repo_url: "http://127.0.0.1:2/x" }), /does not answer$/],
    [
      "an unknown host",
      () => ordered("main", { repo_url: "https://host.invalid/x" }),
      /nobody knows the host host\.invalid of repo_url/,
    ],
    ["a folder", () => ordered("main", { repo_url: "/etc" }), /must be an http, https or ssh address/],
    ["a file address", () => ordered("main", { repo_url: "file:///etc" }), /must be an http, https or ssh/],
    [
      "a program",
      () => ordered("main", { repo_url: "ext::sh -c touch% /tmp/x" }),
      /characters that no address/,
    ],
    ["an option", () => ordered("main", { repo_url: "--upload-pack=x" }), /must not begin with -/],
    [
      "a host that is an option",
      () => ordered("main", { repo_url: "ssh://-oProxyCommand=x/y" }),
      /names no host|must be an/,
    ],
    [
      "credentials",
      () => ordered("main", { repo_url: "https://me:secret@example.com/x" }),
      /must not hold credentials/,
    ],
    ["metadata", () => ordered("main", { repo_url: "http://169.254.169.254/x" }), /metadata/],
    [
      "metadata by a number",
      () => ordered("main", { repo_url: "http://2852039166/x" }),
      /169\.254\.169\.254/,
    ],
    ["metadata over ssh", () => ordered("main", { repo_url: "git@169.254.169.254:x" }), /169\.254\.169\.254/],
    [
      "metadata as IPv6",
      () => ordered("main", { repo_url: "http://[::ffff:169.254.169.254]/x" }),
      /metadata/,
    ],
    ["no address", () => ordered("main", { repo_url: null }), /repo_url is missing/],
  ];
  test.each(cases)("%s", async (_what, given, message) => expect(await refusal(given())).toMatch(message));

  test("a machine without git", async () => {
    const bare = openRig({ environment: { PATH: "/nowhere" } });
    const given = order(bare, { source: "github", settings: { repo_url: server.url("public") } });
    const error = await bare.builders.prepare(given).catch((thrown: unknown) => thrown);
    bare.remove();
    expect((error as Error).message).toMatch(/^git is not installed on this machine/);
  });
});

// ssh itself is another program's work: here one stands in for it that looks at what it was given.
describe("over ssh", () => {
  test("the keys of Berth's own user are used, strictly and without asking", async () => {
    const folder = await server.repository("public-ssh", project);
    const fake = join(rig.dataDir, "fake-ssh");
    const home = join(rig.dataDir, "home");
    mkdirSync(fake);
    mkdirSync(join(home, ".ssh"), { recursive: true });
    writeFileSync(join(home, ".ssh", "id_ed25519"), "the key\n");
    writeFileSync(join(home, ".ssh", "known_hosts"), "the host\n");
    writeFileSync(join(fake, "gitconfig"), "[safe]\n\tdirectory = *\n");
    const script = [
      "#!/bin/sh",
      'for word; do case "$word" in */id_ed25519) key=$(cat "$word");; esac; last=$word; done',
      'case "$*" in *BatchMode=yes*git@127.0.0.1*) ;; *) echo "called badly: $*" >&2; exit 1;; esac',
      rig.isolated ? '[ "$key" = "the key" ] || { echo "fatal: no key" >&2; exit 1; }' : "",
      `GIT_CONFIG_GLOBAL=${join(fake, "gitconfig")} exec sh -c "$last"`,
    ];
    writeFileSync(join(fake, "ssh"), script.join("\n"));
    chmodSync(join(fake, "ssh"), 0o755);
    for (const path of [fake, folder, join(folder, "..")]) chmodSync(path, 0o755);
    const other = openRig({ environment: { HOME: home, PATH: `${fake}:${process.env.PATH}` } });
    try {
      const settings = { repo_url: `ssh://git@127.0.0.1${folder}` };
      const given = order(other, { source: "github", config: { repo_ref: "main" }, settings });
      const { config } = await other.builders.prepare(given);
      expect(config.repo_commit_sha).toMatch(/^[0-9a-f]{40}$/);
      const missing = order(other, {
        source: "github",
        settings: { repo_url: "git@127.0.0.1:/nowhere.git" },
      });
      const error = await other.builders.prepare(missing).catch((thrown: unknown) => thrown);
      expect((error as Error).message).toBe(
        "there is no repository at git@127.0.0.1:/nowhere.git that the ssh keys in Berth's ~/.ssh may see",
      );
    } finally {
      other.remove();
    }
  });
});
