import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  createWorkspace,
  DEFAULT_WORKSPACE,
  Deployments,
  Figures,
  getWorkspace,
  hashSecret,
  type Instance,
  Instances,
  Keys,
  openDatabase,
  openSecretBox,
  Revisions,
  SignIns,
  systemClock,
} from "@berth/store";
import { Elysia } from "elysia";
import { Gateway, gatewayRoutes } from "../../../server/control/gateway/index.ts";
import { docsPages } from "../../../server/docs/routes.ts";
import { front } from "../../../server/front/front.ts";
import { Access } from "../../../server/http/access.ts";
import { Cors } from "../../../server/http/cors.ts";
import { Metrics } from "../../../server/http/metrics.ts";
import { OperationTable } from "../../../server/http/operation-table.ts";
import { Attempts } from "../../../server/http/rate-limit.ts";
import { SignInSessions } from "../../../server/http/sessions.ts";
import { socketHandlers } from "../../../server/http/socket.ts";
import type { SocketLimit } from "../../../server/http/socket-limit.ts";
import { chatDocuments, chatFiles } from "../../../server/web/routes.ts";
import { signInRoutes } from "../../../server/web/sign-in.ts";
import { Site } from "../../../server/web/site.ts";
import { databaseUrl } from "../../postgres/for-data.ts";

export const SERVICE_KEY = "the-service-key-of-this-test";
export const MAX_BODY_BYTES = 8 * 1_048_576;

export type RigOptions = {
  /** Whether a key is asked for. */
  keysRequired?: boolean;
  /** Of the gateway's server, no slash at the end; its own address where it is left out. */
  publicUrl?: string;
  memoryOf?: (instance: Instance) => Promise<number | null>;
  isOver?: () => boolean;
  quota?: { max: number; refused(): void };
  sockets?: SocketLimit;
};

/** A gateway on a port and a database of its own; what it leads to, tests bring. */
export async function gatewayRig({
  keysRequired = true,
  publicUrl,
  memoryOf,
  isOver,
  quota,
  sockets,
}: RigOptions = {}) {
  const data = mkdtempSync(join(tmpdir(), "berth-gateway-"));
  const db = await openDatabase(await databaseUrl(join(data, "berth.db")));
  const box = await openSecretBox(db, { dataDir: data, secretsKey: "a key" });
  const clock = systemClock;
  const deployments = new Deployments(db, clock, box);
  const revisions = new Revisions(db, clock, box);
  const instances = new Instances(db, clock, box);
  const figures = new Figures(db, clock);
  const keys = new Keys(db, clock);
  const address = () => publicUrl ?? `http://127.0.0.1:${server.port}`;
  const signIns = new SignIns(db, clock);
  const sessions = new SignInSessions({
    signIns,
    serviceKey: SERVICE_KEY,
    touch: async () => {},
    publicUrl: address,
  });
  const cors = new Cors({ allowOrigins: ["*"] });
  const access = new Access({
    keysRequired: () => keysRequired,
    hasOwnAuth: (deploymentId) => gateway.hasOwnAuth(deploymentId),
    guesses: new Attempts(clock),
    hasWorkspace: async () => true,
    sessions,
    cors,
    ...(keysRequired && { serviceKey: SERVICE_KEY }),
    workspaceId: DEFAULT_WORKSPACE.id,
    clock,
    verify: async (secret) => {
      const key = await keys.findByHash(hashSecret(secret));
      return key && { keyId: key.id, workspaceId: key.workspace_id, scope: key.scope };
    },
  });
  const signIn = {
    access: access.forDeployments(),
    sessions,
    attempts: new Attempts(clock),
    workspaceId: DEFAULT_WORKSPACE.id,
    findWorkspace: (id: string) => getWorkspace(db, id),
    hasConsole: true,
  };
  const table = new OperationTable({ maxBodyBytes: MAX_BODY_BYTES });
  const gateway = new Gateway({
    ...{ deployments, revisions, instances, figures, clock, memoryOf },
    publicUrl: address,
    maxBodyBytes: MAX_BODY_BYTES,
    look: () => undefined,
    quota,
    ...(isOver && { isOver }),
  });
  const site = new Site();
  const pages = {
    documents: chatDocuments(site),
    files: chatFiles(site),
    signIn: signInRoutes(signIn),
    docs: docsPages(site),
  };
  table.mount(gatewayRoutes({ gateway, access, cors, pages }), { isExact: true });
  const app = new Elysia()
    .use(front({ access, cors, metrics: new Metrics(), table, sockets }))
    .use(table.router());
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    development: false,
    idleTimeout: 60,
    maxRequestBodySize: 4 * MAX_BODY_BYTES,
    fetch: app.fetch,
    websocket: socketHandlers(MAX_BODY_BYTES),
  });
  app.server = server;
  return {
    url: `http://127.0.0.1:${server.port}`,
    ...{ db, gateway, deployments, revisions, instances, figures, keys },
    addWorkspace: (name: string) => createWorkspace(db, clock, name),
    /** Creates a deployment whose first revision is about to be deployed. */
    async deployment(name: string, workspaceId: string = DEFAULT_WORKSPACE.id): Promise<string> {
      const { deployment, revision } = await deployments.create(workspaceId, {
        name,
        source: "internal_template",
        source_config: {},
        config: {},
        secrets: [],
      });
      await revisions.move(revision.id, "CREATING", "AWAITING_DEPLOY");
      await revisions.move(revision.id, "AWAITING_DEPLOY", "DEPLOYING");
      return deployment.id;
    },
    /** Has what listens at a port serve a deployment, as the reconciler does; the first time its revision becomes deployed. */
    async serve(deploymentId: string, port: number): Promise<Instance> {
      const deployment = await deployments.find(deploymentId);
      const revisionId = deployment?.latest_revision_id ?? "";
      const instance = await instances.create({
        deployment_id: deploymentId,
        revision_id: revisionId,
        driver: "process",
      });
      for (const { id, state } of await instances.ofDeployment(deploymentId))
        if (state === "serving") await instances.set(id, { state: "draining" });
      await instances.set(instance.id, { port, state: deployment?.active_revision_id ? "serving" : "ready" });
      if (!deployment?.active_revision_id) await revisions.activate(revisionId, instance.id);
      gateway.switched(deploymentId);
      return instance;
    },
    /** Has what serves a deployment say that it knows its callers itself, or does not; null for an older one, which says nothing. */
    async saysOwnAuth(deploymentId: string, own_auth: 0 | 1 | null): Promise<void> {
      for (const { id, state } of await instances.ofDeployment(deploymentId))
        if (state === "serving") await instances.set(id, { own_auth });
      gateway.switched(deploymentId);
    },
    async stop(): Promise<void> {
      await gateway.stop();
      await server.stop(true);
      await db.close();
      rmSync(data, { recursive: true });
    },
  };
}

export type GatewayRig = Awaited<ReturnType<typeof gatewayRig>>;
