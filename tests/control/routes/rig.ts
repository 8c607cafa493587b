import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  Changes,
  createWorkspace,
  DEFAULT_WORKSPACE,
  Deletions,
  Deployments,
  DiskQuota,
  deleteWorkspace,
  Figures,
  getWorkspace,
  hashSecret,
  Instances,
  Integrations,
  type KeyScope,
  Keys,
  Listeners,
  listWorkspaces,
  openDatabase,
  openSecretBox,
  RevisionLogs,
  Revisions,
  renameWorkspace,
  Tail,
  Uploads,
} from "@berth/store";
import { LocalArchives } from "../../../server/control/files/index.ts";
import { Quotas } from "../../../server/control/quotas.ts";
import { createRegistry } from "../../../server/control/registry/index.ts";
import type { ControlSettings } from "../../../server/control/routes/deps.ts";
import { controlRoutes, type NumberedFrame } from "../../../server/control/routes/index.ts";
import { databaseUrl } from "../../postgres/for-data.ts";
import { call, httpApp } from "../../server/http-app.ts";

export const PUBLIC_URL = "http://berth.example";
export const SERVICE_KEY = "the-operators-own-key";
export const UNKNOWN_ID = "01920000-0000-7000-8000-000000000000";

/** The machine of the rig, among those that share its database. */
const HERE = "this machine";

export type Answer = { status: number; headers: Headers; body: unknown };
export type Rig = Awaited<ReturnType<typeof openControlRig>>;

type Options = Partial<ControlSettings> & { keyless?: boolean; maxDiskBytes?: number | null };

/** The API of the control plane over a database of its own, without a socket and without anybody who builds. */
export async function openControlRig({ keyless = false, maxDiskBytes = null, ...changed }: Options = {}) {
  const folder = await mkdtemp(join(tmpdir(), "berth-control-"));
  const clock = { ms: Date.UTC(2026, 0, 1), now: () => (clock.ms += 1) };
  const db = await openDatabase(await databaseUrl(join(folder, "berth.db")), clock);
  const box = await openSecretBox(db, { dataDir: folder, secretsKey: "for tests" });
  const keys = new Keys(db, clock);
  const disk = new DiskQuota(db, maxDiskBytes);
  const quotas = new Quotas();
  const stores = {
    deployments: new Deployments(db, clock, box, null, disk),
    revisions: new Revisions(db, clock, box),
    logs: new RevisionLogs(db, clock),
    uploads: new Uploads(db, clock, null, disk),
    instances: new Instances(db, clock, box, HERE),
    listeners: new Listeners(db, clock, box),
    integrations: new Integrations(db, clock, box),
    figures: new Figures(db, clock),
    changes: new Changes(db, clock),
  };
  const registry = createRegistry({
    ...{ db, clock, box, deployments: stores.deployments, publicUrl: () => PUBLIC_URL },
    settings: {
      ...{ dataDir: folder, databaseFile: join(folder, "berth.db"), filesUrl: null },
      ...{
        bucket: { endpoint: null, region: "", keyId: null, secret: null },
        control: { registryBytes: 2 ** 30 },
      },
    },
  });
  const tails = { changeTail: new Tail<NumberedFrame>(), logTail: new Tail<NumberedFrame>() };
  const settings: ControlSettings = {
    hasPython: false,
    edition: "cloud",
    cliCompat: false,
    githubApiUrl: "http://127.0.0.1:9",
    maxBodyBytes: 1_048_576,
    publicUrl: () => PUBLIC_URL,
    ...changed,
  };
  let wakes = 0;
  const { app, table } = httpApp({
    operations: () =>
      controlRoutes({
        ...stores,
        deletions: new Deletions(db, clock),
        environment: {},
        ...tails,
        isHere: ({ place }) => place === HERE,
        registry,
        quotas,
        keys,
        workspaces: {
          list: () => listWorkspaces(db),
          get: (id) => getWorkspace(db, id),
          create: (name) => createWorkspace(db, clock, name),
          rename: (id, name) => renameWorkspace(db, id, name),
          delete: (id) => deleteWorkspace(db, id),
        },
        archives: new LocalArchives(folder),
        settings,
        wake: () => {
          wakes += 1;
        },
        forget: () => undefined,
      }),
    access: {
      clock,
      keysRequired: () => !keyless,
      ...(!keyless && { serviceKey: SERVICE_KEY }),
      workspaceId: DEFAULT_WORKSPACE.id,
      hasWorkspace: async (id) => (await listWorkspaces(db)).some((workspace) => workspace.id === id),
      verify: async (secret) => {
        const key = await keys.findByHash(hashSecret(secret));
        return key && { keyId: key.id, keyName: key.name, workspaceId: key.workspace_id, scope: key.scope };
      },
    },
  });

  /** Callers with another key; the operator's own where none is named. */
  const as = (key: string | null, more: Record<string, string> = {}) => {
    const headers = { ...(key !== null && { "x-api-key": key }), ...more };
    const send = (method: string, path: string, body?: unknown, extra: Record<string, string> = {}) =>
      call(app, path, {
        method,
        headers: { ...headers, ...extra },
        ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
      });
    return {
      send,
      get: (path: string) => send("GET", path),
      post: (path: string, body?: unknown, extra?: Record<string, string>) => send("POST", path, body, extra),
      put: (path: string, body: string) => send("PUT", path, body),
      patch: (path: string, body: unknown) => send("PATCH", path, body),
      remove: (path: string) => send("DELETE", path),
    };
  };

  return {
    ...stores,
    ...tails,
    disk,
    quotas,
    registry,
    ...as(keyless ? null : SERVICE_KEY),
    as,
    app,
    table,
    db,
    box,
    clock,
    folder,
    get wakes() {
      return wakes;
    },
    /** A key of a workspace that is made for it. */
    async stranger(name: string, scope: KeyScope = "workspace") {
      const workspace = await createWorkspace(db, clock, name);
      const { key, secret } = await keys.create(workspace.id, name, scope);
      return { workspaceId: workspace.id, keyId: key.id, secret, ...as(secret) };
    },
    async close() {
      await db.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export const sourceBody = (name: string, more: Record<string, unknown> = {}) => ({
  name,
  source: "internal_source",
  source_config: {},
  source_revision_config: { langgraph_config_path: "graph.json" },
  secrets: [],
  ...more,
});

export const githubBody = (name: string, config: object = {}, revision: object = {}) => ({
  name,
  source: "github",
  source_config: { repo_url: "https://github.com/someone/agent", ...config },
  source_revision_config: { langgraph_config_path: "graph.json", repo_ref: "main", ...revision },
  secrets: [],
});

/** A member of an answer that is a text. */
export function textOf(body: unknown, name: string): string {
  const value: unknown = typeof body === "object" && body !== null ? Reflect.get(body, name) : undefined;
  if (typeof value !== "string") throw new Error(`no ${name} in ${JSON.stringify(body)}`);
  return value;
}

/** Where the faults of a 422 are, as `query.limit`. */
export function placesOf({ status, body }: Answer): string[] {
  const detail: unknown = Reflect.get(Object(body), "detail");
  if (status !== 422 || !Array.isArray(detail)) throw new Error(`no 422: ${status} ${JSON.stringify(body)}`);
  return detail.map(({ loc }: { loc: unknown[] }) => loc.join("."));
}
