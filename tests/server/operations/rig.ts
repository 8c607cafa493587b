import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  createWorkspace,
  DEFAULT_WORKSPACE,
  hashSecret,
  Keys,
  listWorkspaces,
  openDatabase,
} from "@berth/store";
import type { Job } from "../../../server/clock/index.ts";
import { ownProgram } from "../../../server/machine/executable.ts";
import { createOperations } from "../../../server/operations/index.ts";
import { openOutgoing } from "../../../server/outgoing/index.ts";
import { readSettings } from "../../../server/settings/config.ts";
import { call, httpApp } from "../http-app.ts";

export const SERVICE_KEY = "the-operators-own-key";

/** The routes that look after a whole Berth, over a database of its own. */
export async function openOperationsRig({ keyless = false, env = {} as Record<string, string> } = {}) {
  const folder = await mkdtemp(join(tmpdir(), "berth-operations-"));
  const clock = { ms: Date.UTC(2026, 0, 1), now: () => (clock.ms += 1) };
  const settings = readSettings({ DATA_DIR: folder, PORT: "0" }, env, folder, { isTerminal: false });
  const db = await openDatabase(`sqlite:${settings.databaseFile}`, clock);
  const keys = new Keys(db, clock);
  const { outbox, subscriptions } = await openOutgoing(settings, {
    ...{ db, clock, publicUrl: () => "http://127.0.0.1:1", port: () => 1 },
  });
  const jobs: Job[] = [];
  const waiting = async () => ({ due: 0, behind: 0, later: 0, since: null, why: null, runs: [] });
  const operations = createOperations({
    ...{ db, clock, settings, environment: process.env, jobs: () => jobs },
    agent: {
      queue: { running: 0, places: 10, waiting },
      owner: "us",
      expireNow: async () => 0,
    },
    program: ownProgram(),
    outbox,
    leads: () => true,
    publicUrl: () => "http://127.0.0.1:1",
    port: () => 1,
  });
  const { app } = httpApp({
    operations: () => operations.routes,
    access: {
      clock,
      keysRequired: () => !keyless,
      ...(!keyless && { serviceKey: SERVICE_KEY }),
      workspaceId: DEFAULT_WORKSPACE.id,
      hasWorkspace: async (id) => (await listWorkspaces(db)).some((workspace) => workspace.id === id),
      verify: async (secret) => {
        const key = await keys.findByHash(hashSecret(secret));
        return key && { keyId: key.id, workspaceId: key.workspace_id, scope: key.scope };
      },
    },
  });
  const ask = (path: string, { method = "GET", key }: { method?: string; key?: string } = {}) =>
    call(app, path, { method, headers: keyless ? {} : { "x-api-key": key ?? SERVICE_KEY } });
  return {
    ...{ app, db, clock, folder, keys, jobs, settings, ask, outbox, subscriptions },
    readings: operations.readings,
    /** One look for all who watch, as the timer does it. */
    look: () => Promise.all(operations.jobs.map((job) => job.once(clock.now()))),
    /** A key of a workspace that is made for it. */
    stranger: async (name: string) => {
      const { id: workspaceId } = await createWorkspace(db, clock, name);
      const { key, secret } = await keys.create(workspaceId, name, "workspace");
      return { workspaceId, keyId: key.id, secret };
    },
    close: async () => {
      await db.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export type OperationsRig = Awaited<ReturnType<typeof openOperationsRig>>;
