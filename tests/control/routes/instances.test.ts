import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Instance } from "@berth/store";
import { openControlRig, type Rig, textOf, UNKNOWN_ID } from "./rig.ts";

let rig: Rig;
beforeAll(async () => {
  rig = await openControlRig();
});
afterAll(() => rig.close());

/** A deployment of an image that was pushed to Berth's own registry; nobody brings it about. */
async function pushed(name: string) {
  const body = { source_config: {}, source_revision_config: {}, secrets: [] };
  const made = await rig.post("/v2/deployments", { ...body, name, source: "internal_docker" });
  const id = textOf(made.body, "id");
  const digest = `sha256:${"a".repeat(64)}`;
  const repository = { workspaceId: textOf(made.body, "tenant_id"), deploymentId: id, image: "app" };
  await rig.registry.images.put(
    repository,
    {
      ...{ digest, mediaType: "application/vnd.oci.image.manifest.v1+json", body: new Uint8Array(123) },
      ...{ artifactType: null, subject: null, annotations: null, blobs: [], manifests: [] },
    },
    "latest",
  );
  const image_uri = `berth.example/berth/${id}/app:latest`;
  const patched = await rig.patch(`/v2/deployments/${id}`, { source_revision_config: { image_uri } });
  const revision = textOf(patched.body, "latest_revision_id");
  // As a build does that has pulled it.
  const found = { config: { image_digest: digest } };
  expect(await rig.revisions.move(revision, "CREATING", "QUEUED", found)).toBeDefined();
  return { id, digest, revision };
}

test("instances say where they run, with the digest and size of their image, and nothing that opens them", async () => {
  const { id, digest, revision } = await pushed("everywhere");
  const listener = { compute_type: "k8s", compute_id: "east", compute_config: {} };
  const cluster = textOf((await rig.post("/v2/listeners", listener)).body, "id");
  const make = async (driver: Instance["driver"], container: string, place?: string) => {
    const made = await rig.instances.create({ deployment_id: id, revision_id: revision, driver });
    const reached = { state: "ready", port: 4_711, address: "http://10.9.8.7:4711" } as const;
    await rig.instances.set(made.id, { ...reached, container, ...(place && { place }) });
    return made;
  };
  const tokens = [
    await make("container", "the-container"),
    await make("container", "another-container", "another machine"),
    await make("kubernetes", `kubernetes:${cluster}:agents:berth-one`),
    await make("kubernetes", `kubernetes:${UNKNOWN_ID}:agents:berth-two`),
  ].map(({ token }) => token);
  const starting = await rig.instances.create({
    deployment_id: id,
    revision_id: revision,
    driver: "process",
  });
  const over = await make("container", "one that is over");
  await rig.instances.set(over.id, { state: "gone" });

  const { status, body } = await rig.get(`/v2/deployments/${id}/instances`);
  expect(status).toBe(200);
  const image = { image_digest: digest, image_bytes: 123, revision_id: revision, revision_number: 1 };
  expect(body).toEqual({
    resources: [
      ["A process", "starting"],
      ["A cluster that is no longer known, namespace agents", "ready"],
      ["The cluster east, namespace agents", "ready"],
      ["A container on another machine", "ready"],
      ["A container here", "ready"],
    ].map(([place, state]) => expect.objectContaining({ place, state, restarts: 0, replica: 0, ...image })),
  });
  const text = JSON.stringify(body);
  for (const secret of [...tokens, starting.token, "4711", "10.9.8.7", "the-container"])
    expect(text).not.toContain(secret);
});

test("a deployment that does not run has none, and another workspace's is not found", async () => {
  const { id } = await pushed("nowhere");
  expect((await rig.get(`/v2/deployments/${id}/instances`)).body).toEqual({ resources: [] });
  const theirs = await rig.stranger("theirs");
  expect((await theirs.get(`/v2/deployments/${id}/instances`)).status).toBe(404);
});
