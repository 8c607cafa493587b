import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { githubBody, openControlRig, placesOf, type Rig, sourceBody, textOf, UNKNOWN_ID } from "./rig.ts";

let rig: Rig;
/** The edition that has external_docker. */
let hosted: Rig;
beforeAll(async () => {
  rig = await openControlRig();
  hosted = await openControlRig({ edition: "self_hosted" });
});
afterAll(() => Promise.all([rig.close(), hosted.close()]));

let names = 0;
const fresh = () => {
  names += 1;
  return `agent-${names}`;
};

const remoteBody = (source_config: object = {}, more: object = {}) => ({
  name: fresh(),
  source: "external_docker",
  source_config,
  source_revision_config: { image_uri: "registry.example/agent:1" },
  secrets: [],
  ...more,
});

async function made(at: Rig, body: object): Promise<string> {
  const answer = await at.post("/v2/deployments", body);
  expect([answer.status, answer.body]).toEqual([201, expect.any(Object)]);
  return `/v2/deployments/${textOf(answer.body, "id")}`;
}

/** Why a body is refused with 400. */
async function refusal(at: Rig, body: object): Promise<string> {
  const answer = await at.post("/v2/deployments", body);
  expect([answer.status, answer.body]).toEqual([400, { detail: expect.any(String) }]);
  return textOf(answer.body, "detail");
}

const cluster = (compute_id: string) => ({ compute_type: "k8s", compute_id, compute_config: {} });

describe("what a deployment names", () => {
  const others = {
    github: githubBody("x"),
    internal_source: sourceBody("x"),
    internal_docker: { ...sourceBody("x", { source_revision_config: {} }), source: "internal_docker" },
    internal_template: {
      ...sourceBody("x", { source_config: { template: "chat" }, source_revision_config: {} }),
      source: "internal_template",
    },
  };

  test.each(Object.entries(others))("a listener is nothing for the source %s", async (_, body) => {
    const theirs = await rig.stranger(fresh());
    const listener_id = textOf((await theirs.post("/v2/listeners", cluster("theirs"))).body, "id");
    for (const foreign of [{ listener_id }, { listener_config: { k8s_namespace: "a" } }]) {
      const source_config = { ...body.source_config, ...foreign };
      expect(await refusal(rig, { ...body, name: fresh(), source_config })).toContain("external_docker");
    }
    const path = await made(rig, { ...body, name: fresh() });
    expect((await rig.patch(path, { source_config: { listener_id } })).status).toBe(400);
  });

  test("an integration is one of the workspace", async () => {
    const token = { name: "octo", token: "ghp_x" };
    const theirs = await rig.stranger(fresh());
    const foreign = textOf((await theirs.post("/v1/integrations/github", token)).body, "id");
    for (const integration_id of [foreign, UNKNOWN_ID])
      expect(await refusal(rig, githubBody(fresh(), { integration_id }))).toBe(
        `Source configuration error: there is no integration ${integration_id}`,
      );
  });

  test("is the same in capitals", async () => {
    const { body } = await rig.post("/v1/integrations/github", { name: "octo", token: "ghp_x" });
    const integration_id = textOf(body, "id");
    const path = await made(rig, githubBody(fresh(), { integration_id: integration_id.toUpperCase() }));
    expect((await rig.get(path)).body).toMatchObject({ source_config: { integration_id } });
    for (const same of [integration_id, integration_id.toUpperCase()])
      expect((await rig.patch(path, { source_config: { integration_id: same } })).status).toBe(200);

    const listener_id = textOf((await hosted.post("/v2/listeners", cluster("east"))).body, "id");
    const given = { listener_id: listener_id.toUpperCase(), listener_config: {} };
    const remote = await made(hosted, remoteBody(given));
    expect((await hosted.get(remote)).body).toMatchObject({ source_config: { listener_id } });
    for (const same of [given, { listener_id, listener_config: { k8s_namespace: null } }])
      expect((await hosted.patch(remote, { source_config: same })).status).toBe(200);
    const other = { listener_config: { k8s_namespace: "b" } };
    expect((await hosted.patch(remote, { source_config: other })).status).toBe(400);
    await hosted.remove(`/v2/listeners/${listener_id}`);
  });
});

test("a field that nothing reads is refused, and changes nothing", async () => {
  const junk = "junk".repeat(10_000);
  const listener_id = textOf((await hosted.post("/v2/listeners", cluster("west"))).body, "id");
  const source_config = { junk, listener_id, listener_config: { k8s_namespace: "a", junk } };
  const secrets = [{ name: "A", value: "1", junk }];
  const secret_references = [{ name: "B", secret_name: "s", secret_key: "k", junk }];
  const body = remoteBody(source_config, { secrets, secret_references });
  const image = { ...body.source_revision_config, junk };
  expect(placesOf(await hosted.post("/v2/deployments", { ...body, source_revision_config: image }))).toEqual([
    "body.source_config.junk",
    "body.source_config.listener_config.junk",
    "body.source_revision_config.junk",
    "body.secrets.0.junk",
    "body.secret_references.0.junk",
  ]);
  const known = { listener_id, listener_config: { k8s_namespace: "a" } };
  const path = await made(hosted, remoteBody(known));
  for (const change of [
    { source_config: { junk } },
    { secrets, secret_references },
    { source_revision_config: { junk } },
  ])
    expect((await hosted.patch(path, change)).status).toBe(422);
  const id = path.split("/").at(-1) ?? "";
  const rows = await Promise.all([
    hosted.db.read.selectFrom("deployments").selectAll().where("id", "=", id).execute(),
    hosted.db.read.selectFrom("revisions").selectAll().where("deployment_id", "=", id).execute(),
  ]);
  expect(rows[1]).toHaveLength(1);
  const longest = rows.flat().flatMap((row) => Object.values(row).map((value) => String(value).length));
  expect(Math.max(...longest)).toBeLessThan(2_000);
  await hosted.remove(`/v2/listeners/${listener_id}`);
});

test("of two changes at once that do not go together one is refused", async () => {
  const path = await made(rig, githubBody(fresh()));
  const answers = await Promise.all([
    rig.patch(path, { source_config: { build_on_push: true } }),
    rig.patch(path, { source_revision_config: { repo_ref: "refs/tags/v1" } }),
  ]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
});

test("a branch is given by its bare name", async () => {
  const path = await made(rig, githubBody(fresh()));
  for (const repo_ref of ["refs/heads/main", "refs/pull/1/head", "refs/tags/", "HEAD"])
    expect(placesOf(await rig.patch(path, { source_revision_config: { repo_ref } }))).toEqual([
      "body.source_revision_config.repo_ref",
    ]);
});

test("custom_url is an address that clients can be sent to", async () => {
  for (const custom_url of [
    "ftp://agent.example",
    "http://",
    "https:///path",
    "agent.example",
    'https://a b"><script>',
    'https://agent.example/"><script>',
    "https://me:secret@agent.example",
    "https://agent.example\n",
  ])
    expect([custom_url, await refusal(hosted, remoteBody({ custom_url }))]).toEqual([
      custom_url,
      expect.stringContaining("custom_url"),
    ]);
  await made(hosted, remoteBody({ custom_url: "http://10.0.0.7:8123/agent/" }));
});

test("texts have their limits", async () => {
  const secret_references = [{ name: "A", secret_name: "s".repeat(254), secret_key: "k" }];
  const custom_url = `https://agent.example/${"x".repeat(2_048)}`;
  const answer = await hosted.post("/v2/deployments", remoteBody({ custom_url }, { secret_references }));
  expect(placesOf(answer).sort()).toEqual([
    "body.secret_references.0.secret_name",
    "body.source_config.custom_url",
  ]);
});

test("with CLI_COMPAT the path is asked for when something is chosen, not when something is ignored", async () => {
  const lenient = await openControlRig({ cliCompat: true });
  const path = await made(lenient, sourceBody(fresh(), { source_revision_config: {} }));
  for (const source_revision_config of [{ repo_commit_sha: "abc" }, {}, { image_uri: null }])
    expect((await lenient.patch(path, { source_revision_config })).status).toBe(200);
  await lenient.close();
});

test.each([
  "Registry.Example/Agent:1",
  "registry.example/Team/agent",
  "registry.example/agent:-tag",
  "registry.example/agent@sha256:12",
  "dir:/etc",
  "docker-archive:agent.tar",
  "--privileged",
  "localhost/berth/other:1",
  "berth.example/berth/01920000-0000-7000-8000-000000000000/Agent:1",
  `registry.example/${"a".repeat(512)}`,
  "agent image",
  "",
])("an image that cannot have the name %p is refused before anything changes", async (image_uri) => {
  const wrong = { source_revision_config: { image_uri } };
  const docker = { ...sourceBody(fresh(), { source_revision_config: {} }), source: "internal_docker" };
  const path = await made(rig, docker);
  const before = await rig.get(path);
  const refused = [
    await rig.post("/v2/deployments", { ...docker, ...wrong, name: fresh() }),
    await hosted.post("/v2/deployments", remoteBody({}, wrong)),
    await rig.patch(path, wrong),
    await rig.post(`${path}/revisions`, wrong),
  ];
  for (const answer of refused) {
    expect(answer.status).toBe(422);
    expect(placesOf(answer)).toEqual(["body.source_revision_config.image_uri"]);
    expect(JSON.stringify(answer.body)).toContain("name one such as registry.example/team/agent:1.2");
  }
  expect((await rig.get(path)).body).toEqual(before.body);
  const { resources } = (await rig.get("/v2/deployments?limit=100")).body as {
    resources: { name: string }[];
  };
  expect(resources.map(({ name }) => name)).not.toContain(`agent-${names}`);
});
