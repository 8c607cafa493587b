import { afterAll, beforeAll, expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import { DEFAULT_WORKSPACE } from "@berth/store";
import { githubBody, openControlRig, type Rig, sourceBody, textOf } from "./rig.ts";

const MIB = 2 ** 20;
const detail =
  "The workspace uses 12 MiB of disk, and may use 10 MiB (WORKSPACE_MAX_DISK): delete data or deployments, and try again in some minutes, when Berth has measured it again.";
let rig: Rig;
beforeAll(async () => {
  rig = await openControlRig({ maxDiskBytes: 10 * MIB });
});
afterAll(() => rig.close());

const count = async (path: string) => {
  const resources: unknown = Reflect.get(Object((await rig.get(path)).body), "resources");
  return Array.isArray(resources) ? resources.length : undefined;
};

/** Reports a push to the branch of a deployment. */
async function push(id: string) {
  const body = JSON.stringify({ ref: "refs/heads/main", after: "1".repeat(40) });
  const signature = createHmac("sha256", await rig.deployments.pushSecret(id))
    .update(body)
    .digest("hex");
  const path = `/v2/deployments/${id}/push-hook`;
  return rig.as(null).post(path, body, { "x-hub-signature-256": `sha256=${signature}` });
}

async function refusals(): Promise<number> {
  const limits = {
    deployments: null,
    uploads: null,
    disk: 10 * MIB,
    builds: null,
    requests: null,
    traces: null,
  };
  const [counts, ratio] = rig.quotas.readings({ ...rig, limits, requests: () => 0 });
  if (!counts || !("samples" in counts) || !ratio || !("samples" in ratio)) throw new Error("no readings");
  expect(await ratio.samples()).toEqual([{ labels: { quota: "disk" }, value: 1.2 }]);
  return (await counts.samples()).find(({ labels }) => labels.quota === "disk")?.value ?? 0;
}

test("above the quota of disk new work is refused and changes nothing; another workspace is not affected", async () => {
  const id = textOf((await rig.post("/v2/deployments", sourceBody("agent"))).body, "id");
  const pushed = githubBody("pushed", { build_on_push: true });
  const git = textOf((await rig.post("/v2/deployments", pushed)).body, "id");
  const ticket = () => rig.post(`/v2/deployments/${id}/upload-url`);
  const address = new URL(textOf((await ticket()).body, "upload_url")).pathname;
  const upload = () => rig.as(null).put(address, "an archive");
  const counts = () =>
    Promise.all(["", `/${id}/revisions`, `/${git}/revisions`].map((path) => count(`/v2/deployments${path}`)));
  const before = await counts();
  const wakes = rig.wakes;

  rig.disk.setFolderBytes(DEFAULT_WORKSPACE.id, 12 * MIB);
  const refused = [
    await rig.post("/v2/deployments", sourceBody("another")),
    await rig.post(`/v2/deployments/${git}/revisions`, {}),
    await rig.patch(`/v2/deployments/${id}`, { secrets: [{ name: "A", value: "b" }] }),
    await push(git),
    await ticket(),
    await upload(),
  ];
  for (const { status, body } of refused) expect([status, body]).toEqual([409, { detail }]);
  expect(await counts()).toEqual(before);
  expect(rig.wakes).toBe(wakes);
  expect(await refusals()).toBe(refused.length);

  // A change without a revision needs no disk.
  const changed = await rig.patch(`/v2/deployments/${git}`, { source_config: { build_on_push: false } });
  expect(changed.status).toBe(200);
  const other = await rig.stranger("other");
  expect((await other.post("/v2/deployments", sourceBody("theirs"))).status).toBe(201);

  rig.disk.setFolderBytes(DEFAULT_WORKSPACE.id, 0);
  expect((await upload()).status).toBe(200);
  expect((await rig.post(`/v2/deployments/${git}/revisions`, {})).status).toBe(201);
});
