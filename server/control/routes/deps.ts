import type {
  Author,
  Changes,
  Deletions,
  Deployments,
  Figures,
  Instance,
  Instances,
  Integrations,
  Key,
  KeyScope,
  Listeners,
  RevisionLogs,
  Revisions,
  Tail,
  Uploads,
  WorkspaceRow,
} from "@berth/store";
import { Type } from "@sinclair/typebox";
import { Uuid } from "../../http/index.ts";
import type { Texts } from "../../settings/index.ts";
import type { Archives } from "../files/index.ts";
import type { Quotas } from "../quotas.ts";
import type { ImageRegistry } from "../registry/index.ts";
import type { NumberedFrame } from "./followers.ts";

/** The keys that a workspace's callers may manage. */
type KeyStore = {
  create(
    workspaceId: string,
    name: string,
    scope?: KeyScope,
    by?: Author | null,
  ): Promise<{ key: Key; secret: string }>;
  list(workspaceId: string): Promise<Key[]>;
  delete(workspaceId: string, id: string, by?: Author | null): Promise<void>;
};

type WorkspaceStore = {
  list(): Promise<WorkspaceRow[]>;
  get(id: string): Promise<WorkspaceRow>;
  create(name: string): Promise<WorkspaceRow>;
  rename(id: string, name: string): Promise<WorkspaceRow>;
  delete(id: string): Promise<void>;
};

/** What the API does not decide itself. */
export type ControlSettings = {
  /** Whether graphs in Python can be built here. */
  hasPython: boolean;
  /** Which sources may be deployed. */
  edition: "cloud" | "self_hosted";
  /** Takes what released deploy tools send although it is not complete. */
  cliCompat: boolean;
  githubApiUrl: string;
  /** Bytes that a request may have, where it is no upload. */
  maxBodyBytes: number;
  /** The base of the addresses that are given away. */
  publicUrl(): string;
};

/** What the routes of the control plane work with. */
export type ControlRoutesDeps = {
  deployments: Deployments;
  deletions: Pick<Deletions, "list">;
  revisions: Revisions;
  instances: Pick<Instances, "ofDeployment">;
  /** Whether an instance is one of this machine, where several share the database. */
  isHere(instance: Pick<Instance, "place">): boolean;
  logs: RevisionLogs;
  /** Those who follow a log. */
  logTail: Tail<NumberedFrame>;
  uploads: Uploads;
  quotas: Pick<Quotas, "counted">;
  /** Where what was uploaded is. */
  archives: Pick<Archives, "folder" | "keep" | "fileOf">;
  /** Where images are pushed to. */
  registry: Pick<ImageRegistry, "addressFor" | "tokens" | "images">;
  listeners: Listeners;
  /** Berth's own environment. */
  environment: Texts;
  integrations: Integrations;
  figures: Pick<Figures, "read">;
  changes: Pick<Changes, "after" | "newest">;
  /** Those who follow changes. */
  changeTail: Tail<NumberedFrame>;
  keys: KeyStore;
  workspaces: WorkspaceStore;
  settings: ControlSettings;
  /** Tells whoever brings revisions about that there is something to do. */
  wake(): void;
  /** Tells the gateway that a deployment is deleted: nothing is passed on to it any more. */
  forget(deploymentId: string): void;
};

/** What paths name. */
export const deploymentParams = Type.Object({ deployment_id: Uuid });
export const revisionParams = Type.Object({ deployment_id: Uuid, revision_id: Uuid });
