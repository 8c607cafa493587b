import { expect, test } from "bun:test";
import { Engines } from "../../../../server/control/run/container/engines.ts";
import { givenEnvironment } from "../../../../server/control/run/container/environment.ts";
import { ContainerEngine } from "../../../../server/machine/container-engine.ts";

test("what a file cannot hold goes another way", () => {
  const { file, variables } = givenEnvironment({ A: "x y=z #", B: "", KEY: "one\ntwo", JSON_TEXT: '"x"' });
  expect(file).toBe("A=x y=z #\nB=\n");
  expect(variables).toEqual({ KEY: "one\ntwo", JSON_TEXT: '"x"' });
});

test("a secret never tells the engine what to do", () => {
  for (const name of [
    "CONTAINERS_CONF",
    "DOCKER_HOST",
    "LD_PRELOAD",
    "PATH",
    "HTTPS_PROXY",
    "CONTAINER_HOST",
    "HOME",
  ]) {
    expect(() => givenEnvironment({ [name]: "one\ntwo" })).toThrow(name);
    expect(givenEnvironment({ [name]: "one" }).variables).toEqual({});
  }
});

test("an engine is told nothing of Berth's own", () => {
  const own = { SERVICE_API_KEY: "k", SECRETS_KEY: "s", CONTAINER_ENGINE: "auto", DATA_DIR: "/d" };
  const { environment } = new ContainerEngine("podman", {
    ...own,
    PATH: "/bin",
    HOME: "/h",
    CONTAINERS_CONF: "/c",
  });
  expect(environment).toMatchObject({ PATH: "/bin", HOME: "/h", CONTAINERS_CONF: "/c" });
  for (const name of Object.keys(own)) expect(environment).not.toHaveProperty(name);
});

test("a machine without an engine says so in one line", async () => {
  const engines = new Engines("auto", { PATH: "/nowhere" });
  const reason = await engines.current().then(String, (error: Error) => error.message);
  expect(reason).toBe("Images need a container engine on this machine: docker or podman is not installed");
  expect(engines.installed()).toEqual([]);
});
