import type { Changes, Deletions, Figures, Instances, RevisionLogs, Uploads } from "@berth/store";
import { Trash } from "../machine/index.ts";
import type { Archives } from "./files/index.ts";
import type { Reconciler } from "./reconcile/index.ts";
import type { ImageRegistry } from "./registry/index.ts";

type Tidied = {
  stores: {
    uploads: Uploads;
    archives: Archives;
    logs: RevisionLogs;
    changes: Changes;
    figures: Figures;
    instances: Instances;
    deletions: Deletions;
  };
  reconciler: Reconciler;
  registry: ImageRegistry;
  dataDir: string;
};

/** How long an instance that is gone is remembered. */
const GONE_MS = 3_600_000;

/** Removes what nobody needs any more: on this machine, and where this Berth leads, of all of them. */
export async function tidy(now: number, { stores, reconciler, registry, dataDir }: Tidied): Promise<void> {
  const { uploads, archives, logs, changes, figures, instances, deletions } = stores;
  // Each machine has some of them for a while.
  await archives.tidy(now);
  await registry.tidy(now);
  if (!reconciler.leads) return;
  await registry.sweep();
  const over = await uploads.sweep();
  for (const { id } of over) await archives.remove(id);
  if (over.length > 0) await uploads.forget(over.map(({ id }) => id));
  await Promise.all([
    ...[logs.sweep(), changes.sweep(), figures.sweep(), deletions.sweep()],
    instances.sweep(now - GONE_MS),
  ]);
  await reconciler.tidy();
  await new Trash(dataDir).empty();
}
