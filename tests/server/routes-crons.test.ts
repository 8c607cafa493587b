import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { assistantId } from "@berth/agent";
import { instant, listOf, openAgentRig, textOf } from "./agent-rig.ts";

let rig: Awaited<ReturnType<typeof openAgentRig>>;

beforeAll(async () => {
  rig = await openAgentRig();
});
afterAll(() => rig.close());

const unknown = "0197f0a0-0000-7000-8000-00000000dead";
const uuid: unknown = expect.stringMatching(/^[0-9a-f-]{36}$/);
const hourly = { assistant_id: "agent", schedule: "0 * * * *" };

const newThread = async () => textOf((await rig.post("/threads")).body, "thread_id");

/** Creates a cron and gives it as it was answered. */
async function create(fields: object = {}, path = "/runs/crons") {
  const { status, body } = await rig.post(path, { ...hourly, ...fields });
  expect([status, body]).toEqual([200, expect.any(Object)]);
  return { id: textOf(body, "cron_id"), body };
}

const change = async (id: string, fields: object) => {
  const { status, body } = await rig.patch(`/runs/crons/${id}`, fields);
  expect(status).toBe(200);
  expect((await rig.get(`/runs/crons/${id}`)).body).toEqual(body);
  return body;
};

async function found(search: object = {}): Promise<unknown[]> {
  const { status, body } = await rig.post("/runs/crons/search", { limit: 100, ...search });
  expect(status).toBe(200);
  return listOf(body).map((cron) => textOf(cron, "cron_id"));
}

describe("create", () => {
  test("with a schedule alone, everything else gets its default", async () => {
    const { id, body } = await create();
    expect(body).toEqual({
      cron_id: uuid,
      assistant_id: assistantId("agent"),
      thread_id: null,
      on_run_completed: "delete",
      schedule: "0 * * * *",
      timezone: null,
      end_time: null,
      enabled: true,
      next_run_date: "2026-01-01T01:00:00.000Z",
      last_run_date: null,
      last_run_id: null,
      payload: { assistant_id: assistantId("agent"), metadata: {} },
      metadata: {},
      user_id: null,
      created_at: instant,
      updated_at: instant,
    });
    expect((await rig.get(`/runs/crons/${id}`)).body).toEqual(body);
  });

  test("with everything, and unknown fields ignored", async () => {
    const asked = {
      input: { messages: [{ role: "user", content: "report" }] },
      config: { tags: ["a"], recursion_limit: 7, configurable: { model: "x" } },
      context: { user: "ada" },
      webhook: "https://example.org/hook",
      interrupt_before: ["tool"],
      interrupt_after: "*",
      stream_mode: ["updates", "custom"],
      stream_subgraphs: true,
      stream_resumable: true,
      durability: "sync",
      checkpoint_during: true,
    };
    const fields = { timezone: "Asia/Tokyo", enabled: true, metadata: { team: "red" } };
    const more = { on_run_completed: "keep", end_time: "2027-01-01T00:00:00.123456+01:00" };
    const { body } = await create({ ...asked, ...fields, ...more, if_not_exists: "create", later: 1 });
    expect(body).toMatchObject({
      ...fields,
      on_run_completed: "keep",
      end_time: "2026-12-31T23:00:00.123Z",
      payload: { ...asked, metadata: fields.metadata },
    });
    expect(body).not.toHaveProperty("later");
    expect(body).not.toHaveProperty("payload.if_not_exists");
  });

  test("on a thread, with a strategy", async () => {
    const thread_id = await newThread();
    const fields = { multitask_strategy: "rollback", on_run_completed: "keep" };
    const { body } = await create(fields, `/threads/${thread_id.toUpperCase()}/runs/crons`);
    expect(body).toMatchObject({
      thread_id,
      on_run_completed: null,
      payload: { multitask_strategy: "rollback" },
    });
  });

  test("null is the same as nothing", async () => {
    const nothing = {
      timezone: null,
      end_time: null,
      enabled: null,
      metadata: null,
      input: null,
      config: null,
      on_run_completed: null,
    };
    const { body } = await create(nothing);
    const { body: plain } = await create();
    const same = { cron_id: uuid, created_at: instant, updated_at: instant };
    expect(body).toEqual({ ...Object(plain), ...same });
  });

  test.each([
    ["2026-03-01T12:00", "2026-03-01T12:00:00.000Z"],
    ["2026-03-01 12:00:00", "2026-03-01T12:00:00.000Z"],
    ["2026-03-01T12:00:00-05:00", "2026-03-01T17:00:00.000Z"],
    ["2026-03-01T12:00:00.5Z", "2026-03-01T12:00:00.500Z"],
  ])("ends at %s", async (end_time, read) => {
    expect((await create({ end_time })).body).toMatchObject({ end_time: read });
  });

  test("does not fire when it is disabled or over", async () => {
    expect((await create({ enabled: false })).body).toMatchObject({ enabled: false, next_run_date: null });
    expect((await create({ end_time: "2020-01-01T00:00:00Z" })).body).toMatchObject({ next_run_date: null });
  });

  test("needs an assistant and a thread that are there", async () => {
    const refused = async (path: string, assistant_id: string) =>
      (await rig.post(path, { ...hourly, assistant_id })).status;
    expect(await refused("/runs/crons", "no such graph")).toBe(404);
    expect(await refused("/runs/crons", unknown)).toBe(404);
    expect(await refused(`/threads/${unknown}/runs/crons`, "agent")).toBe(404);
  });

  test("a schedule or a zone that cannot be read is told by field", async () => {
    const { status, body } = await rig.post("/runs/crons", { ...hourly, schedule: "x", timezone: "y" });
    expect(status).toBe(422);
    const fault = (field: string, input: string) =>
      expect.objectContaining({ loc: ["body", field], type: "value_error", input });
    expect(body).toMatchObject({ detail: [fault("schedule", "x"), fault("timezone", "y")] });
  });
});

describe("change", () => {
  test("replaces what is given, merges metadata, and null brings the default back", async () => {
    const input = { messages: [] };
    const { id } = await create({ input, metadata: { a: 1, b: 1 }, timezone: "Asia/Tokyo", webhook: "/x" });
    const first = { schedule: "30 * * * *", metadata: { b: 2 }, durability: "exit", enabled: null };
    expect(await change(id, first)).toMatchObject({
      schedule: "30 * * * *",
      timezone: "Asia/Tokyo",
      enabled: true,
      next_run_date: "2026-01-01T00:30:00.000Z",
      metadata: { a: 1, b: 2 },
      payload: { input, webhook: "/x", durability: "exit" },
    });
    const nothing = { timezone: null, webhook: null, schedule: null, metadata: null, input: null };
    expect(await change(id, nothing)).toMatchObject({
      schedule: "30 * * * *",
      timezone: null,
      metadata: { a: 1, b: 2 },
      payload: { assistant_id: assistantId("agent"), durability: "exit", metadata: { a: 1, b: 2 } },
    });
    expect((await rig.get(`/runs/crons/${id}`)).body).not.toHaveProperty("payload.webhook");
  });

  test("keeps the end unless it is named, and null clears it", async () => {
    const { id } = await create({ end_time: "2026-06-01T00:00:00Z" });
    expect(await change(id, { enabled: true })).toMatchObject({ end_time: "2026-06-01T00:00:00.000Z" });
    expect(await change(id, { end_time: null })).toMatchObject({ end_time: null });
    expect(await change(id, { end_time: "2026-01-01T00:10" })).toMatchObject({ next_run_date: null });
  });

  test("what becomes of each run's thread is for crons without one", async () => {
    const { id } = await create();
    expect(await change(id, { on_run_completed: "keep" })).toMatchObject({ on_run_completed: "keep" });
    expect(await change(id, { on_run_completed: null })).toMatchObject({ on_run_completed: "delete" });
    const onThread = await create({}, `/threads/${await newThread()}/runs/crons`);
    expect(await change(onThread.id, { on_run_completed: "keep" })).toMatchObject({ on_run_completed: null });
  });
});

describe("search", () => {
  test("by assistant, thread, metadata and whether it is enabled; count the same", async () => {
    const mark = { mark: crypto.randomUUID() };
    const thread_id = await newThread();
    const red = await create({ metadata: { ...mark, team: "red" } });
    const off = await create({ metadata: mark, enabled: false });
    const other = await create({ metadata: mark, assistant_id: "nested" });
    const onThread = await create({ metadata: mark }, `/threads/${thread_id}/runs/crons`);
    const all = [onThread.id, other.id, off.id, red.id];
    expect(await found({ metadata: mark })).toEqual(all);
    expect(await found({ metadata: mark, assistant_id: "nested" })).toEqual([other.id]);
    expect(await found({ metadata: mark, assistant_id: assistantId("nested").toUpperCase() })).toEqual([
      other.id,
    ]);
    expect(await found({ metadata: mark, assistant_id: "nobody's" })).toEqual([]);
    expect(await found({ thread_id: thread_id.toUpperCase() })).toEqual([onThread.id]);
    expect(await found({ metadata: mark, enabled: false })).toEqual([off.id]);
    expect(await found({ metadata: { ...mark, team: "red" } })).toEqual([red.id]);
    const count = async (filter: object) => (await rig.post("/runs/crons/count", filter)).body;
    expect(await count({ metadata: mark })).toBe(4);
    expect(await count({ thread_id })).toBe(1);
    expect(await count({ metadata: mark, assistant_id: "nested" })).toBe(1);
  });

  test("in pages, sorted as asked, with the fields asked for", async () => {
    const metadata = { mark: crypto.randomUUID() };
    const late = await create({ metadata, schedule: "45 * * * *" });
    const never = await create({ metadata, enabled: false });
    const soon = await create({ metadata, schedule: "15 * * * *" });
    const byNext = { metadata, sort_by: "next_run_date" };
    expect(await found({ ...byNext, sort_order: "asc" })).toEqual([soon.id, late.id, never.id]);
    const { body, headers } = await rig.post("/runs/crons/search", {
      ...byNext,
      limit: 1,
      offset: 1,
      select: ["cron_id", "next_run_date"],
    });
    expect(body).toEqual([{ cron_id: soon.id, next_run_date: "2026-01-01T00:15:00.000Z" }]);
    expect(headers.get("x-pagination-total")).toBe("3");
    expect(headers.get("x-pagination-next")).toBe("2");
  });
});

test("a deleted cron is gone, a second time too", async () => {
  const { id } = await create();
  expect((await rig.remove(`/runs/crons/${id}`)).status).toBe(204);
  expect((await rig.get(`/runs/crons/${id}`)).status).toBe(404);
  expect((await rig.remove(`/runs/crons/${id}`)).status).toBe(404);
});
