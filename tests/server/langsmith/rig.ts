import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@berth/agent";
import { DEFAULT_WORKSPACE, type Instance, openDatabase, Sessions, Traces } from "@berth/store";
import { langsmithRoutes } from "../../../server/langsmith/index.ts";
import { databaseUrl } from "../../postgres/for-data.ts";
import { httpApp } from "../http-app.ts";

export const MAX_BODY_BYTES = 2_000_000;
export const OTHERS_KEY = "a key of another workspace";
export const OTHER_WORKSPACE = "0197f0a0-0000-7000-8000-0000000000aa";

type Deployed = { instance: Instance; deployment: { id: string; name: string; workspace_id: string } };

/** The ingest on a port of its own, with a database of its own; `deployed` are the instances that it knows. */
export async function openIngest({ deployed = [] }: { deployed?: Deployed[] } = {}) {
  const folder = mkdtempSync(join(tmpdir(), "berth-ingest-"));
  const db = await openDatabase(await databaseUrl(join(folder, "berth.db")));
  await db.write((tx) =>
    tx.insertInto("workspaces").values({ id: OTHER_WORKSPACE, name: "other", created_at: 0 }).execute(),
  );
  const routes = langsmithRoutes({
    ...{ db, clock: systemClock, maxBodyBytes: MAX_BODY_BYTES },
    instances: { get: async (id) => deployed.find(({ instance }) => instance.id === id)?.instance },
    deploymentOf: async (id) => deployed.find(({ deployment }) => deployment.id === id)?.deployment,
  });
  const { app } = httpApp({
    operations: () => routes,
    maxBodyBytes: MAX_BODY_BYTES,
    access: {
      workspaceId: DEFAULT_WORKSPACE.id,
      keysRequired: () => true,
      hasWorkspace: async () => true,
      verify: async (secret) => ({
        keyId: secret,
        workspaceId: secret === OTHERS_KEY ? OTHER_WORKSPACE : DEFAULT_WORKSPACE.id,
      }),
    },
  });
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: (request) => app.handle(request) });
  return {
    url: `http://127.0.0.1:${server.port}`,
    endpoint: `http://127.0.0.1:${server.port}/langsmith`,
    db,
    traces: new Traces(db, systemClock),
    sessions: new Sessions(db, systemClock),
    close: async () => {
      await server.stop(true);
      await db.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export type IngestRig = Awaited<ReturnType<typeof openIngest>>;

/** The traces of a project, whole, oldest first. */
export async function tracesOf({ sessions, traces }: IngestRig, project: string) {
  const [session] = await sessions.list(DEFAULT_WORKSPACE.id, { name: project }, { limit: 1, offset: 0 });
  if (!session) return [];
  const { rows } = await traces.search(DEFAULT_WORKSPACE.id, { sessionId: session.id, limit: 100 });
  return Promise.all(rows.reverse().map(({ id }) => traces.get(DEFAULT_WORKSPACE.id, id)));
}
