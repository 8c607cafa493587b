import { Database as RawDatabase } from "bun:sqlite";
import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  Assistants,
  Changes,
  Crons,
  type Database,
  DEFAULT_WORKSPACE,
  Deletions,
  Deployments,
  EngineRuns,
  findRun,
  GroupingRules,
  Instances,
  Issues,
  Items,
  ModelPrices,
  Outbox,
  openDatabase,
  openSecretBox,
  PushedImages,
  Revisions,
  RunFigures,
  readRunEvents,
  Subscriptions,
  systemClock,
  Threads,
  Traces,
  UploadChunks,
} from "@berth/store";
import { Checkpoints } from "@berth/store/langgraph";
import { migrations } from "../../store/migrations/index.ts";
import { temporaryFolder } from "./every-store.ts";
import { tablesOf } from "./made-row.ts";

const FOLDER = join(import.meta.dir, "landed");
const THREAD = "01999999-0000-7000-8000-000000000001";
const ASSISTANT = "01999999-0000-7000-8000-000000000002";
const RUN = "01999999-0000-7000-8000-000000000003";
const CRON = "01999999-0000-7000-8000-000000000004";
const TRACE = "01999999-0000-7000-8000-000000000006";
const PACKED_TRACE = "01999999-0000-7000-8000-000000000021";
const FORGOTTEN = "01999999-0000-7000-8000-000000000031";
const DEPLOYMENT = "01999999-0000-7000-8000-000000000005";

test("every landed migration has a database of its time", () => {
  const kept = readdirSync(FOLDER).map((file) => file.replace(/\.sql$/, ""));
  expect(kept.sort()).toEqual(Object.keys(migrations).sort());
});

for (const file of readdirSync(FOLDER)) {
  test(`a database of ${file} opens, and nothing in it is lost`, async () => {
    const path = join(temporaryFolder(), "berth.db");
    const raw = new RawDatabase(path, { create: true });
    // Each of its hundreds of statements would wait for the disk.
    raw.run("pragma synchronous = off");
    raw.run(readFileSync(join(FOLDER, file), "utf8"));
    const rows = rowsOf(raw);
    raw.close();
    const db = await openDatabase(`sqlite:${path}`);
    try {
      expectRows(path, rows);
      const thread = await new Threads(db, systemClock).get(THREAD);
      expect(thread.metadata).toEqual({ graph_id: "agent", who: "ada" });
      expect(thread).toMatchObject({ status: "idle", state_updated_at: expect.any(Number) });
      const named = { metadata: { who: "ada" }, limit: 10, offset: 0 };
      expect((await new Threads(db, systemClock).search(named)).total).toBe(1);
      if (file >= "0024") {
        const pieces = new UploadChunks(db).read("01M8EFJ10YHYMGS3E9CMFMM9ZR");
        expect([...((await pieces.next()).value ?? [])]).toEqual([0, 255, 39]);
      }
      if (file >= "0004") expect(thread.ttl).toMatchObject({ strategy: "delete", minutes: 60 });
      expect(await new Assistants(db, systemClock).get(ASSISTANT)).toMatchObject({
        name: "Ada's",
        version: 1,
      });
      const item = await new Items(db, systemClock).get(["users", "ada"], "likes");
      expect(item?.value).toEqual({ tea: true });
      expect((await readRunEvents(db, RUN, 0, 10)).map(({ name }) => name)).toEqual(["metadata", "end"]);
      const saved = await new Checkpoints(db).get({ configurable: { thread_id: THREAD, checkpoint_ns: "" } });
      expect(saved?.channel_values).toEqual({ n: 1, words: Array.from({ length: 10 }, (_, i) => `w${i}`) });
      if (file >= "0003") expect(await new Crons(db, systemClock).get(CRON)).toMatchObject({ enabled: true });
      if (file >= "0006") await expectDeployment(db);
      if (file >= "0008") await expectIssue(db, file);
      if (file >= "0009")
        expect(await new Crons(db, systemClock).get(CRON)).toMatchObject({ last_run_id: RUN });
      if (file >= "0014")
        expect(await new Crons(db, systemClock).get(CRON)).toMatchObject({ user_permissions: ["write"] });
      if (file >= "0011") await expectPackedTrace(db);
      if (file >= "0016") {
        const { thread_id } = await db.read
          .selectFrom("forgotten_threads")
          .selectAll()
          .executeTakeFirstOrThrow();
        expect(thread_id).toBe(FORGOTTEN);
      }
      if (file >= "0017") {
        const filter = { withOrganization: false };
        const [deletion] = await new Deletions(db, systemClock).list(DEFAULT_WORKSPACE.id, filter, {
          ...{ limit: 1, offset: 0 },
        });
        expect(deletion).toMatchObject({ name: "laptop", deleted_by: { key_id: null, name: "operator" } });
      }
      if (file >= "0018") await expectFingerprint(db);
      if (file >= "0006") await expectChanges(db, file);
      if (file >= "0021") await expectScan(db);
      if (file >= "0022") await expectSleep(db, file);
      if (file >= "0029") await expectFigures(db);
      if (file >= "0027") expect(await findRun(db, RUN)).toMatchObject({ has_reader: 1 });
      const threads = new Threads(db, systemClock);
      if (file >= "0036")
        expect(await threads.list({ query: "landed wor", limit: 5, offset: 0 })).toHaveLength(1);
      else {
        expect(await threads.index(10)).toBe(1);
        expect(await threads.list({ query: "w0 w9", limit: 5, offset: 0 })).toHaveLength(1);
      }
      if (file >= "0030") {
        // They are made up: a search would write those of its spans instead.
        await db.write((tx) =>
          tx.updateTable("traces").set({ unindexed: 0 }).where("id", "=", TRACE).execute(),
        );
        expect(await tracesThatSay(db, "landed words")).toEqual([TRACE]);
      }
      if (file >= "0011") expect(await tracesThatSay(db, "agent")).toContain(PACKED_TRACE);
      if (file >= "0033") await expectImage(db);
    } finally {
      await db.close();
    }
  });
}

async function tracesThatSay(db: Database, query: string): Promise<string[]> {
  const { rows } = await new Traces(db, systemClock).search(DEFAULT_WORKSPACE.id, { query, limit: 10 });
  return rows.map(({ id }) => id);
}

/** How many rows each table has. */
function rowsOf(db: RawDatabase): Map<string, number> {
  const count = (table: string) => Number(db.query(`select count(*) from ${table}`).values()[0]?.[0]);
  return new Map(tablesOf(db).map((table) => [table, count(table)]));
}

/** Every table has what it had; a migration may add to it. */
function expectRows(path: string, rows: Map<string, number>): void {
  const raw = new RawDatabase(path, { readonly: true });
  const now = rowsOf(raw);
  raw.close();
  expect([...rows].filter(([table, count]) => (now.get(table) ?? 0) < count)).toEqual([]);
}

/** Those from before there was `state` have none. */
async function expectChanges(db: Database, file: string): Promise<void> {
  const told = await new Changes(db, systemClock).after(DEFAULT_WORKSPACE.id, 4, 10);
  const deploying = file >= "0020" ? { status: "DEPLOYING", number: 1, deployed_at: null } : null;
  expect(told).toMatchObject([
    { seq: 5, kind: "revision", status: "DEPLOYING", state: deploying },
    { seq: 6, kind: "revision", status: "DEPLOYED", state: null },
    { seq: 7, kind: "deployment", status: "READY", state: null },
  ]);
}

async function expectImage(db: Database): Promise<void> {
  const images = new PushedImages(db, systemClock, 1_000);
  const repository = { workspaceId: DEFAULT_WORKSPACE.id, deploymentId: DEPLOYMENT, image: "app" };
  expect(await images.tags(repository, { limit: 10 })).toEqual(["latest"]);
  const size = await images.look({ deploymentId: DEPLOYMENT, image: "app", reference: "latest" });
  expect(size).toEqual({ digest: `sha256:${"2".repeat(64)}`, bytes: 5 });
  expect(await images.blob(repository, `sha256:${"1".repeat(64)}`)).toMatchObject({
    ...{ bytes: 3, pieces: [{ name: "01m8efj10yhymgs3e9cmfmm9zs", bytes: 3 }] },
  });
}

/** Its process is gone: it goes on, and tells what it could not look at before. */
async function expectScan(db: Database): Promise<void> {
  const box = await openSecretBox(db, { dataDir: FOLDER, secretsKey: "landed" });
  const outbox = new Outbox(db, systemClock, box, { publicUrl: "http://127.0.0.1:8123", backoff: () => 1 });
  const engineRuns = new EngineRuns(db, { now: () => 1_790_000_010_000 }, outbox);
  const [sessionId = "", ...more] = await engineRuns.lapsed();
  expect(more).toEqual([]);
  const scan = await engineRuns.claim(sessionId, { owner: "p", until: 1_790_000_020_000 });
  expect(scan).toMatchObject({
    ...{ run: { status: "running", scanned: 200, unreadable: 1 }, hold: { owner: "p", attempt: 3 } },
    ...{ faults: 1, fault: expect.stringContaining("boom") },
  });
}

async function expectFingerprint(db: Database): Promise<void> {
  const { session_id } = await db.read.selectFrom("fingerprints").selectAll().executeTakeFirstOrThrow();
  const box = await openSecretBox(db, { dataDir: FOLDER, secretsKey: "landed" });
  const outbox = new Outbox(db, systemClock, box, { publicUrl: "http://127.0.0.1:8123", backoff: () => 1 });
  const { kinds } = await new Issues(db, systemClock, outbox).known(session_id, ["a place"], []);
  expect(kinds).toMatchObject([{ template: "no answer from <value>", frames: ["search (src/search.ts)"] }]);
  const rules = await new GroupingRules(db, systemClock).of(session_id);
  expect(rules).toEqual([{ match: { message: "no answer*" }, key: "answers" }]);
}

async function expectSleep(db: Database, file: string): Promise<void> {
  const [instance] = await db.read.selectFrom("instances").selectAll().execute();
  const replica = file >= "0023" ? 2 : 0;
  expect(instance).toMatchObject({ asleep_since: 1_790_000_001_000, wake_at: 1_790_000_061_000, replica });
}

async function expectFigures(db: Database): Promise<void> {
  const prices = await new ModelPrices(db, systemClock).book(DEFAULT_WORKSPACE.id);
  const range = { from: 1_789_948_800_000, to: 1_790_035_200_000, stepMs: 86_400_000 };
  const { total } = await new RunFigures(db, systemClock).read(DEFAULT_WORKSPACE.id, range, prices);
  expect(total).toMatchObject({ runs: 3, errors: 1, calls: 1, inputTokens: 100, latency: { p50: 98 } });
  expect(total.cost).toBeCloseTo((100 * 2 + 20 * 8) / 1e6, 9);
}

async function expectDeployment(db: Database): Promise<void> {
  const box = await openSecretBox(db, { dataDir: FOLDER, secretsKey: "landed" });
  const deployment = await new Deployments(db, systemClock, box).get(DEFAULT_WORKSPACE.id, DEPLOYMENT);
  expect(deployment).toMatchObject({ name: "agent", status: "READY", secret_names: ["KEY"] });
  const revisions = new Revisions(db, systemClock, box);
  const active = deployment.active_revision_id ?? "";
  expect(await revisions.find(active)).toMatchObject({ status: "DEPLOYED", settings: { template: "chat" } });
  expect(await revisions.secretsOf(active)).toEqual([{ name: "KEY", value: "hunter2" }]);
  const [instance] = await new Instances(db, systemClock, box).live();
  expect(instance).toMatchObject({ state: "serving", revision_id: active, pid: 4242 });
}

async function expectIssue(db: Database, file: string): Promise<void> {
  const box = await openSecretBox(db, { dataDir: FOLDER, secretsKey: "landed" });
  const outbox = new Outbox(db, systemClock, box, { publicUrl: "http://127.0.0.1:8123", backoff: () => 1 });
  const workspace = DEFAULT_WORKSPACE.id;
  const page = { limit: 10, offset: 0 };
  const issues = new Issues(db, systemClock, outbox);
  const [issue] = await issues.list(workspace, {}, page);
  expect(issue).toMatchObject({
    name: "ToolError in search",
    trace_count: 3,
    fingerprints: [{ tool: "search" }],
  });
  const lived = file >= "0019" ? ["regressed", "closed", "opened"] : ["opened"];
  const history = await issues.history(workspace, issue?.id ?? "", page);
  expect(history.map(({ kind }) => kind)).toEqual(lived as (typeof history)[number]["kind"][]);
  const { trace, spans, feedback } = await new Traces(db, systemClock).get(workspace, TRACE);
  expect(trace).toMatchObject({ name: "agent", status: "success", thread_id: THREAD, span_count: 2 });
  expect(spans.map(({ name }) => name).sort()).toEqual(["agent", "search"]);
  expect(feedback).toMatchObject([{ key: "score", score: 1 }]);
  const [subscription] = await new Subscriptions(db, systemClock, box).list(workspace, {}, page);
  const secret = await new Subscriptions(db, systemClock, box).secretOf(subscription?.id ?? "");
  expect(secret).toBe("whsec_bGFuZGVkbGFuZGVkbGFuZGVkbGFuZGVk");
  const deliveries = await outbox.list(workspace, {}, page);
  expect(deliveries.map(({ state }) => state).sort()).toEqual(["delivered", "queued", "queued", "queued"]);
}

async function expectPackedTrace(db: Database): Promise<void> {
  const { trace, spans } = await new Traces(db, systemClock).get(DEFAULT_WORKSPACE.id, PACKED_TRACE);
  expect(trace).toMatchObject({ name: "agent", span_count: 2, thread_id: THREAD });
  expect(spans).toMatchObject([
    { id: PACKED_TRACE, parent_id: null, metadata: { a: 1 }, outputs: '{"n":2}' },
    { parent_id: PACKED_TRACE, name: "node", inputs: '{"n":1}', thread_id: THREAD },
  ]);
  expect(spans[1]?.dotted_order).toStartWith(`${spans[0]?.dotted_order}.`);
}
