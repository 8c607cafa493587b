import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import { until } from "../../e2e/condition.ts";
import { githubBody, openControlRig, type Rig, sourceBody, textOf, UNKNOWN_ID } from "./rig.ts";

const TOKEN = "ghp_the_personal_token";
/** A page without an end, as of a server that is not GitHub. */
const endless = { isCancelled: false, pieces: 0 };
const MOST_PIECES = 256;
const endlessPage = () =>
  new ReadableStream({
    pull(controller) {
      endless.pieces += 1;
      if (endless.pieces > MOST_PIECES) controller.close();
      else controller.enqueue(Buffer.alloc(1_048_576, " "));
    },
    cancel() {
      endless.isCancelled = true;
    },
  });

/** Stands in for api.github.com: 130 repositories for whoever has the token. */
const github = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: (request) => {
    const url = new URL(request.url);
    if (request.headers.get("authorization") === "Bearer broken")
      return new Response("<html>", { status: 200 });
    if (request.headers.get("authorization") === "Bearer endless") return new Response(endlessPage());
    if (request.headers.get("authorization") !== `Bearer ${TOKEN}`)
      return new Response("{}", { status: 401 });
    const page = Number(url.searchParams.get("page"));
    const repository = (id: number) => ({
      id,
      name: `repo-${id}`,
      owner: { login: "someone", type: "User" },
      html_url: `https://github.com/someone/repo-${id}`,
      default_branch: "main",
      private: true,
    });
    return Response.json(
      Array.from({ length: page === 1 ? 100 : 30 }, (_, at) => repository(page * 1_000 + at)),
    );
  },
});

let rig: Rig;
beforeAll(async () => {
  rig = await openControlRig({ githubApiUrl: `http://127.0.0.1:${github.port}` });
});
afterAll(async () => {
  await github.stop(true);
  await rig.close();
});

describe("a personal token", () => {
  const add = async (token: string) =>
    textOf((await rig.post("/v1/integrations/github", { name: "octo", token })).body, "id");

  test("opens its repositories, at both addresses, and is never shown", async () => {
    const id = await add(TOKEN);
    for (const base of ["/v1/integrations/github", "/v1/integrations/forge/github"]) {
      const listed = await rig.get(`${base}/install`);
      expect(listed.body).toContainEqual({ id, installation_id: expect.any(Number), name: "octo" });
      expect(JSON.stringify(listed.body)).not.toContain(TOKEN);
      const { status, body } = await rig.get(`${base}/${id}/repos`);
      expect([status, body]).toEqual([200, expect.any(Array)]);
      expect(body).toHaveLength(130);
      expect(Reflect.get(Object(body), 0)).toEqual({
        host_integration_id: id,
        id: 1_000,
        name: "repo-1000",
        owner: "someone",
        url: "https://github.com/someone/repo-1000",
        default_branch: "main",
      });
    }
    expect((await rig.remove(`/v1/integrations/github/${id}`)).status).toBe(204);
    expect((await rig.get(`/v1/integrations/github/${id}/repos`)).status).toBe(404);
  });

  test("that GitHub does not take, or that it answers strangely to, is told so", async () => {
    const refused = await rig.get(`/v1/integrations/github/${await add("ghp_old")}/repos`);
    expect([refused.status, textOf(refused.body, "detail")]).toEqual([400, expect.stringContaining("token")]);
    expect((await rig.get(`/v1/integrations/github/${await add("broken")}/repos`)).status).toBe(503);
    const away = await openControlRig();
    const { body } = await away.post("/v1/integrations/github", { name: "octo", token: TOKEN });
    const silent = await away.get(`/v1/integrations/github/${textOf(body, "id")}/repos`);
    expect([silent.status, JSON.stringify(silent.body)]).toEqual([503, expect.not.stringContaining(TOKEN)]);
    await away.close();
  });

  test("an answer that has no end is read only up to its limit", async () => {
    expect((await rig.get(`/v1/integrations/github/${await add("endless")}/repos`)).status).toBe(503);
    await until("the answer is cut", async () => endless.isCancelled);
    expect(endless.pieces).toBeLessThanOrEqual(MOST_PIECES);
  });

  test("that would break a header is none", async () => {
    for (const token of ["", "a b", "a\nb", "ä"])
      expect((await rig.post("/v1/integrations/github", { name: "octo", token })).status).toBe(422);
  });
});

describe("the push hook", () => {
  const SHA = "a".repeat(40);
  const pushed = { ref: "refs/heads/main", after: SHA, created: false, deleted: false };
  let made = 0;

  async function hooked(config: object = { build_on_push: true }, revision: object = {}) {
    made += 1;
    const { body } = await rig.post("/v2/deployments", githubBody(`hooked-${made}`, config, revision));
    const id = textOf(body, "id");
    const hook = await rig.get(`/v2/deployments/${id}/push-hook`);
    const path = `/v2/deployments/${id}/push-hook`;
    expect(hook.body).toEqual({ url: `http://berth.example${path}`, secret: expect.stringMatching(/.{20}/) });
    const secret = textOf(hook.body, "secret");
    const tell = (payload: unknown, headers: Record<string, string> = {}) => {
      const text = typeof payload === "string" ? payload : JSON.stringify(payload);
      const signature = `sha256=${createHmac("sha256", secret).update(text).digest("hex")}`;
      const sent = {
        "content-type": "application/json",
        "x-github-event": "push",
        "x-hub-signature-256": signature,
      };
      return rig.as(null).post(path, text, { ...sent, ...headers });
    };
    const count = async () =>
      Reflect.get(Object((await rig.get(`/v2/deployments/${id}/revisions`)).body), "offset");
    return { id, path, tell, count };
  }

  test("a push to the branch makes a revision", async () => {
    const { id, tell, count } = await hooked();
    const { status, body } = await tell(pushed);
    expect([status, await count()]).toEqual([200, 2]);
    const { body: deployment } = await rig.get(`/v2/deployments/${id}`);
    expect(body).toEqual({ revision_id: textOf(deployment, "latest_revision_id") });
  });

  test("with a new secret the old one signs nothing, and nobody else's deployment gets one", async () => {
    const { id, path, tell, count } = await hooked();
    expect((await rig.as(null).post(`${path}/rotate`)).status).toBe(401);
    expect((await rig.post(`/v2/deployments/${UNKNOWN_ID}/push-hook/rotate`)).status).toBe(404);
    const { status, body } = await rig.post(`${path}/rotate`);
    expect(status).toBe(200);
    expect((await rig.get(path)).body).toEqual(body);
    expect([(await tell(pushed)).status, await count()]).toEqual([401, 1]);
    const text = JSON.stringify(pushed);
    const signature = createHmac("sha256", textOf(body, "secret")).update(text).digest("hex");
    const signed = { "x-hub-signature-256": `sha256=${signature}`, "content-type": "application/json" };
    expect((await rig.as(null).post(path, text, signed)).status).toBe(200);
    expect([id, await count()]).toEqual([id, 2]);
  });

  test("any other is taken and left, with the reason", async () => {
    const { tell, count } = await hooked();
    for (const payload of [
      { ...pushed, ref: "refs/heads/next" },
      { ...pushed, ref: "refs/tags/main" },
      { ...pushed, created: true },
      { ...pushed, deleted: true },
    ]) {
      const { status, body } = await tell(payload);
      expect([status, body]).toEqual([200, { revision_id: null, reason: expect.any(String) }]);
    }
    expect((await tell({ zen: "Design for failure." }, { "x-github-event": "ping" })).status).toBe(200);
    expect(await count()).toBe(1);
    const off = await hooked({});
    expect((await off.tell(pushed)).body).toMatchObject({ revision_id: null });
    expect(await off.count()).toBe(1);
  });

  test("without a branch of its own it is the repository's", async () => {
    const { tell, count } = await hooked(undefined, { repo_ref: null });
    await tell({ ...pushed, repository: { default_branch: "trunk" } });
    expect(await count()).toBe(1);
    await tell({ ...pushed, ref: "refs/heads/trunk", repository: { default_branch: "trunk" } });
    expect(await count()).toBe(2);
  });

  test("the same commit told again makes no second revision", async () => {
    const { tell, count } = await hooked();
    const { body } = await tell(pushed);
    await rig.revisions.move(textOf(body, "revision_id"), "CREATING", "AWAITING_BUILD", {
      config: { repo_commit_sha: SHA },
    });
    expect((await tell(pushed)).body).toMatchObject({ revision_id: null });
    expect(await count()).toBe(2);
  });

  test("nobody without the secret is heard, nor learns whether there is such a deployment", async () => {
    const { path, tell, count } = await hooked();
    const body = JSON.stringify(pushed);
    const wrong: Record<string, string>[] = [
      {},
      { "x-hub-signature-256": "sha256=" },
      { "x-hub-signature-256": `sha256=${"0".repeat(64)}` },
      { "x-hub-signature-256": `sha1=${createHmac("sha1", "x").update(body).digest("hex")}` },
    ];
    const answers = await Promise.all(wrong.map((headers) => rig.as(null).post(path, body, headers)));
    const unknown = await rig.as(null).post(`/v2/deployments/${UNKNOWN_ID}/push-hook`, body, wrong[2]);
    for (const answer of [...answers, unknown])
      expect([answer.status, answer.body]).toEqual([401, unknown.body]);
    expect((await tell(`${body} `, { "x-hub-signature-256": "sha256=00" })).status).toBe(401);
    expect((await tell("payload=%7B%7D")).status).toBe(400);
    expect((await tell({ after: SHA })).status).toBe(400);
    expect(await count()).toBe(1);
  });

  test("nobody waits for a body that is not signed, nor for one that is larger than any may be", async () => {
    const { path, tell } = await hooked();
    let asked = false;
    const body = new ReadableStream(
      {
        pull(controller) {
          asked = true;
          controller.close();
        },
      },
      { highWaterMark: 0 },
    );
    const unsigned = new Request(`http://localhost${path}`, { method: "POST", body });
    expect((await rig.app.handle(unsigned)).status).toBe(401);
    expect(asked).toBe(false);
    expect((await tell({ ...pushed, filling: "x".repeat(2_000_000) })).status).toBe(413);
  });

  test("other sources have none", async () => {
    const { body } = await rig.post("/v2/deployments", sourceBody("no-hook"));
    expect((await rig.get(`/v2/deployments/${textOf(body, "id")}/push-hook`)).status).toBe(400);
  });
});

describe("listeners", () => {
  const east = { compute_type: "k8s", compute_id: "east", compute_config: { k8s_namespaces: ["a", "b"] } };

  test("are made, read, changed and deleted", async () => {
    const { status, body } = await rig.post("/v2/listeners", { ...east, version: "1" });
    const path = `/v2/listeners/${textOf(body, "id")}`;
    expect([status, body]).toEqual([201, expect.objectContaining({ ...east, version: "1" })]);
    expect((await rig.get(path)).body).toEqual(body);
    expect((await rig.get("/v2/listeners?limit=1")).body).toEqual({ resources: [body], offset: 1 });
    const twice = await rig.post("/v2/listeners", east);
    expect([twice.status, textOf(twice.body, "detail")]).toEqual([409, expect.stringContaining("east")]);
    const { body: changed } = await rig.patch(path, { compute_config: { k8s_namespaces: ["c"] } });
    expect(changed).toMatchObject({ version: "1", compute_config: { k8s_namespaces: ["c"] } });
    const same = { compute_type: "k8s", compute_id: "east", version: null };
    expect((await rig.patch(path, same)).status).toBe(200);
    for (const fixed of [{ compute_id: "west" }, { compute_type: "vm" }])
      expect((await rig.patch(path, fixed)).status).toBe(400);
    expect((await rig.remove(path)).status).toBe(204);
    const { status: gone, body: why } = await rig.get(path);
    expect([gone, textOf(why, "detail")]).toEqual([
      404,
      expect.stringMatching(/^Listener ID .* not found\.$/),
    ]);
  });

  test("take the deployments of their workspace, which then name one and a namespace of it", async () => {
    const other = await openControlRig({ edition: "self_hosted" });
    const id = textOf((await other.post("/v2/listeners", east)).body, "id");
    const deploy = (source_config: object, more: object = {}) =>
      other.post("/v2/deployments", {
        name: "far",
        source: "external_docker",
        source_config,
        source_revision_config: { image_uri: "registry.example/agent:1" },
        secrets: [],
        ...more,
      });
    const without = await deploy({});
    expect([without.status, textOf(without.body, "detail")]).toEqual([400, expect.stringContaining(id)]);
    expect((await deploy({ listener_id: UNKNOWN_ID })).status).toBe(400);
    expect((await deploy({ listener_id: id, listener_config: { k8s_namespace: "z" } })).status).toBe(400);
    const secret_references = [{ name: "A", secret_name: "s", secret_key: "k" }];
    const made = await deploy(
      { listener_id: id, listener_config: { k8s_namespace: "a" } },
      { secret_references },
    );
    expect([made.status, made.body]).toEqual([201, expect.objectContaining({ secret_references })]);
    const path = `/v2/deployments/${textOf(made.body, "id")}/revisions`;
    expect((await other.get(`${path}?remote_reconciled=true`)).body).toMatchObject({ offset: 1 });
    expect((await other.get(`${path}?remote_reconciled=false`)).body).toMatchObject({ offset: 0 });
    expect((await other.get("/v2/deployments?remote_reconciled=true")).body).toMatchObject({ offset: 1 });
    await other.close();
  });
});
