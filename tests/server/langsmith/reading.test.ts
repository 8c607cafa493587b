import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Client, type Run } from "langsmith";
import { traceable } from "langsmith/traceable";
import { type IngestRig, OTHERS_KEY, openIngest } from "./rig.ts";

const PROJECT = "read back";
const WEB = "https://berth.example";

let rig: IngestRig;
let client: Client;
const before = { ...process.env };
const warned = console.warn;

beforeAll(async () => {
  rig = await openIngest();
  client = new Client({ apiUrl: rig.endpoint, apiKey: "a key", webUrl: WEB });
  // The clients tell of the next generation of their API with each first call.
  console.warn = () => undefined;
  const traced = { client, project_name: PROJECT, tracingEnabled: true } as const;
  const model = traceable(
    async (city: string) => ({
      content: `sunny in ${city}`,
      usage_metadata: { input_tokens: 5, output_tokens: 7, total_tokens: 12 },
    }),
    { ...traced, name: "model", run_type: "llm", metadata: { ls_provider: "sun" } },
  );
  const tool = traceable(
    async (city: string): Promise<string> => {
      if (city === "Atlantis") throw new TypeError(`no city ${city}`);
      return city;
    },
    { ...traced, name: "weather", run_type: "tool", tags: ["slow"] },
  );
  const agent = traceable(
    async (city: string) => {
      await model(city);
      return tool(city);
    },
    { ...traced, name: "agent", metadata: { thread_id: "thread 1" } },
  );
  for (const city of ["Lisbon", "Atlantis", "Porto"]) {
    await agent(city).catch(() => undefined);
    await client.awaitPendingTraceBatches();
  }
});
afterAll(async () => {
  console.warn = warned;
  await rig.close();
  for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
});

type Wanted = Parameters<Client["listRuns"]>[0];

async function listed(wanted: Wanted, from: Client = client): Promise<Run[]> {
  const runs: Run[] = [];
  for await (const run of from.listRuns(wanted)) runs.push(run);
  return runs;
}
const names = async (wanted: Wanted) =>
  (await listed({ projectName: PROJECT, ...wanted })).map(({ name }) => name).sort();
const rootOf = async (city: string) =>
  (await listed({ projectName: PROJECT, isRoot: true, query: city }))[0] as Run;

describe("the JavaScript client reads back", () => {
  test("a run, with those below it", async () => {
    const { id } = await rootOf("Atlantis");
    const run = await client.readRun(id, { loadChildRuns: true });
    expect(run).toMatchObject({
      ...{ id, name: "agent", run_type: "chain", status: "error", trace_id: id },
      inputs: { input: "Atlantis" },
      error: expect.stringContaining("TypeError: no city Atlantis"),
      extra: { metadata: { thread_id: "thread 1" } },
    });
    expect(run.child_runs?.map(({ name, parent_run_id }) => [name, parent_run_id])).toEqual([
      ["model", id],
      ["weather", id],
    ]);
    expect(run.child_runs?.[0]).toMatchObject({
      ...{ prompt_tokens: 5, completion_tokens: 7, total_tokens: 12, parent_run_ids: [id] },
      outputs: { content: "sunny in Atlantis" },
    });
    expect(Date.parse(String(run.end_time))).toBeGreaterThanOrEqual(Date.parse(String(run.start_time)));
  });

  test("runs by project, root, kind, error, trace, parent, id and time", async () => {
    expect(await names({ isRoot: true })).toEqual(["agent", "agent", "agent"]);
    expect(await names({ runType: "llm" })).toEqual(["model", "model", "model"]);
    expect(await names({ error: true })).toEqual(["agent", "weather"]);
    expect(await names({ error: false, isRoot: true })).toEqual(["agent", "agent"]);
    const root = await rootOf("Lisbon");
    expect(await names({ traceId: root.id })).toEqual(["agent", "model", "weather"]);
    expect(await names({ parentRunId: root.id })).toEqual(["model", "weather"]);
    const [child] = await listed({ projectName: PROJECT, parentRunId: root.id, runType: "llm" });
    expect((await listed({ id: [root.id, child?.id ?? ""] })).map(({ id }) => id).sort()).toEqual(
      [root.id, child?.id ?? ""].sort(),
    );
    expect(await names({ startTime: new Date(Date.now() + 60_000) })).toEqual([]);
    expect(await names({ startTime: new Date(Date.now() - 600_000) })).toHaveLength(9);
    expect(await names({ query: "SUNNY in porto" })).toEqual(["model"]);
  });

  test("runs by a filter", async () => {
    const filtered = (filter: string) => names({ filter });
    expect(await filtered('eq(name, "weather")')).toHaveLength(3);
    expect(await filtered('and(eq(run_type, "tool"), neq(error, null))')).toEqual(["weather"]);
    expect(await filtered('or(eq(run_type, "llm"), eq(is_root, true))')).toHaveLength(6);
    expect(await filtered('not(in(run_type, ["llm", "chain"]))')).toHaveLength(3);
    expect(await filtered('has(tags, "slow")')).toHaveLength(3);
    expect(await filtered("gt(total_tokens, 11)")).toContain("model");
    expect(await filtered("gt(total_tokens, 12)")).toEqual([]);
    expect(await filtered('gt(latency, "1h30")').catch(String)).toContain("latency");
    expect(await filtered('lt(latency, "60s")')).toHaveLength(9);
    expect(await filtered(`gte(start_time, "${new Date(0).toISOString()}")`)).toHaveLength(9);
    expect(await filtered('and(eq(metadata_key, "ls_provider"), eq(metadata_value, "sun"))')).toHaveLength(3);
    expect(await filtered('and(eq(metadata_key, "ls_provider"), eq(metadata_value, "moon"))')).toEqual([]);
    expect(await filtered("search('no city')")).toEqual(["agent", "weather"]);
    expect(await names({ runType: "llm", traceFilter: 'eq(status, "error")' })).toEqual(["model"]);
    expect(await names({ isRoot: true, treeFilter: 'eq(error, "TypeError: no city Atlantis")' })).toEqual([
      "agent",
    ]);
  });

  test("many runs, a page after the other, each of them once", async () => {
    const all = (await listed({ projectName: PROJECT })).map(({ id }) => id);
    expect(new Set(all).size).toBe(9);
    for (const limit of [1, 2, 3, 4, 9, 10]) {
      const paged: string[] = [];
      let cursor: string | null = null;
      do {
        const page: { runs: Run[]; cursors: { next: string | null } } = await asked({ limit, cursor });
        expect(page.runs.length).toBeLessThanOrEqual(limit);
        paged.push(...page.runs.map(({ id }) => id));
        cursor = page.cursors.next;
      } while (cursor !== null);
      expect([limit, paged]).toEqual([limit, all]);
    }
    expect((await listed({ projectName: PROJECT, limit: 4 })).map(({ id }) => id)).toEqual(all.slice(0, 4));
    const ids = all.slice(2, 7);
    const first = await asked({ id: ids, limit: 2 });
    const rest = await asked({ id: ids, limit: 10, cursor: first.cursors.next });
    expect([...first.runs, ...rest.runs].map(({ id }) => id).sort()).toEqual([...ids].sort());
  });

  test("feedback, by run and by key", async () => {
    const [lisbon, porto] = [await rootOf("Lisbon"), await rootOf("Porto")];
    const [step] = await listed({ projectName: PROJECT, parentRunId: lisbon.id, runType: "llm" });
    await client.createFeedback(lisbon.id, "liked", { score: 1, comment: "short" });
    await client.createFeedback(step?.id ?? "", "tone", { value: "dry" });
    await client.createFeedback(porto.id, "liked", { score: 0 });
    const listedFeedback = async (wanted: Parameters<Client["listFeedback"]>[0]) => {
      const found: (string | number | null | undefined)[][] = [];
      for await (const { run_id, key, score } of client.listFeedback(wanted))
        found.push([run_id, key, Number(score ?? -1)]);
      return found;
    };
    expect(await listedFeedback({ runIds: [lisbon.id] })).toEqual([[lisbon.id, "liked", 1]]);
    expect(await listedFeedback({ runIds: [step?.id ?? ""] })).toEqual([[step?.id, "tone", -1]]);
    expect(await listedFeedback({ feedbackKeys: ["liked"] })).toEqual([
      [lisbon.id, "liked", 1],
      [porto.id, "liked", 0],
    ]);
    expect(await listedFeedback({ runIds: [crypto.randomUUID()] })).toEqual([]);
    expect((await client.readRun(lisbon.id)).feedback_stats).toEqual({ liked: { n: 1, avg: 1 } });
    expect(await names({ filter: 'and(eq(feedback_key, "liked"), gt(feedback_score, 0.5))' })).toEqual([
      "agent",
    ]);
  });

  test("where a run can be looked at", async () => {
    const run = await rootOf("Lisbon");
    const url = await client.getRunUrl({ run });
    expect(url).toMatch(new RegExp(`^${WEB}/o/[0-9a-f-]+/projects/p/${run.session_id}/r/${run.id}`));
    expect(new URL(url).pathname).toBe(run.app_path ?? "");
  });

  test("and does not find the server outdated", async () => {
    // What asks for the least version: the call behind it is not here, and says so.
    const call = (async () => client.runs.retrieve(crypto.randomUUID(), {} as never))();
    expect(String(await call.catch(String))).not.toContain("minimum version");
  });
});

async function asked(body: Record<string, unknown>, key = "a key") {
  const session = (await client.readProject({ projectName: PROJECT })).id;
  const response = await fetch(`${rig.endpoint}/runs/query`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": key },
    body: JSON.stringify({ ...("id" in body ? {} : { session: [session] }), ...body }),
  });
  return { status: response.status, ...(await response.json()) };
}

test("another workspace's key sees nothing of it", async () => {
  const stranger = new Client({ apiUrl: rig.endpoint, apiKey: OTHERS_KEY });
  const run = await rootOf("Lisbon");
  await expect(stranger.readRun(run.id)).rejects.toThrow("not found");
  expect(await listed({ id: [run.id] }, stranger)).toEqual([]);
  expect(await listed({ projectId: run.session_id ?? "" }, stranger)).toEqual([]);
  for await (const feedback of stranger.listFeedback({ runIds: [run.id] })) expect(feedback).toBeUndefined();
});

test.each([
  [{ filter: "eq(name" }, 400],
  [{ filter: 'eq(name, "a") eq(name, "b")' }, 400],
  [{ filter: "name" }, 400],
  [{ filter: 'like(name, "a")' }, 400],
  [{ filter: 'eq(constructor, "a")' }, 400],
  [{ filter: 'gt(start_time, "yesterday")' }, 400],
  [{ filter: `${"and(".repeat(50)}eq(name, "a")${")".repeat(50)}` }, 400],
  [{ filter: `eq(name, "${"x".repeat(5_000)}")` }, 422],
  [{ cursor: "nonsense" }, 400],
  [{ order: "asc" }, 400],
  [{ limit: 0 }, 422],
  [{ id: ["no id"] }, 422],
  [{ session: "all" }, 422],
])("%j is refused", async (body, status) => {
  const answer = await asked(body);
  expect([answer.status, typeof answer.detail]).toEqual([status, status === 422 ? "object" : "string"]);
});
