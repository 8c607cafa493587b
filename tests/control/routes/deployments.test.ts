import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  githubBody,
  openControlRig,
  PUBLIC_URL,
  placesOf,
  type Rig,
  sourceBody,
  textOf,
  UNKNOWN_ID,
} from "./rig.ts";

let rig: Rig;
beforeAll(async () => {
  rig = await openControlRig();
});
afterAll(() => rig.close());

const uuid: unknown = expect.stringMatching(/^[0-9a-f-]{36}$/);
const instant: unknown = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const noSource = {
  integration_id: null,
  repo_url: null,
  build_on_push: null,
  require_api_key: null,
  health_path: null,
  resource_spec: null,
};

let names = 0;
const fresh = () => {
  names += 1;
  return `agent-${names}`;
};

/** Creates a deployment and gives it as it was answered. */
async function create(body: object = sourceBody(fresh())) {
  const answer = await rig.post("/v2/deployments", body);
  expect([answer.status, answer.body]).toEqual([201, expect.any(Object)]);
  return { id: textOf(answer.body, "id"), name: textOf(answer.body, "name"), body: answer.body };
}

const refused = async (body: object, method = "post" as "post" | "patch", path = "/v2/deployments") => {
  const answer = await rig[method](path, body);
  expect([answer.status, answer.body]).toEqual([400, { detail: expect.any(String) }]);
  return textOf(answer.body, "detail");
};

describe("create", () => {
  test("answers with the whole deployment, and its first revision is there", async () => {
    const name = fresh();
    const secrets = [{ name: "OPENAI_API_KEY", value: "sk-never-shown" }];
    const wakes = rig.wakes;
    const { id, body } = await create(
      sourceBody(name, { secrets, source_config: { install_command: "bun install" } }),
    );
    expect(rig.wakes).toBe(wakes + 1);
    const source_revision_config = {
      repo_ref: null,
      langgraph_config_path: "graph.json",
      image_uri: null,
      source_tarball_path: null,
      repo_commit_sha: null,
    };
    expect(body).toEqual({
      id: uuid,
      name,
      source: "internal_source",
      source_config: {
        ...noSource,
        deployment_type: "dev",
        custom_url: `${PUBLIC_URL}/d/${id}`,
        listener_id: null,
        listener_config: null,
        install_command: "bun install",
        build_command: null,
        template: null,
      },
      source_revision_config,
      secrets: [{ name: "OPENAI_API_KEY", value: "********" }],
      secret_references: null,
      tracked_packages: null,
      tenant_id: uuid,
      created_at: instant,
      updated_at: instant,
      status: "AWAITING_DATABASE",
      latest_revision_id: uuid,
      latest_revision_status: "QUEUED",
      active_revision_id: null,
      image_version: null,
      asleep_since: null,
      is_preview: false,
    });
    expect((await rig.get(`/v2/deployments/${id}`)).body).toEqual(body);
    const revision = await rig.get(`/v2/deployments/${id}/revisions/${textOf(body, "latest_revision_id")}`);
    expect(revision.body).toEqual({
      id: textOf(body, "latest_revision_id"),
      created_at: instant,
      updated_at: instant,
      status: "QUEUED",
      source: "internal_source",
      source_revision_config,
      deployment_id: id,
      number: 0,
      image_digest: null,
      status_message: null,
      deployed_at: null,
      began_at: instant,
      ended_at: null,
      build_kept: false,
      created_by: { key_id: null, name: "operator" },
      deployed_by: { key_id: null, name: "operator" },
      remote_reconciled: false,
    });
  });

  test("a name that is taken is a conflict, and can be found", async () => {
    const { name } = await create();
    expect((await rig.post("/v2/deployments", sourceBody(name))).status).toBe(409);
    const { body } = await rig.get(`/v2/deployments?name_contains=${name}`);
    expect(body).toMatchObject({ resources: [{ name }] });
  });

  test("the path of the configuration is asked for where something is built, and nowhere else", async () => {
    const place = "body.source_revision_config.langgraph_config_path";
    const without = [{}, { langgraph_config_path: null }];
    for (const source_revision_config of without)
      expect(
        placesOf(await rig.post("/v2/deployments", sourceBody(fresh(), { source_revision_config }))),
      ).toEqual([place]);
    const github = githubBody(fresh(), {}, { langgraph_config_path: null });
    expect(placesOf(await rig.post("/v2/deployments", github))).toEqual([place]);
    const template = {
      ...sourceBody(fresh(), { source_config: { template: "chat" } }),
      source: "internal_template",
    };
    expect(placesOf(await rig.post("/v2/deployments", template))).toEqual([place]);
    await create({ ...template, source_revision_config: {} });
  });

  test("fields of other sources are refused, every one of them at once", async () => {
    const source_revision_config = {
      langgraph_config_path: "../graph.json",
      repo_ref: "main",
      image_uri: "busybox",
      repo_commit_sha: "read-only, so nobody minds",
    };
    const answer = await rig.post("/v2/deployments", sourceBody(fresh(), { source_revision_config }));
    expect(placesOf(answer).sort()).toEqual(
      ["image_uri", "langgraph_config_path", "repo_ref"].map(
        (field) => `body.source_revision_config.${field}`,
      ),
    );
  });

  test("what does not go together is a 400 that says why", async () => {
    const about = async (config: object, revision?: object) => refused(githubBody(fresh(), config, revision));
    const tag = { repo_ref: "refs/tags/v1" };
    expect(await about({ build_on_push: true }, tag)).toContain("must be false for a tag");
    await create(githubBody(fresh(), { build_on_push: false }, tag));
    const commit = { repo_ref: "0123456789".repeat(4) };
    expect(await about({ build_on_push: true }, commit)).toContain("must be false for a tag or a commit");
    await create(githubBody(fresh(), { build_on_push: false }, commit));
    expect(await about({ repo_url: "file:///etc" })).toStartWith("Source configuration error: ");
    expect(await about({ repo_url: "ext::sh -c touch% /tmp/x" })).toStartWith("Source configuration error: ");
    expect(await about({ repo_url: null })).toContain("repo_url");
    expect(await about({ install_command: "bun install; id" })).toContain("command");
    expect(await about({ template: "chat" })).toContain("internal_template");
    expect(await about({ build_command: "a & b" })).toContain("command");
    const other = (more: object) => refused({ ...sourceBody(fresh()), source_revision_config: {}, ...more });
    expect(await other({ source: "external_docker" })).toContain("BERTH_EDITION");
    const template = { source: "internal_template", source_config: { template: "no-such" } };
    expect(await other(template)).toContain("no-such");
    const foreign = {
      source_revision_config: { langgraph_config_path: "graph.json", source_tarball_path: "/etc" },
    };
    expect(await refused(sourceBody(fresh(), foreign))).toContain("source_tarball_path");
  });

  test("names and numbers have their limits", async () => {
    for (const name of ["", "-a", "a b", "ä", "a/b", "a".repeat(101)])
      expect(placesOf(await rig.post("/v2/deployments", sourceBody(name)))).toEqual(["body.name"]);
    await create(sourceBody(`A_${"b".repeat(98)}`));
    const resource_spec = { cpu: 0.05, cpu_limit: 17, memory_mb: 1.5, labels: { a: 1 }, db_cpu: "much" };
    const answer = await rig.post(
      "/v2/deployments",
      sourceBody(fresh(), { source_config: { resource_spec } }),
    );
    expect(placesOf(answer).sort()).toEqual(
      ["cpu", "cpu_limit", "db_cpu", "labels.a", "memory_mb"].map(
        (name) => `body.source_config.resource_spec.${name}`,
      ),
    );
  });

  test("external_docker belongs to the other edition, where it may say where it answers", async () => {
    const other = await openControlRig({ edition: "self_hosted" });
    const body = {
      name: "remote",
      source: "external_docker",
      source_config: { custom_url: "https://agent.example", resource_spec: { cpu: 1 } },
      source_revision_config: { image_uri: "registry.example/agent:1" },
      secrets: [],
    };
    const { status, body: made } = await other.post("/v2/deployments", body);
    expect([status, made]).toEqual([201, expect.objectContaining({ source: "external_docker" })]);
    expect(made).toMatchObject({
      source_config: { custom_url: "https://agent.example", resource_spec: { cpu: 1 } },
    });
    const refusal = await other.post("/v2/deployments", sourceBody("built"));
    expect([refusal.status, textOf(refusal.body, "detail")]).toEqual([
      400,
      expect.stringContaining("self_hosted"),
    ]);
    await other.close();
  });

  test("CLI_COMPAT takes an empty revision config, and asks for the path with the first archive", async () => {
    const lenient = await openControlRig({ cliCompat: true });
    const body = sourceBody("empty", { source_revision_config: {} });
    const { status, body: made } = await lenient.post("/v2/deployments", body);
    expect(status).toBe(201);
    const path = `/v2/deployments/${textOf(made, "id")}`;
    const { body: target } = await lenient.post(`${path}/upload-url`);
    const uploaded = new URL(textOf(target, "upload_url")).pathname;
    expect((await lenient.as(null).put(uploaded, "an archive")).status).toBe(200);
    const source_tarball_path = textOf(target, "object_path");
    const bare = await lenient.patch(path, { source_revision_config: { source_tarball_path } });
    expect(placesOf(bare)).toEqual(["body.source_revision_config.langgraph_config_path"]);
    const full = { source_tarball_path, langgraph_config_path: "graph.json" };
    expect((await lenient.patch(path, { source_revision_config: full })).status).toBe(200);
    const { body: revisions } = await lenient.get(`${path}/revisions`);
    expect(revisions).toMatchObject({ resources: [{ status: "CREATING" }, { status: "SKIPPED" }] });
    await lenient.close();
  });

  test("without any key nobody creates anything", async () => {
    const keyless = await openControlRig({ keyless: true });
    const bodies = {
      "/v2/deployments": sourceBody("agent"),
      "/v1/keys": { name: "mine" },
      "/v1/workspaces": { name: "ours" },
      "/v1/integrations/github": { name: "octo", token: "ghp_x" },
    };
    for (const [path, body] of Object.entries(bodies)) {
      const answer = await keyless.post(path, body);
      expect([path, answer.status]).toEqual([path, 401]);
      expect(textOf(answer.body, "detail")).toMatch(/SERVICE_API_KEY.*berth keys create/);
    }
    expect((await keyless.get("/v2/deployments")).body).toEqual({ resources: [], offset: 0 });
    await keyless.close();
  });
});

describe("list", () => {
  test("pages, newest first, with every filter, and an exact name before all others", async () => {
    const other = await openControlRig();
    const ids: string[] = [];
    for (const name of ["web", "web-2", "web-3", "job"]) {
      const source_config = { deployment_type: name === "job" ? "dev_free" : "prod" };
      const { body } = await other.post("/v2/deployments", sourceBody(name, { source_config }));
      ids.push(textOf(body, "id"));
    }
    const listed = async (query: string) => {
      const { status, body } = await other.get(`/v2/deployments${query}`);
      expect([query, status]).toEqual([query, 200]);
      const { resources, offset } = body as { resources: { name: string }[]; offset: number };
      return [resources.map(({ name }) => name), offset];
    };
    expect(await listed("")).toEqual([["job", "web-3", "web-2", "web"], 4]);
    expect(await listed("?name_contains=")).toEqual([["job", "web-3", "web-2", "web"], 4]);
    expect(await listed("?limit=2")).toEqual([["job", "web-3"], 2]);
    expect(await listed("?limit=2&offset=2")).toEqual([["web-2", "web"], 4]);
    expect(await listed("?limit=2&offset=4")).toEqual([[], 4]);
    expect(await listed("?name_contains=web")).toEqual([["web", "web-3", "web-2"], 3]);
    expect(await listed("?name=web")).toEqual([["web"], 1]);
    expect(await listed("?deployment_type=dev_free")).toEqual([["job"], 1]);
    expect(await listed("?status=READY")).toEqual([[], 0]);
    expect(await listed("?status=AWAITING_DATABASE&remote_reconciled=false")).toEqual([
      ["job", "web-3", "web-2", "web"],
      4,
    ]);
    expect(await listed("?remote_reconciled=true")).toEqual([[], 0]);
    expect(await listed("?image_version=1")).toEqual([[], 0]);
    expect(await listed(`?deployment_ids=${ids[1]},${ids[3]?.toUpperCase()}`)).toEqual([["job", "web-2"], 2]);
    expect(await listed("?agent_id=x&anything=y&limit=100")).toEqual([["job", "web-3", "web-2", "web"], 4]);
    expect((await other.get("/v2/deployments/free-count")).body).toEqual({ count: 1 });
    await other.close();
  });

  test("every wrong parameter is told at once", async () => {
    const query =
      "limit=0&offset=-1&status=BUSY&remote_reconciled=perhaps&deployment_type=big&deployment_ids=a";
    const answer = await rig.get(`/v2/deployments?${query}`);
    expect(placesOf(answer).sort()).toEqual(
      ["deployment_ids.0", "deployment_type", "limit", "offset", "remote_reconciled", "status"].map(
        (name) => `query.${name}`,
      ),
    );
  });
});

describe("patch", () => {
  const revisionsOf = async (id: string) => {
    const { body } = await rig.get(`/v2/deployments/${id}/revisions`);
    return (body as { resources: { status: string }[] }).resources;
  };

  test("makes one revision where a field asks for one, and none otherwise", async () => {
    const { id } = await create(githubBody(fresh()));
    const path = `/v2/deployments/${id}`;
    for (const quiet of [
      {},
      { secrets: null, source_config: null, source_revision_config: null, revision_source: "github" },
      { source_config: { build_on_push: true, install_command: "bun install" } },
      { source_config: { repo_url: "https://github.com/someone/else", resource_spec: null } },
      { tracked_packages: ["google-adk:1.2.3"] },
      { source_revision_config: { repo_ref: null, repo_commit_sha: "abc" } },
    ]) {
      const { status } = await rig.patch(path, quiet);
      expect([quiet, status, (await revisionsOf(id)).length]).toEqual([quiet, 200, 1]);
    }
    const loud = {
      secrets: [],
      source_revision_config: { repo_ref: "next" },
      source_config: { resource_spec: {} },
    };
    const { body } = await rig.patch(path, loud);
    expect(body).toMatchObject({
      source_config: { build_on_push: true, repo_url: "https://github.com/someone/else" },
      source_revision_config: { repo_ref: "next", langgraph_config_path: "graph.json" },
      tracked_packages: ["google-adk:1.2.3"],
    });
    expect(await revisionsOf(id)).toHaveLength(2);
  });

  test("what cannot change is refused, to repeat it is not", async () => {
    const { id, name } = await create(githubBody(fresh(), { deployment_type: "prod" }));
    const path = `/v2/deployments/${id}`;
    const same = { name, source: "github", source_config: { deployment_type: "prod" } };
    expect((await rig.patch(path, same)).status).toBe(200);
    for (const change of [
      { name: "another" },
      { source: "internal_source" },
      { revision_source: "internal_source" },
      { source_config: { deployment_type: "dev" } },
      { source_config: { integration_id: UNKNOWN_ID } },
      { source_config: { listener_id: UNKNOWN_ID } },
      { source_config: { listener_config: { k8s_namespace: "a" } } },
      { source_config: { repo_url: "git://github.com/a/b" } },
      { source_config: { build_on_push: true }, source_revision_config: { repo_ref: "refs/tags/v1" } },
    ])
      expect([change, await refused(change, "patch", path)]).toEqual([change, expect.any(String)]);
    expect(placesOf(await rig.patch(path, { tracked_packages: ["google-adk"] }))).toEqual([
      "body.tracked_packages.0",
    ]);
    expect(await revisionsOf(id)).toHaveLength(1);
  });

  test("an unknown deployment is a 404 in the words of the public API", async () => {
    const detail = `Deployment ID ${UNKNOWN_ID} not found.`;
    for (const answer of [
      await rig.get(`/v2/deployments/${UNKNOWN_ID}`),
      await rig.patch(`/v2/deployments/${UNKNOWN_ID}`, {}),
    ])
      expect([answer.status, answer.body]).toEqual([404, { detail }]);
  });
});

describe("delete", () => {
  test("is at once, and force is for what is being deleted", async () => {
    const { id } = await create();
    const path = `/v2/deployments/${id}`;
    expect((await rig.remove(`${path}?force=true`)).status).toBe(400);
    const gone = await rig.remove(path);
    expect([gone.status, gone.body]).toEqual([204, ""]);
    expect((await rig.get(path)).status).toBe(404);
    expect((await rig.remove(path)).status).toBe(404);
    expect((await rig.remove(`${path}?force=true`)).status).toBe(204);
    expect((await rig.remove(`/v2/deployments/${UNKNOWN_ID}?force=true`)).status).toBe(404);
  });

  test("of several tells of each", async () => {
    const [one, two, three] = [await create(), await create(), await create()];
    const ids = (...all: string[]) => all.map((id) => `deployment_ids=${id}`).join("&");
    const all = await rig.remove(`/v2/deployments?${ids(one.id, two.id, one.id)}`);
    expect([all.status, all.body]).toEqual([200, { deleted: [one.id, two.id], failed: [] }]);
    const some = await rig.remove(`/v2/deployments?${ids(one.id, three.id)}`);
    const failed = [{ id: one.id, detail: expect.stringContaining("not found") }];
    expect([some.status, some.body]).toEqual([207, { deleted: [three.id], failed }]);
    expect((await rig.remove(`/v2/deployments?${ids(UNKNOWN_ID)}`)).status).toBe(404);
    expect(placesOf(await rig.remove("/v2/deployments"))).toEqual(["query.deployment_ids"]);
    expect(placesOf(await rig.remove(`/v2/deployments?${ids(...Array(101).fill(UNKNOWN_ID))}`))).toEqual([
      "query.deployment_ids",
    ]);
  });
});
