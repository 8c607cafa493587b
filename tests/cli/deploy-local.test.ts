import { expect, test } from "bun:test";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Finished } from "../e2e/command.ts";
import { PUSH_TOKEN } from "./fake-control-plane.ts";
import { GRAPH_JSON, Rig } from "./rig.ts";

const DIGEST = `sha256:${"a".repeat(64)}`;

function expectError({ code, stderr }: Finished, expected: number, ...words: string[]): void {
  for (const word of words) expect(stderr).toContain(word);
  expect(code).toBe(expected);
}

/** What the engine's command was told, one call a line, and with which login it pushed. */
type Engine = { path: string; calls(): string[]; login(): string };

/** A `docker` that knows what the command asks of one. */
function engine(rig: Rig, building = "exit 0"): Engine {
  const bin = join(rig.folder, "engine");
  mkdirSync(bin);
  const script = `#!/bin/sh
echo "$@" >> ${bin}/calls
case "$1" in
  --version) echo "Docker version 29" ;;
  build|buildx) ${building} ;;
  push) cat "$DOCKER_CONFIG/config.json" > ${bin}/login; echo "latest: digest: ${DIGEST} size: 7" ;;
esac
`;
  writeFileSync(join(bin, "docker"), script);
  chmodSync(join(bin, "docker"), 0o755);
  const read = (name: string) => readFileSync(join(bin, name), "utf8");
  return {
    path: `${bin}:/usr/bin:/bin`,
    calls: () => read("calls").trim().split("\n"),
    login: () => read("login"),
  };
}

test("without a container engine says so", async () => {
  using rig = new Rig();
  const empty = join(rig.folder, "bin");
  mkdirSync(empty);
  const cwd = rig.project("agent");
  expectError(await rig.deploy(cwd, ["--local"], { PATH: empty }), 2, "container engine", "without --local");
  const wrong = await rig.deploy(cwd, ["--local"], { CONTAINER_ENGINE: "nerdctl" });
  expectError(wrong, 2, "CONTAINER_ENGINE must be auto, docker or podman");
});

test("builds by the project's Dockerfile, pushes with a token, and names the image by its digest", async () => {
  using rig = new Rig();
  const cwd = rig.project("agent", { Dockerfile: "FROM scratch" });
  const docker = engine(rig);
  const { code, stderr } = await rig.deploy(cwd, ["--local"], { PATH: docker.path });
  expect([code, stderr]).toEqual([0, ""]);
  const [created, patched] = rig.server.asked.map(({ body }) => body).filter((body) => body !== undefined);
  expect(created).toMatchObject({ source: "internal_docker", source_revision_config: {} });
  const id = rig.server.deployments[0]?.id;
  const target = `${new URL(rig.server.url).host}/berth/${id}/agent`;
  expect(patched).toMatchObject({ source_revision_config: { image_uri: `${target}@${DIGEST}` } });
  const calls = docker.calls();
  expect(calls).toContain(`push ${target}:latest`);
  expect(calls.at(-1)).toBe(`image rm ${target}:latest`);
  expect(calls.join("\n")).not.toContain(PUSH_TOKEN);
  const auth = Buffer.from(`berth:${PUSH_TOKEN}`).toString("base64");
  expect(JSON.parse(docker.login())).toEqual({ auths: { [new URL(rig.server.url).host]: { auth } } });
});

test("builds for the server's platform", async () => {
  using rig = new Rig();
  rig.server.platform = "linux/s390x";
  const docker = engine(rig);
  const own = rig.project("own", { Dockerfile: "FROM scratch" });
  expect((await rig.deploy(own, ["--local"], { PATH: docker.path })).code).toBe(0);
  expect(docker.calls().join("\n")).toContain("buildx build --load --platform linux/s390x");
  const refused = await rig.deploy(rig.project("agent"), ["--local"], { PATH: docker.path });
  expectError(refused, 2, "the server runs images for linux/s390x", "Write a Dockerfile");
  expect(rig.server.deployments.map(({ name }) => name)).toEqual(["own"]);
});

test("an image that cannot be built is told in the engine's words, and leaves no deployment", async () => {
  using rig = new Rig();
  const cwd = rig.project("agent", { Dockerfile: "FROM nowhere.example/base:1" });
  const words = "Error: initializing source docker://nowhere.example/base:1: no such host";
  const docker = engine(rig, `echo "STEP 1/9"; echo "${words}" >&2; exit 125`);
  const failed = await rig.deploy(cwd, ["--local"], { PATH: docker.path });
  expectError(failed, 1, "docker could not build the image", words);
  expect(failed.stdout).toContain("is deleted again");
  expect(rig.server.deployments).toEqual([]);
});

test("a configuration of which no image can be made is refused before the server hears of it", async () => {
  using rig = new Rig();
  const docker = engine(rig);
  const graphs = JSON.parse(GRAPH_JSON);
  const project = (name: string, keys: object) =>
    rig.project(name, { "graph.json": JSON.stringify({ ...graphs, ...keys }) });
  const deploy = (cwd: string) => rig.deploy(cwd, ["--local"], { PATH: docker.path });
  expectError(await deploy(project("a", { base_image: "a\nRUN b" })), 2, '"base_image" must be');
  expectError(await deploy(project("b", { image_distro: "wolfi" })), 2, '"image_distro" must be debian');
  expect(rig.server.deployments).toEqual([]);
});
