import type { Read } from "./setting.ts";
import { integer, megabytes } from "./setting-values.ts";

const MAX_COUNT = 1_000_000_000;
const MIB = 2 ** 20;
/** 50 GiB, and a pebibyte. */
const DEFAULT_DISK_MB = 50 * 1_024;
const MAX_DISK_MB = 2 ** 30;

/** What one workspace may have of each; null for no limit. */
export const quotas = (read: Read) => ({
  quotas: Object.freeze({
    deployments:
      read("WORKSPACE_MAX_DEPLOYMENTS", integer(0, MAX_COUNT), 200, {
        means: "how many deployments a workspace may have; Berth answers more with 409. 0: no limit",
      }) || null,
    uploads:
      read("WORKSPACE_MAX_UPLOADS", integer(0, MAX_COUNT), 200, {
        means:
          "how many uploads of a workspace may wait for a revision, beside the 50 of a deployment; Berth answers more with 409. 0: no limit",
      }) || null,
    /** In bytes. */
    disk:
      read("WORKSPACE_MAX_DISK", megabytes(1, MAX_DISK_MB), DEFAULT_DISK_MB, {
        means:
          "how much disk the folders, builds and uploads of a workspace's deployments may use on this machine; if they use that much, Berth answers a new deployment, revision or upload with 409. Deployments continue to run, and Berth deletes nothing. 0: no limit",
        usual: "`50G`",
      }) * MIB || null,
    /** Null for one fewer than `deployConcurrency`. */
    builds: read("WORKSPACE_MAX_BUILDS", integer(1, 64), null, {
      means:
        "how many revisions of a workspace Berth builds at once; it also starts this many at once. More of them wait. Berth takes turns between the workspaces that wait",
      usual: "one fewer than `DEPLOY_CONCURRENCY`, but at least 1",
    }),
    requests:
      read("WORKSPACE_MAX_REQUESTS", integer(0, MAX_COUNT), 1_000, {
        means:
          "how many requests, streams and sockets may be open at the deployments of a workspace, runs that a client waits for among them; Berth answers more with 429. 0: no limit",
      }) || null,
    traces:
      read("WORKSPACE_MAX_TRACES", integer(0, MAX_COUNT), 1_000_000, {
        means:
          "how many [traces](traces.md) of a workspace Berth keeps; it removes the oldest of more. 0: no limit",
      }) || null,
  }),
});
