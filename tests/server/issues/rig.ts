import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  createWorkspace,
  DEFAULT_WORKSPACE,
  EngineRuns,
  GroupingRules,
  hashSecret,
  Issues,
  Keys,
  listWorkspaces,
  ModelPrices,
  Outbox,
  openDatabase,
  RunFigures,
  SecretBox,
  Sessions,
  Subscriptions,
  Traces,
} from "@berth/store";
import { issueApiRoutes } from "../../../server/issues/index.ts";
import { outboxSettings } from "../../../server/outgoing/outgoing.ts";
import { Reach } from "../../../server/reach/reach.ts";
import { databaseUrl } from "../../postgres/for-data.ts";
import { call, httpApp } from "../http-app.ts";

export const SERVICE_KEY = "the-operators-own-key";
export const UNKNOWN_ID = "01920000-0000-7000-8000-000000000000";
const PUBLIC_URL = "http://berth.example";

export type Rig = Awaited<ReturnType<typeof openIssueRig>>;
type Body = Record<string, unknown>;

/** The API of issues over a database of its own, without anybody who scans by himself or sends. */
export async function openIssueRig() {
  const folder = await mkdtemp(join(tmpdir(), "berth-issues-"));
  const clock = { ms: Date.UTC(2026, 0, 1), now: () => (clock.ms += 1) };
  const db = await openDatabase(await databaseUrl(join(folder, "berth.db")), clock);
  const box = new SecretBox("for tests");
  const outbox = new Outbox(db, clock, box, outboxSettings(PUBLIC_URL, [10, 60, 360]));
  const keys = new Keys(db, clock);
  const stores = {
    outbox,
    sessions: new Sessions(db, clock),
    traces: new Traces(db, clock),
    figures: new RunFigures(db, clock),
    modelPrices: new ModelPrices(db, clock),
    issues: new Issues(db, clock, outbox),
    groupingRules: new GroupingRules(db, clock),
    subscriptions: new Subscriptions(db, clock, box),
    engineRuns: new EngineRuns(db, clock, outbox),
  };
  const asked: { workspaceId: string; sessionId?: string }[] = [];
  const access = {
    keysRequired: () => true,
    serviceKey: SERVICE_KEY,
    workspaceId: DEFAULT_WORKSPACE.id,
    hasWorkspace: async (id: string) => (await listWorkspaces(db)).some((workspace) => workspace.id === id),
    verify: async (secret: string) => {
      const key = await keys.findByHash(hashSecret(secret));
      return key && { keyId: key.id, workspaceId: key.workspace_id, scope: key.scope };
    },
  };
  const deps = {
    ...stores,
    reach: new Reach(["127.0.0.0/8"]),
    hasChat: true,
    scan: async (of: { workspaceId: string; sessionId?: string }) => {
      asked.push(of);
      return stores.engineRuns.list(of.workspaceId, {}, { limit: 1, offset: 0 });
    },
    servedProject: "shop",
    publicUrl: () => PUBLIC_URL,
    now: () => clock.now(),
  };
  const operations = issueApiRoutes(deps);
  const { app } = httpApp({ operations: () => operations, access });

  const as = (key: string | null) => {
    const send = async (method: string, path: string, body?: unknown, more: Record<string, string> = {}) => {
      const answer = await call(app, path, {
        method,
        headers: { ...(key !== null && { "x-api-key": key }), ...more },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      return { ...answer, body: answer.body as Body };
    };
    return {
      send,
      get: (path: string) => send("GET", path),
      post: (path: string, body?: unknown, more?: Record<string, string>) => send("POST", path, body, more),
      patch: (path: string, body: unknown) => send("PATCH", path, body),
      remove: (path: string) => send("DELETE", path),
    };
  };

  return {
    ...stores,
    ...as(SERVICE_KEY),
    as,
    operations,
    db,
    clock,
    asked,
    workspaceId: DEFAULT_WORKSPACE.id,
    /** A key of a workspace that is made for it. */
    async stranger() {
      const workspace = await createWorkspace(db, clock, "elsewhere");
      const { secret } = await keys.create(workspace.id, "elsewhere", "workspace");
      return { workspaceId: workspace.id, ...as(secret) };
    },
    /** An issue of so many traces, found in one scan; one issue for each message. */
    async fail(count: number, messages = ["boom"], workspaceId = DEFAULT_WORKSPACE.id) {
      const session = await stores.sessions.ensure(workspaceId, "shop");
      const ids = messages.flatMap((message) =>
        Array.from({ length: count }, () => ({ id: Bun.randomUUIDv7(), message })),
      );
      await stores.traces.write(
        ids.map(({ id, message }) => ({
          ...{ id, trace_id: id, session_id: session.id, name: "agent", run_type: "chain" as const },
          ...{ status: "error" as const, start_time: clock.now(), end_time: clock.now() },
          ...{ error: { type: "Error", message }, inputs: '{"asked":"<b>"}' },
        })),
      );
      const claimed = await stores.engineRuns.claim(session.id, { owner: "p", until: clock.ms + 60_000 });
      if (!claimed) throw new Error("somebody scans already");
      const { hold } = claimed;
      const scanned = await stores.traces.unscanned(session.id, 1_000);
      await stores.issues.recordFindings(
        session.id,
        {
          hold,
          scanned: scanned.map(({ trace }) => trace),
          findings: ids.map(({ id, message }) => ({
            ...{ fingerprint: message, version: 1, detector: "exception", error_type: "Error" },
            ...{ node: null, tool: null, message, reason: `It threw ${message}`, run_id: id, trace_id: id },
          })),
        },
        { minTraces: 3, describe: ({ message }) => ({ name: message, description: message, severity: 1 }) },
      );
      await stores.engineRuns.finish(hold);
      return session;
    },
    async close() {
      await db.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** What a list answers. */
export const resources = ({ body }: { body: Body }) => body.resources as Body[];
