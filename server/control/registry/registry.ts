import {
  ArrivingBlobs,
  type Clock,
  type Database,
  type Deployments,
  IMAGE_ROOT,
  PushedImages,
  RegistrySweep,
  type SecretBox,
  UploadChunks,
} from "@berth/store";
import type { Operation } from "../../http/index.ts";
import type { ControlPlaneSettings } from "../../settings/index.ts";
import { type FileSettings, sharedPlaceFor } from "../files/index.ts";
import { BlobFiles } from "./blob-files.ts";
import { blobRoutes } from "./blob-routes.ts";
import { manifestRoutes } from "./manifest-routes.ts";
import { Receiving } from "./receiving.ts";
import { RegistryTokens } from "./tokens.ts";
import { blobUploadRoutes } from "./upload-routes.ts";

/** The registry of this Berth: images that are pushed to deployments. */
export type ImageRegistry = {
  routes: Operation[];
  images: PushedImages;
  tokens: RegistryTokens;
  /** The address that images of a deployment are pushed below, without a scheme. */
  addressFor(deploymentId: string): string;
  /** Removes what no image needs any more; by one Berth of the database. */
  sweep(): Promise<void>;
  /** Removes what crashes left on this machine. */
  tidy(now: number): Promise<void>;
};

export type RegistryDeps = {
  db: Database;
  clock: Clock;
  box: Pick<SecretBox, "keyFor">;
  deployments: Deployments;
  settings: FileSettings & { control: Pick<ControlPlaneSettings, "registryBytes"> };
  publicUrl: () => string;
};

export function createRegistry(deps: RegistryDeps): ImageRegistry {
  const { db, clock, box, deployments, settings, publicUrl } = deps;
  const mostBytes = settings.control.registryBytes;
  const tokens = new RegistryTokens(box.keyFor("registry"), clock);
  const arriving = new ArrivingBlobs(db, clock, mostBytes);
  const images = new PushedImages(db, clock, mostBytes);
  const files = new BlobFiles(settings.dataDir, sharedPlaceFor(settings, new UploadChunks(db), "registry"));
  const receiving = new Receiving({ arriving, files });
  const sweeping = new RegistrySweep(db, clock);
  const routesDeps = { tokens, deployments, arriving, images, files, receiving };
  return {
    routes: [...blobUploadRoutes(routesDeps), ...blobRoutes(routesDeps), ...manifestRoutes(routesDeps)],
    images,
    tokens,
    addressFor: (deploymentId) => `${new URL(publicUrl()).host}/${IMAGE_ROOT}/${deploymentId}`,
    tidy: (now) => files.tidy(now),
    sweep: async () => {
      for (;;) {
        const names = await sweeping.once();
        for (const name of names) await files.remove(name);
        await sweeping.forget(names);
        if (names.length === 0) return;
      }
    },
  };
}
