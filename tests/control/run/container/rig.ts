import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Instance, type InstancePatch, type PushedImages, systemClock } from "@berth/store";
import { LocalArchives } from "../../../../server/control/files/index.ts";
import { RegistryTokens } from "../../../../server/control/registry/index.ts";
import { type Containers, createContainers } from "../../../../server/control/run/container/index.ts";
import type { Launch } from "../../../../server/control/run/driver.ts";
import { UNLIMITED } from "../../../../server/control/run/limits.ts";
import { logger } from "../../../../server/log/log.ts";
import { Folders } from "../../../../server/machine/folders.ts";
import { Users } from "../../../../server/machine/users.ts";
import type { Resolve } from "../../../../server/reach/destination.ts";
import { PRIVATE_TOO, Reach } from "../../../../server/reach/reach.ts";
import type { Texts } from "../../../../server/settings/config.ts";
import { aDeployment, anInstance, aRevision } from "../rig.ts";

export type ContainerRig = Containers & {
  dataDir: string;
  /** What the driver has written down, by instance. */
  rows: Map<string, Instance>;
  /** What to start for an image; its row is there. */
  launch(image: string): Launch;
  /** The row as it is now. */
  row(launch: Launch): Instance;
  remove(): void;
};

export type ContainerRigGiven = {
  engine?: "auto" | "podman";
  network?: "default" | "host";
  resolve?: Resolve;
};

/** A data folder with what runs images for it. */
export function openContainers(
  environment: Texts,
  { engine = "auto", network = "default", resolve }: ContainerRigGiven = {},
): ContainerRig {
  const dataDir = mkdtempSync(join(tmpdir(), "berth-containers-"));
  const users = new Users({ isolated: false });
  const rows = new Map<string, Instance>();
  const row = ({ instance }: Launch) => rows.get(instance.id) ?? instance;
  const containers = createContainers({
    ...{ dataDir, users, network, environment, engine },
    folders: new Folders(dataDir, users),
    publicUrl: () => "http://127.0.0.1:1",
    ownUrl: () => "http://127.0.0.1:1",
    handOn: () => ({}),
    limits: UNLIMITED,
    pull: "always",
    instances: {
      live: async () => [...rows.values()],
      get: async (id) => rows.get(id),
      set: async (id: string, patch: InstancePatch) => {
        const known = rows.get(id);
        if (known) rows.set(id, { ...known, ...patch });
      },
    },
    logs: { append: async () => undefined },
    revisions: { secretsOf: async () => [] },
    archives: new LocalArchives(dataDir),
    registry: {
      images: { look: () => Promise.reject(new Error("nothing was pushed")) } as unknown as PushedImages,
      tokens: new RegistryTokens(new Uint8Array(32), systemClock),
    },
    uploads: { at: () => Promise.reject(new Error("nothing was uploaded")) },
    ...{ sources: new Reach(PRIVATE_TOO), resolve },
    logger: logger("control"),
  });
  const launch = (image: string): Launch => {
    const deployment = aDeployment({ source: "internal_docker" });
    const revision = aRevision(deployment, { image, build: null });
    const instance: Instance = { ...anInstance(revision), driver: "container" };
    rows.set(instance.id, instance);
    return { deployment, revision, instance, secrets: [], standby: false };
  };
  const remove = () => rmSync(dataDir, { recursive: true, force: true });
  return { ...containers, dataDir, rows, launch, row, remove };
}
