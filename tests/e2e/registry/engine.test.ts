import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { because, describeUnless, notLong, testUnless } from "../../skips.ts";
import { type BerthProcess, start } from "../berth-process.ts";
import { DeploymentApi, type Revision } from "../deployment-api.ts";
import { openPodman, type Podman } from "../podman.ts";
import { digestOf } from "./pusher.ts";

const KEY = "a-key-for-engines";
const opened = await openPodman();
const noContainers = typeof opened === "string" ? `no containers here: ${opened}` : undefined;
const noSkopeo = noContainers ?? because(Bun.which("skopeo") === null, "skopeo is not installed");

afterAll(async () => {
  if (typeof opened !== "string") await opened.remove();
});

type Made = {
  id: string;
  tenant_id: string;
  latest_revision_id: string;
  source_config: { custom_url: string };
};
type PushToken = { token: string; registry_url: string };
type Shown = Revision & { image_digest: string | null; source_revision_config: { image_uri: string } };

describeUnless(noContainers)("an engine and the registry", () => {
  const podman = opened as Podman;
  let berth: BerthProcess;
  const api = new DeploymentApi(() => berth.url, KEY);
  const auth = join(typeof opened === "string" ? "" : opened.folder, "auth.json");
  /** Loopback without TLS: Docker takes it as it is, Podman has to be told. */
  const plain = ["--tls-verify=false", "--authfile", auth];

  beforeAll(async () => {
    await podman.image("localhost/one:1", { env: { ANSWER: "one" } });
    await podman.image("localhost/two:1", { env: { ANSWER: "two" } });
    const env = { ...podman.env, CONTAINER_ENGINE: "podman", CONTAINER_NETWORK: "host" };
    berth = await start({ env: { ...env, SERVICE_API_KEY: KEY, BG_JOB_SHUTDOWN_GRACE_PERIOD_SECS: "3" } });
  });
  afterAll(async () => {
    expect(await berth.stop()).toBe(0);
  });

  /** As the released commands do: sign in, tag, push, read the digest that the registry gave. */
  const push = async (image: string, { token, registry_url }: PushToken, name: string): Promise<string> => {
    const host = registry_url.split("/")[0] ?? "";
    const login = ["login", ...plain, "-u", "oauth2accesstoken", "-p", token, host];
    await podman.run(...login);
    const remote = `${registry_url}/${name}:latest`;
    await podman.run("tag", image, remote);
    const file = join(podman.folder, "digest");
    await podman.run("push", "--quiet", ...plain, "--digestfile", file, remote);
    return `${registry_url}/${name}@${await Bun.file(file).text()}`;
  };
  const revisionOf = (id: string, revision: string) =>
    api.ask<Shown>("GET", `/v2/deployments/${id}/revisions/${revision}`);
  const answer = async (id: string) => (await api.ask<{ answer: string }>("GET", `/d/${id}/ask`)).answer;

  test.each([
    // What the commands of either language send differs in this alone: Python's tell of packages that they know.
    ["langgraphjs", {}],
    ["langgraph", { tracked_packages: ["google-adk:1.2.3"] }],
  ])("the requests of a local build by %s end in a deployment that answers", async (name, more) => {
    const look = `/v2/deployments?name_contains=${name}-local&limit=100`;
    expect((await api.ask<{ resources: Made[] }>("GET", look)).resources).toEqual([]);
    const { id } = await api.ask<Made>("POST", "/v2/deployments", {
      ...{ name: `${name}-local`, source: "internal_docker", source_config: { deployment_type: "dev" } },
      ...{ source_revision_config: {}, secrets: [] },
    });
    // The image that a command has built bears a name of the moment until it is pushed.
    const built = `langgraph-deploy-tmp:${Math.floor(Date.now() / 1_000)}`;
    await podman.run("tag", "localhost/one:1", built);
    const token = await api.ask<PushToken>("POST", `/v2/deployments/${id}/push-token`);
    const image_uri = await push(built, token, `${name}-local`);
    // The engine forgets both names, so that Berth has to pull.
    await podman.run("rmi", built, `${token.registry_url}/${name}-local:latest`);
    await api.ask<Made>("PATCH", `/v2/deployments/${id}`, {
      ...{ revision_source: "internal_docker", source_revision_config: { image_uri }, secrets: [], ...more },
    });
    const { resources } = await api.ask<{ resources: { id: string }[] }>(
      "GET",
      `/v2/deployments/${id}/revisions?limit=1`,
    );
    expect(await api.settled(id, resources[0]?.id ?? "")).toMatchObject({ status: "DEPLOYED" });
    const { source_config } = await api.ask<Made>("GET", `/v2/deployments/${id}`);
    expect(source_config.custom_url).toBe(`${berth.url}/d/${id}`);
    expect(await answer(id)).toBe("one");
    await api.delete(id);
  });

  testUnless(notLong)("a tag that moves on leaves a revision its image, also for a rollback", async () => {
    const look = "/v2/deployments?name_contains=released&limit=100";
    expect((await api.ask<{ resources: Made[] }>("GET", look)).resources).toEqual([]);
    const { id } = await api.ask<Made>("POST", "/v2/deployments", {
      ...{ name: "released", source: "internal_docker", source_config: { deployment_type: "dev" } },
      ...{ source_revision_config: {}, secrets: [] },
    });
    const token = await api.ask<PushToken>("POST", `/v2/deployments/${id}/push-token`);
    expect(token.registry_url).toBe(`${new URL(berth.url).host}/berth/${id}`);
    const image_uri = await push("localhost/one:1", token, "released");
    await api.ask<Made>("PATCH", `/v2/deployments/${id}`, {
      ...{ revision_source: "internal_docker", source_revision_config: { image_uri }, secrets: [] },
    });
    const latest = await api.ask<{ resources: { id: string }[] }>(
      "GET",
      `/v2/deployments/${id}/revisions?limit=1`,
    );
    const first = latest.resources[0]?.id ?? "";
    expect(await api.settled(id, first)).toMatchObject({ status: "DEPLOYED", status_message: null });
    const digest = image_uri.split("@")[1];
    expect(await revisionOf(id, first)).toMatchObject({
      image_digest: digest,
      source_revision_config: { image_uri },
    });
    const { source_config } = await api.ask<Made>("GET", `/v2/deployments/${id}`);
    expect(source_config.custom_url).toBe(`${berth.url}/d/${id}`);
    expect(await answer(id)).toBe("one");

    // The same tag leads to another image by now; a rollback brings the first one.
    const tagged = (await push("localhost/two:1", token, "released")).split("@")[0];
    const patched = await api.ask<Made>("PATCH", `/v2/deployments/${id}`, {
      source_revision_config: { image_uri: `${tagged}:latest` },
    });
    expect((await api.settled(id, patched.latest_revision_id)).status).toBe("DEPLOYED");
    expect(await answer(id)).toBe("two");
    await api.ask("POST", `/v2/deployments/${id}/revisions/${first}/redeploy`);
    expect((await api.settled(id, first)).status).toBe("DEPLOYED");
    expect(await answer(id)).toBe("one");

    // The engine knows them by the revisions' names alone: by no name that another deployment could ask for.
    const names = await podman.run(
      "images",
      "--format",
      "{{.Repository}}@{{.Digest}}",
      "--filter",
      "dangling=false",
    );
    expect(names.split("\n").filter((name) => name.includes(`berth/${id}`)).length).toBeGreaterThanOrEqual(2);
    await podman.run("rmi", `${token.registry_url}/released:latest`);
    const left = await podman.run("images", "--format", "{{.Repository}}:{{.Tag}}");
    expect(left.split("\n").filter((name) => name.startsWith(new URL(berth.url).host))).toEqual([]);
  });

  testUnless(notLong)(
    "an image is pulled as it was pushed, inspected and removed by the engine",
    async () => {
      const { id } = await api.fromImage("by-hand");
      const token = await api.ask<PushToken>("POST", `/v2/deployments/${id}/push-token`);
      const image = await push("localhost/two:1", token, "by-hand");
      const pushed = await podman.run("image", "inspect", "--format", "{{.Id}}", "localhost/two:1");
      await podman.run("rmi", `${token.registry_url}/by-hand:latest`);
      await podman.run("pull", "--quiet", ...plain, image);
      const inspected = JSON.parse(await podman.run("image", "inspect", image));
      expect(inspected[0].Id).toBe(pushed);
      const list = await podman.run("search", ...plain, "--list-tags", `${token.registry_url}/by-hand`);
      expect(list).toContain("latest");
      await podman.run("rmi", image);
    },
  );

  testUnless(notLong)("what was never pushed to a deployment makes no revision of it", async () => {
    const { id } = await api.fromImage("nothing-pushed");
    const { id: other } = await api.fromImage("somebody-else");
    const token = await api.ask<PushToken>("POST", `/v2/deployments/${other}/push-token`);
    const image = await push("localhost/one:1", token, "theirs");
    const host = new URL(berth.url).host;
    for (const image_uri of [
      image,
      `${host}/berth/${id}/mine:latest`,
      `berth/${other}/theirs`,
      `${host}/berth/${id}/mine@${digestOf(new Uint8Array())}`,
    ])
      await expect(
        api.ask("PATCH", `/v2/deployments/${id}`, { source_revision_config: { image_uri } }),
      ).rejects.toThrow("400");
    const source_revision_config = { image_uri: `${host}/x/berth/${other}/theirs:latest` };
    const made = await api.ask<Made>("PATCH", `/v2/deployments/${id}`, { source_revision_config });
    expect(await api.settled(id, made.latest_revision_id)).toMatchObject({ status: "CREATE_FAILED" });
  });

  testUnless(noSkopeo)("skopeo copies, inspects and deletes", async () => {
    const { id } = await api.fromImage("skopeo");
    const { token, registry_url } = await api.ask<PushToken>("POST", `/v2/deployments/${id}/push-token`);
    const skopeo = async (...args: string[]) => {
      const child = Bun.spawn(["skopeo", ...args], {
        env: { ...process.env, ...podman.env },
        stderr: "pipe",
      });
      const text = await new Response(child.stdout).text();
      if ((await child.exited) !== 0) throw new Error(await new Response(child.stderr).text());
      return text;
    };
    const creds = ["--creds", `x:${token}`, "--tls-verify=false"];
    const to = ["--dest-creds", `x:${token}`, "--dest-tls-verify=false"];
    const image = `docker://${registry_url}/copied:1`;
    await skopeo("copy", ...to, "containers-storage:localhost/one:1", image);
    expect(JSON.parse(await skopeo("inspect", ...creds, image))).toMatchObject({ RepoTags: ["1"] });
    await skopeo("delete", ...creds, image);
    await expect(skopeo("inspect", ...creds, image)).rejects.toThrow("manifest unknown");
  });
});
