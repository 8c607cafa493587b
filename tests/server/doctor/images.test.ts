import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type Database,
  DEFAULT_WORKSPACE,
  Listeners,
  openDatabase,
  openSecretBox,
  PushedImages,
  systemClock,
} from "@berth/store";
import { examine } from "../../../server/doctor/doctor.ts";
import type { DoctorFinding } from "../../../server/doctor/finding.ts";
import type { Patient } from "../../../server/doctor/patient.ts";
import { readSettings } from "../../../server/settings/config.ts";

const MIB = 2 ** 20;
let folder: string;
let db: Database;
let listeners: Listeners;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "berth-doctor-"));
  db = await openDatabase(`sqlite:${join(folder, "berth.db")}`);
  listeners = new Listeners(db, systemClock, await openSecretBox(db, { dataDir: folder, secretsKey: null }));
});
afterAll(async () => {
  await db.close();
  rmSync(folder, { recursive: true, force: true });
});

async function finding(check: string, more: Partial<Patient> = {}): Promise<DoctorFinding> {
  const texts = { DATA_DIR: folder, PORT: "0", REGISTRY_LIMIT: "1M" };
  const settings = readSettings(texts, {}, folder, { isTerminal: false });
  const patient = { settings, environment: { PATH: process.env.PATH }, running: null, ...more };
  const { findings } = await examine({ faultsOf: async () => [], ...patient }, [check]);
  const [one] = findings;
  if (!one) throw new Error(`there is no check ${check}`);
  expect(one.advice === null).toBe(one.status === "ok");
  return one;
}

const push = (image: string, bytes: number) =>
  new PushedImages(db, systemClock, 100 * MIB).put(
    { workspaceId: DEFAULT_WORKSPACE.id, deploymentId: Bun.randomUUIDv7(), image },
    {
      ...{ digest: `sha256:${image.repeat(64)}`, mediaType: "application/vnd.oci.image.manifest.v1+json" },
      ...{ body: new Uint8Array(bytes), artifactType: null, subject: null, annotations: null },
      ...{ blobs: [], manifests: [] },
    },
    null,
  );

test("the registry: empty, without its folder, with it, nearly full, and where it cannot be written", async () => {
  const images = join(folder, "registry");
  const told = (status: string, says: string) => ({ status, message: expect.stringContaining(says) });
  expect(await finding("registry")).toMatchObject(told("ok", "no image was pushed yet"));
  await push("a", MIB / 2);
  expect(await finding("registry")).toMatchObject(told("failure", "is missing"));
  mkdirSync(images);
  expect(await finding("registry")).toMatchObject(told("ok", "512 KiB of the 1.0 MiB"));
  await push("b", MIB / 2);
  expect(await finding("registry")).toMatchObject(told("warning", "1.0 MiB of the 1.0 MiB"));
  rmSync(images, { recursive: true });
  // No user may write a file below a file, root neither.
  writeFileSync(images, "");
  expect(await finding("registry")).toMatchObject(told("failure", "may not write"));
});

test("clusters: none, not looked at, well, not looked at for long, and unwell", async () => {
  expect(await finding("clusters")).toMatchObject({ status: "ok", message: "there is none" });
  const wanted = { compute_type: "k8s" as const, compute_config: { k8s_namespaces: null } };
  // Somebody else deploys into this one.
  await listeners.create(DEFAULT_WORKSPACE.id, { ...wanted, compute_id: "theirs" });
  expect(await finding("clusters")).toMatchObject({ status: "ok", message: "there is none" });
  const { id } = await listeners.create(DEFAULT_WORKSPACE.id, {
    ...{ ...wanted, compute_id: "east", credentials: { in_cluster: true } },
  });
  expect(await finding("clusters")).toMatchObject({
    status: "warning",
    message: expect.stringContaining("nobody has looked yet at east"),
  });
  await listeners.noteHealth(id, "");
  const running = { port: 1, publicUrl: "http://127.0.0.1:1" };
  expect(await finding("clusters", { running })).toMatchObject({
    status: "ok",
    message: expect.stringContaining("east is well"),
  });
  const now = () => systemClock.now() + 600_000;
  expect((await finding("clusters", { running, now })).status).toBe("warning");
  // A Berth that does not run looks at nothing.
  expect((await finding("clusters", { now })).status).toBe("ok");
  await listeners.noteHealth(id, "Berth may not patch secrets");
  expect(await finding("clusters")).toMatchObject({
    status: "failure",
    message: expect.stringContaining("east: Berth may not patch secrets"),
  });
});

test("an engine is needed for images that run here, and not for those of a cluster", async () => {
  const bin = join(folder, "nothing");
  mkdirSync(bin);
  const environment = { PATH: bin };
  const deploy = (uid: number, id: string, listener_id: string | null) =>
    db.write((tx) =>
      tx
        .insertInto("deployments")
        .values({
          ...{ id, name: id, workspace_id: DEFAULT_WORKSPACE.id, source: "external_docker", uid },
          ...{ source_config: JSON.stringify({ listener_id }), secret_names: "[]", secrets: "" },
          ...{ secret_references: null, tracked_packages: null, push_secret: "", status: "READY" },
          ...{ latest_revision_id: null, active_revision_id: null, image_version: null },
          ...{ created_at: 1, updated_at: 1, deleted_at: null },
        })
        .execute(),
    );
  await deploy(1, "in-a-cluster", "a-listener");
  expect((await finding("tools", { environment })).status).toBe("ok");
  await deploy(2, "here", null);
  expect(await finding("tools", { environment })).toMatchObject({
    status: "failure",
    message: expect.stringContaining("which deployments of images need"),
  });
});
