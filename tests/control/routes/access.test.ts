import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { DEFAULT_WORKSPACE } from "@berth/store";
import { isOpen } from "../../../server/access/index.ts";
import { openControlRig, placesOf, type Rig, sourceBody, textOf, UNKNOWN_ID } from "./rig.ts";

let rig: Rig;
let theirs: Awaited<ReturnType<Rig["stranger"]>>;
/** What belongs to the default workspace, by the name that paths have for it. */
let ours: Record<string, string>;

beforeAll(async () => {
  rig = await openControlRig();
  theirs = await rig.stranger("theirs");
  const { body } = await rig.post("/v2/deployments", sourceBody("ours"));
  const key = await rig.post("/v1/keys", { name: "ours" });
  const listener = { compute_type: "k8s", compute_id: "east", compute_config: {} };
  const integration = { name: "octo", token: "ghp_never_shown" };
  ours = {
    deployment_id: textOf(body, "id"),
    project_id: textOf(body, "id"),
    revision_id: textOf(body, "latest_revision_id"),
    listener_id: textOf((await rig.post("/v2/listeners", listener)).body, "id"),
    integration_id: textOf((await rig.post("/v1/integrations/github", integration)).body, "id"),
    key_id: textOf(key.body, "id"),
    workspace_id: DEFAULT_WORKSPACE.id,
  };
});
afterAll(() => rig.close());

const bodies: Record<string, unknown> = {
  "PATCH /v2/deployments/:deployment_id": { secrets: [] },
  "POST /v2/deployments/:deployment_id/revisions": {},
  "PATCH /v2/listeners/:listener_id": {},
  "PATCH /v1/workspaces/:workspace_id": { name: "mine now" },
};
const queries: Record<string, (id: string) => string> = {
  "GET /v2/deployments/:deployment_id/revisions/:revision_id/logs": () => "?type=build",
  "GET /v2/deployment-logs": (id) => `?deployment_id=${id}`,
  "DELETE /v2/deployments": (id) => `?deployment_ids=${id}`,
};

test("another workspace's ids answer as unknown ones do, at every operation that takes one", async () => {
  const asked: string[] = [];
  for (const { method, path } of rig.table.mounted) {
    const route = `${method} ${path}`;
    const names = [...path.matchAll(/:(\w+)/g)]
      .map(([, name = ""]) => name)
      .filter((name) => name !== "token");
    const query = queries[route];
    if ((names.length === 0 && !query) || route === "POST /v2/deployments/:deployment_id/push-hook") continue;
    asked.push(route);
    const at = (ids: Record<string, string>) =>
      path.replaceAll(/:(\w+)/g, (_, name: string) => ids[name] ?? UNKNOWN_ID) +
      (query?.(ids.deployment_id ?? UNKNOWN_ID) ?? "");
    const foreign = await theirs.send(method, at(ours), bodies[route]);
    const unknown = await theirs.send(method, at({}), bodies[route]);
    const shown = JSON.stringify(foreign.body).replaceAll(/[0-9a-f-]{36}/g, "ID");
    expect([route, foreign.status, shown]).toEqual([
      route,
      404,
      JSON.stringify(unknown.body).replaceAll(/[0-9a-f-]{36}/g, "ID"),
    ]);
    expect([route, unknown.status]).toEqual([route, 404]);
  }
  expect(asked.length).toBeGreaterThan(28);
  expect((await rig.get(`/v2/deployments/${ours.deployment_id}/revisions`)).body).toMatchObject({
    offset: 1,
  });
});

test("lists hold nothing of another workspace", async () => {
  for (const path of [
    "/v2/deployments",
    "/v2/listeners",
    "/v1/keys",
    "/v1/workspaces",
    "/v1/integrations/github/install",
    "/v1/integrations/forge/github/install",
    `/v2/deployments?deployment_ids=${ours.deployment_id}`,
  ]) {
    const { status, body } = await theirs.get(path);
    expect([path, status]).toEqual([path, 200]);
    for (const id of Object.values(ours))
      expect([path, JSON.stringify(body).includes(id)]).toEqual([path, false]);
  }
});

test("nothing is answered without a key, or with a wrong one, but what proves itself", async () => {
  const open = ["PUT /v2/uploads/:token", "POST /v2/deployments/:deployment_id/push-hook"];
  for (const { method, path, operation } of rig.table.mounted) {
    const at = path.replaceAll(/:\w+/g, UNKNOWN_ID);
    const route = `${method} ${path}`;
    const statuses = await Promise.all(
      [rig.as(null), rig.as("wrong")].map((caller) => caller.send(method, at)),
    );
    const expected = route === open[0] ? [404, 404] : [401, 401];
    expect([route, statuses.map(({ status }) => status)]).toEqual([route, expected]);
    expect([route, isOpen(operation.spec.access)]).toEqual([route, open.includes(route)]);
  }
});

describe("keys", () => {
  test("a secret is shown once, works, is counted as used, and ends with its key", async () => {
    const { status, body } = await rig.post("/v1/keys", { name: "ci" });
    const secret = textOf(body, "secret");
    expect([status, body]).toEqual([
      201,
      expect.objectContaining({ name: "ci", scope: "workspace", last_used_at: null }),
    ]);
    const listed = await rig.get("/v1/keys");
    expect(JSON.stringify(listed.body)).not.toContain(secret);
    expect(listed.body).toContainEqual(
      expect.objectContaining({ id: textOf(body, "id"), hint: secret.slice(0, 10) }),
    );
    const ways: Record<string, string>[] = [{ "x-api-key": secret }, { authorization: `Bearer ${secret}` }];
    for (const headers of ways) expect((await rig.as(null, headers).get("/v2/deployments")).status).toBe(200);
    expect((await rig.remove(`/v1/keys/${textOf(body, "id")}`)).status).toBe(204);
    expect((await rig.remove(`/v1/keys/${textOf(body, "id")}`)).status).toBe(404);
    rig.clock.ms += 5_000;
  });

  test("a workspace's key makes keys of its workspace, and none of the organization", async () => {
    const { status, body } = await theirs.post("/v1/keys", { name: "more" });
    expect([status, textOf(body, "workspace_id")]).toEqual([201, theirs.workspaceId]);
    expect((await theirs.post("/v1/keys", { name: "wide", scope: "organization" })).status).toBe(403);
    const named = await theirs.send("GET", "/v1/keys", undefined, { "x-tenant-id": theirs.workspaceId });
    expect(named.status).toBe(200);
    const foreign = { "x-tenant-id": DEFAULT_WORKSPACE.id };
    expect((await theirs.send("GET", "/v2/deployments", undefined, foreign)).status).toBe(403);
  });

  test("a key of the organization names a workspace, and is nobody else's to see or delete", async () => {
    const made = await rig.post("/v1/keys", { name: "wide", scope: "organization" });
    const wide = rig.as(textOf(made.body, "secret"));
    const refusal = await wide.get("/v2/deployments");
    expect([refusal.status, textOf(refusal.body, "detail")]).toEqual([
      403,
      expect.stringContaining("requires workspace specification"),
    ]);
    const seen = await wide.send("GET", "/v2/deployments", undefined, {
      "x-tenant-id": DEFAULT_WORKSPACE.id,
    });
    expect(seen.body).toMatchObject({ resources: [{ id: ours.deployment_id }] });
    const empty = await wide.send("GET", "/v2/deployments", undefined, { "x-tenant-id": theirs.workspaceId });
    expect(empty.body).toEqual({ resources: [], offset: 0 });
    const unknown = await wide.send("GET", "/v2/deployments", undefined, { "x-tenant-id": UNKNOWN_ID });
    expect(unknown.status).toBe(403);
    const narrow = rig.as(textOf((await rig.post("/v1/keys", { name: "narrow" })).body, "secret"));
    const id = textOf(made.body, "id");
    expect(JSON.stringify((await narrow.get("/v1/keys")).body)).not.toContain(id);
    expect((await narrow.remove(`/v1/keys/${id}`)).status).toBe(404);
    const listed = await wide.send("GET", "/v1/keys", undefined, { "x-tenant-id": theirs.workspaceId });
    expect(JSON.stringify(listed.body)).toContain(id);
    expect((await rig.remove(`/v1/keys/${id}`)).status).toBe(204);
  });

  test("names are checked", async () => {
    expect(placesOf(await rig.post("/v1/keys", { name: "", scope: "world" }))).toEqual([
      "body.name",
      "body.scope",
    ]);
  });
});

describe("workspaces", () => {
  test("the organization makes, renames and deletes them; what is not empty stays", async () => {
    const { status, body } = await rig.post("/v1/workspaces", { name: "blue" });
    const path = `/v1/workspaces/${textOf(body, "id")}`;
    expect([status, body]).toEqual([201, expect.objectContaining({ name: "blue" })]);
    expect((await rig.post("/v1/workspaces", { name: "blue" })).status).toBe(409);
    expect((await rig.patch(path, { name: "green" })).body).toMatchObject({ name: "green" });
    expect((await rig.get(path)).body).toMatchObject({ name: "green" });
    expect((await rig.get("/v1/workspaces")).body).toContainEqual(expect.objectContaining({ name: "green" }));
    const inIt = { "x-tenant-id": textOf(body, "id") };
    const key = await rig.send("POST", "/v1/keys", { name: "inside" }, inIt);
    expect((await rig.remove(path)).status).toBe(409);
    await rig.send("DELETE", `/v1/keys/${textOf(key.body, "id")}`, undefined, inIt);
    expect((await rig.remove(path)).status).toBe(204);
    expect((await rig.get(path)).status).toBe(404);
    expect((await rig.remove(`/v1/workspaces/${DEFAULT_WORKSPACE.id}`)).status).toBe(400);
  });

  test("a workspace's key sees and renames its own, and makes none", async () => {
    const { workspaceId } = theirs;
    expect((await theirs.get("/v1/workspaces")).body).toEqual([expect.objectContaining({ id: workspaceId })]);
    expect((await theirs.patch(`/v1/workspaces/${workspaceId}`, { name: "ours now" })).status).toBe(200);
    expect((await theirs.post("/v1/workspaces", { name: "mine" })).status).toBe(403);
    expect((await theirs.remove(`/v1/workspaces/${workspaceId}`)).status).toBe(403);
  });
});
