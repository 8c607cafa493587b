import { afterAll, beforeAll, expect, test } from "bun:test";
import { openControlRig, placesOf, type Rig, textOf } from "./rig.ts";

let rig: Rig;
beforeAll(async () => {
  rig = await openControlRig();
});
afterAll(() => rig.close());

type Row = { name: string; created_by: object | null };

/** The rows of a list, however it is wrapped. */
function rowsIn(body: unknown): Row[] {
  const rows = Array.isArray(body) ? body : (body as { resources: unknown }).resources;
  if (!Array.isArray(rows)) throw new Error(`no list: ${JSON.stringify(body)}`);
  return rows;
}

const OPERATOR = { key_id: null, name: "operator" };
const wanted = (name: string) => ({
  ...{ name, source: "internal_template", source_config: { template: "chat" } },
  ...{ source_revision_config: {}, secrets: [] },
});

test("a revision says whose key made it, and nobody can say otherwise", async () => {
  const ada = await rig.stranger("ada");
  const author = { key_id: ada.keyId, name: "ada" };
  const forged = { ...wanted("agent"), created_by: OPERATOR, deployed_by: OPERATOR };
  expect(placesOf(await ada.post("/v2/deployments", forged))).toEqual([
    "body.created_by",
    "body.deployed_by",
  ]);
  const { body: made } = await ada.post("/v2/deployments", wanted("agent"));
  const id = textOf(made, "id");
  const path = `/v2/deployments/${id}/revisions`;
  const first = await ada.get(`${path}/${textOf(made, "latest_revision_id")}`);
  expect(first.body).toMatchObject({ number: 1, created_by: author, deployed_by: author });
  const tenant = { "x-tenant-id": ada.workspaceId };
  expect((await rig.post(path, { created_by: author }, tenant)).status).toBe(422);
  const second = await rig.post(path, {}, tenant);
  expect(second.body).toMatchObject({ number: 2, created_by: OPERATOR, deployed_by: OPERATOR });
  await rig.send("PATCH", `/v2/deployments/${id}`, { secrets: [] }, tenant);
  const { body } = await ada.get(path);
  expect(rowsIn(body).map(({ created_by }) => created_by)).toEqual([OPERATOR, OPERATOR, author]);
});

test("whoever goes back to a revision has deployed it last", async () => {
  const bob = await rig.stranger("bob");
  const { body: made } = await bob.post("/v2/deployments", wanted("agent"));
  const id = textOf(made, "latest_revision_id");
  const path = `/v2/deployments/${textOf(made, "id")}/revisions/${id}`;
  // As if it had been built and had served.
  await rig.db.write((tx) =>
    tx
      .updateTable("revisions")
      .set({ status: "DEPLOYED", deployed_at: 1, build_kept: 1 })
      .where("id", "=", id)
      .execute(),
  );
  const again = await rig.post(`${path}/redeploy`, undefined, { "x-tenant-id": bob.workspaceId });
  expect(again.status).toBe(200);
  const { body } = await bob.get(path);
  expect(body).toMatchObject({ created_by: { name: "bob" }, deployed_by: OPERATOR });
});

test("a key says who made it", async () => {
  const eve = await rig.stranger("eve");
  const forged = { name: "ci", created_by: OPERATOR, expires_at: "2030-01-01", role: "admin" };
  expect(placesOf(await eve.post("/v1/keys", forged))).toEqual([
    ...["body.created_by", "body.expires_at", "body.role"],
  ]);
  const made = await eve.post("/v1/keys", { name: "ci" });
  expect(made.body).toMatchObject({ name: "ci", created_by: { key_id: eve.keyId, name: "eve" } });
  const { body } = await eve.get("/v1/keys");
  expect(rowsIn(body).map(({ created_by }) => created_by)).toEqual([
    ...[null, { key_id: eve.keyId, name: "eve" }],
  ]);
});

test("who deleted what can be asked, in one's own workspace", async () => {
  const ivy = await rig.stranger("ivy");
  const other = await rig.stranger("other");
  const make = async (path: string, body: object) => textOf((await ivy.post(path, body)).body, "id");
  const deployment = await make("/v2/deployments", wanted("gone"));
  const key = await make("/v1/keys", { name: "leaked" });
  const integration = await make("/v1/integrations/github", { name: "mine", token: "t" });
  await ivy.remove(`/v2/deployments/${deployment}`);
  await ivy.remove(`/v1/keys/${key}`);
  await ivy.remove(`/v1/integrations/github/${integration}`);
  // What is not there was deleted by nobody.
  expect((await ivy.remove(`/v1/keys/${key}`)).status).toBe(404);
  const { body } = await ivy.get("/v1/deletions");
  const author = { key_id: ivy.keyId, name: "ivy" };
  expect(rowsIn(body)).toMatchObject([
    { kind: "integration", target_id: integration, name: "mine", deleted_by: author },
    { kind: "key", target_id: key, name: "leaked", deleted_by: author },
    { kind: "deployment", target_id: deployment, name: "gone", deleted_by: author },
  ]);
  expect(rowsIn((await ivy.get(`/v1/deletions?target_id=${deployment}`)).body)).toHaveLength(1);
  expect(rowsIn((await ivy.get("/v1/deletions?kind=key&limit=1")).body)).toHaveLength(1);
  expect((await ivy.get("/v1/deletions?kind=thread")).status).toBe(422);
  expect(rowsIn((await other.get("/v1/deletions")).body)).toEqual([]);
  expect((await rig.as(null).get("/v1/deletions")).status).toBe(401);
});

test("keys of the organization are shown as deleted to their like only", async () => {
  const { body: own } = await rig.post("/v1/keys", { name: "of the default workspace" });
  const { body: wide } = await rig.post("/v1/keys", { name: "of all", scope: "organization" });
  await rig.remove(`/v1/keys/${textOf(wide, "id")}`);
  const names = async (caller: Pick<Rig, "get">) =>
    rowsIn((await caller.get("/v1/deletions")).body).map(({ name }) => name);
  expect(await names(rig)).toContain("of all");
  expect(await names(rig.as(textOf(own, "secret")))).not.toContain("of all");
});
