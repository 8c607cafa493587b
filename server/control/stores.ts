import {
  Changes,
  type Clock,
  type Database,
  Deletions,
  Deployments,
  type DiskQuota,
  Figures,
  Instances,
  Integrations,
  Keys,
  Listeners,
  type Outbox,
  RevisionLogs,
  Revisions,
  type SecretBox,
  UploadChunks,
  Uploads,
} from "@berth/store";
import type { Settings } from "../settings/index.ts";
import { openArchives } from "./files/index.ts";

type StoresDeps = {
  db: Database;
  settings: Settings;
  /** What the secrets are sealed with. */
  box: SecretBox;
  /** Where subscribers hear how deployments go. */
  outbox: Outbox;
  disk: DiskQuota;
};

/**
 * Opens what the control plane keeps.
 * @param here where this process starts things, among the machines that share the database
 */
export function openStores(
  { db, box, outbox, settings, disk }: StoresDeps,
  clock: Clock,
  here: string | null,
) {
  return {
    deployments: new Deployments(db, clock, box, settings.quotas.deployments, disk),
    deletions: new Deletions(db, clock),
    revisions: new Revisions(db, clock, box, outbox),
    instances: new Instances(db, clock, box, here),
    integrations: new Integrations(db, clock, box),
    logs: new RevisionLogs(db, clock),
    uploads: new Uploads(db, clock, settings.quotas.uploads, disk),
    archives: openArchives(settings, new UploadChunks(db), clock),
    listeners: new Listeners(db, clock, box),
    figures: new Figures(db, clock),
    changes: new Changes(db, clock),
    keys: new Keys(db, clock),
  };
}

export type Stores = ReturnType<typeof openStores>;
