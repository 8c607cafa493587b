import { PrepareFailed } from "../build/order.ts";
import { type Driver, StartFailed } from "./driver.ts";

const REASON = "Images need docker or podman on this machine";

/** What runs images where there is no container engine: nothing does, and whoever asks is told so. */
export const noEngine = {
  driver: {
    kind: "container",
    start: () => Promise.reject(new StartFailed(REASON)),
    isAlive: async () => false,
    stop: async () => {},
    memoryBytes: async () => null,
    sweepOrphans: async () => {},
    removeAll: async () => {},
  } satisfies Driver,
  images: {
    prepare: () => Promise.reject(new PrepareFailed(REASON)),
    remove: async (_image: string) => {},
  },
};
