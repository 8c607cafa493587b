import { afterAll, beforeAll, expect, test } from "bun:test";
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { noPython, VENV } from "../../python-here.ts";
import { because, describeUnless, notLong } from "../../skips.ts";
import { type Ended, run } from "../../smoke/program.ts";
import { type BerthProcess, start } from "../berth-process.ts";
import { DeploymentApi } from "../deployment-api.ts";
import { openPodman, type Podman } from "../podman.ts";

const KEY = "a-key-for-local-builds";
const WHEELS = join(VENV, "wheels");
const skipped =
  notLong ?? noPython ?? because(!existsSync(WHEELS), "no wheels were downloaded: run test does it");
const opened = skipped === undefined ? await openPodman() : "";
const noContainers = skipped ?? (typeof opened === "string" ? `no containers here: ${opened}` : undefined);
const BASE = "localhost/python:1";

afterAll(async () => {
  if (typeof opened !== "string") await opened.remove();
});

/** An image with this machine's Python, what it is linked with, and a folder of wheels; there is no network. */
async function pythonBase(podman: Podman): Promise<void> {
  const root = join(podman.folder, "python");
  const script = "import sys; print(sys.base_prefix, '%d.%d' % sys.version_info[:2])";
  const told = await run([join(VENV, "bin", "python"), "-c", script], "/");
  const [prefix = "", version = ""] = told.out.trim().split(" ");
  const name = `python${version}`;
  const usr = join(root, "usr", "local");
  const library = join(prefix, "lib", name);
  cpSync(library, join(usr, "lib", name), {
    recursive: true,
    filter: (path) => !/\/(?:test|site-packages|__pycache__|config-[^/]*)$/.test(path),
  });
  mkdirSync(join(usr, "bin"), { recursive: true });
  cpSync(join(prefix, "bin", name), join(usr, "bin", "python3"), { dereference: true });
  // What it and the packages that it will get are linked with.
  const search = `ldd "$1" "$2"/lib-dynload/*.so $(find "$3" -name '*.so')`;
  const words = [join(prefix, "bin", name), library, join(VENV, "lib")];
  const linked = await run(["/bin/sh", "-c", search, "sh", ...words], "/");
  for (const [file] of linked.out.matchAll(/\/\S+(?= \()/g)) {
    if (file.startsWith(VENV)) continue;
    mkdirSync(join(root, dirname(file)), { recursive: true });
    cpSync(file, join(root, file), { dereference: true });
  }
  cpSync(WHEELS, join(root, "wheels"), { recursive: true });
  const lines = ["FROM localhost/base:1", "COPY . /", "ENV PATH=/usr/local/bin:/bin"];
  const file = join(podman.folder, "Containerfile.python");
  writeFileSync(file, `${lines.join("\n")}\n`);
  await podman.run("build", "--quiet", "--tag", BASE, "--file", file, root);
  rmSync(root, { recursive: true });
}

describeUnless(noContainers)("berth deploy --local of a project in Python", () => {
  const podman = opened as Podman;
  const env = () => ({ ...podman.env, CONTAINER_ENGINE: "podman" });
  const folder = () => join(podman.folder, "my-agent");
  const executable = () => join(podman.folder, "berth");
  let berth: BerthProcess;
  const api = new DeploymentApi(() => berth.url, KEY);

  beforeAll(async () => {
    await pythonBase(podman);
    const container = await podman.run("create", "localhost/base:1", "/bin/berth");
    await podman.run("cp", `${container}:/bin/berth`, executable());
    const settings = { CONTAINER_NETWORK: "host", SERVICE_API_KEY: KEY, DEPLOY_SETTLE_SECONDS: "0" };
    berth = await start({ env: { ...env(), ...settings } });
  });
  afterAll(async () => {
    expect(await berth.stop()).toBe(0);
  });

  const berthOf = (cwd: string, ...args: string[]): Promise<Ended> =>
    run([executable(), ...args], cwd, {
      ...{ ...env(), SERVICE_API_KEY: KEY, SERVICE_ENDPOINT: berth.url, NO_COLOR: "1", PYTHON: "" },
    });

  test("its packages are installed into the image, and it answers", async () => {
    const made = await berthOf(podman.folder, "new", folder(), "--template", "python-chat");
    expect([made.code, made.err]).toEqual([0, ""]);
    const file = join(folder(), "graph.json");
    const config = await Bun.file(file).json();
    const more = { base_image: BASE, pip_config_file: "./pip.conf", keep_pkg_tools: false };
    writeFileSync(file, JSON.stringify({ ...config, ...more }));
    writeFileSync(join(folder(), "pip.conf"), "[global]\nno-index = true\nfind-links = /wheels\n");
    const { code, out, err } = await berthOf(folder(), "deploy", "--local", "--no-input");
    expect([code, err]).toEqual([0, ""]);
    const id = /\/d\/([0-9a-f-]{36})/.exec(out)?.[1] ?? "";
    const input = { messages: [{ role: "user", content: "hello" }] };
    const answer = await api.ask<{ messages: { content: string }[] }>("POST", `/d/${id}/runs/wait`, {
      ...{ assistant_id: "chat", input },
    });
    expect(answer.messages.at(-1)?.content).toStartWith("I am the offline model");

    const container = await podman.run("create", "localhost/berth-deploy/my-agent:latest");
    const copy = join(podman.folder, "copy");
    await podman.run("cp", `${container}:/app`, copy);
    expect(existsSync(join(copy, "graph.json"))).toBe(true);
    expect(existsSync(join(copy, "pip.conf"))).toBe(false);
    expect([
      ...new Bun.Glob(".venv/lib/*/site-packages/pip").scanSync({ cwd: copy, dot: true, onlyFiles: false }),
    ]).toEqual([]);
  });
});
