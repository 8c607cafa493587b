import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { githubBody, openControlRig, placesOf, type Rig, textOf, UNKNOWN_ID } from "./rig.ts";

const T0 = Date.UTC(2026, 0, 2);
let rig: Rig;
let id: string;
let revision: string;
/** The first revision's; both said something. */
let older: string;

beforeAll(async () => {
  rig = await openControlRig();
  const { body } = await rig.post("/v2/deployments", githubBody("talks"));
  id = textOf(body, "id");
  older = textOf(body, "latest_revision_id");
  revision = textOf((await rig.post(`/v2/deployments/${id}/revisions`, {})).body, "id");
  const line = (
    kind: "build" | "deploy",
    of: string,
    at: number,
    message: string,
    level: "INFO" | "ERROR" = "INFO",
  ) => ({
    deployment_id: id,
    revision_id: of,
    kind,
    at: T0 + at,
    level,
    message,
  });
  await rig.logs.append([
    ...Array.from({ length: 120 }, (_, at) => line("build", revision, at, `step ${at}`)),
    line("build", revision, 200, "It BROKE at the end", "ERROR"),
    line("deploy", older, 300, "hello from the older"),
    line("deploy", revision, 400, "hello from the newer"),
  ]);
});
afterAll(() => rig.close());

type Line = { id: string; message: string; timestamp: number; level: string };
const messages = (lines: Line[]) => lines.map(({ message }) => message);

describe("GET …/logs", () => {
  const read = async (query: string) => {
    const { status, body } = await rig.get(`/v2/deployments/${id}/revisions/${revision}/logs?${query}`);
    expect([query, status]).toEqual([query, 200]);
    return body as { logs: Line[]; next_offset: string };
  };

  test("pages to the end, and the cursor there gives nothing twice", async () => {
    const ids: string[] = [];
    let offset = "";
    for (;;) {
      const page = await read(`type=build&offset=${encodeURIComponent(offset)}`);
      ids.push(...page.logs.map((line) => line.id));
      offset = page.next_offset;
      if (page.logs.length === 0) break;
    }
    expect(offset).not.toBe("");
    expect([ids.length, new Set(ids).size]).toEqual([121, 121]);
    const late = {
      deployment_id: id,
      revision_id: revision,
      kind: "build" as const,
      at: T0 + 500,
      level: "INFO" as const,
    };
    await rig.logs.append([{ ...late, message: "one more" }]);
    expect(messages((await read(`type=build&offset=${encodeURIComponent(offset)}`)).logs)).toEqual([
      "one more",
    ]);
  });

  test("orders and filters", async () => {
    const [newest] = (await read("type=build&order=desc&limit=2")).logs;
    expect(newest).toEqual({
      id: expect.any(String),
      timestamp: T0 + 500,
      level: "INFO",
      message: "one more",
      revision_id: revision,
    } as Line);
    expect(messages((await read("type=build&query=broke")).logs)).toEqual(["It BROKE at the end"]);
    for (const level of ["ERROR", "error", "Error"])
      expect(messages((await read(`type=build&level=${level}`)).logs)).toEqual(["It BROKE at the end"]);
    const from = encodeURIComponent(new Date(T0 + 118).toISOString());
    const to = encodeURIComponent(new Date(T0 + 119).toISOString());
    expect(messages((await read(`type=build&start_time=${from}&end_time=${to}`)).logs)).toEqual([
      "step 118",
      "step 119",
    ]);
    expect(
      messages((await read("type=build&start_time=2026-01-02&end_time=2026-01-03&limit=1")).logs),
    ).toEqual(["step 0"]);
    expect(messages((await read("type=build&end_time=2026-01-02")).logs)).toEqual(["step 0"]);
    expect(messages((await read("type=deploy")).logs)).toEqual(["hello from the newer"]);
  });

  test("says what is wrong", async () => {
    for (const time of ["2026-02-30", "2026-13-01", "2026-1-1", "today"])
      expect(placesOf(await rig.post(`/v1/projects/${id}/deploy_logs`, { start_time: time }))).toEqual([
        "body.start_time",
      ]);
    const wrong = "order=up&limit=1001&level=LOUD&start_time=soon&run_id=x";
    const answer = await rig.get(`/v2/deployments/${id}/revisions/${revision}/logs?${wrong}`);
    expect(placesOf(answer).sort()).toEqual(
      ["level", "limit", "order", "run_id", "start_time", "type"].map((name) => `query.${name}`),
    );
    expect(
      (await rig.get(`/v2/deployments/${id}/revisions/${revision}/logs?type=build&offset=nonsense`)).status,
    ).toBe(400);
    expect((await rig.get(`/v2/deployments/${id}/revisions/${UNKNOWN_ID}/logs?type=build`)).status).toBe(404);
  });
});

test("GET /v2/deployment-logs reads one revision's or everybody's", async () => {
  const read = async (query: string) => {
    const { status, body } = await rig.get(`/v2/deployment-logs?deployment_id=${id}&${query}`);
    expect(status).toBe(200);
    return messages((body as { items: Line[]; next_cursor: string }).items);
  };
  expect(await read("")).toEqual(["hello from the older", "hello from the newer"]);
  expect(await read("sort_order=desc&page_size=1")).toEqual(["hello from the newer"]);
  expect(await read(`revision_id=${older}`)).toEqual(["hello from the older"]);
  expect(await read("log_type=BUILD&page_size=1")).toEqual(["step 0"]);
  expect(placesOf(await rig.get("/v2/deployment-logs?page_size=101&log_type=build"))).toEqual([
    "query.deployment_id",
    "query.log_type",
    "query.page_size",
  ]);
  expect((await rig.get(`/v2/deployment-logs?deployment_id=${UNKNOWN_ID}`)).status).toBe(404);
});

describe("the forms of released tools", () => {
  const post = async (path: string, body?: object) => {
    const { status, body: answer } = await rig.post(`/v1/projects/${id}/${path}`, body);
    expect(status).toBe(200);
    return answer as { logs: Line[]; next_offset: string };
  };

  test("a build is followed by offset, and its end is read backwards", async () => {
    const first = await post(`revisions/${revision}/build_logs`, { order: "asc", limit: 50 });
    expect(first.logs).toHaveLength(50);
    const second = await post(`revisions/${revision}/build_logs`, {
      order: "asc",
      limit: 50,
      offset: first.next_offset,
    });
    expect(second.logs[0]?.message).toBe("step 50");
    const end = await post(`revisions/${revision}/build_logs`, { order: "desc", limit: 30 });
    expect(messages(end.logs).slice(0, 2)).toEqual(["one more", "It BROKE at the end"]);
  });

  test("run-time logs of a revision and of all, with levels in any case, or without a body", async () => {
    expect(messages((await post(`revisions/${older}/deploy_logs`, {})).logs)).toEqual([
      "hello from the older",
    ]);
    expect(messages((await post("deploy_logs")).logs)).toHaveLength(2);
    expect(
      messages((await post("deploy_logs", { level: "error", query: null, start_time: null })).logs),
    ).toEqual([]);
    for (const level of ["info", "INFO", "Info"])
      expect((await post("deploy_logs", { level, start_time: "2026-01-02" })).logs).toHaveLength(2);
    const since = new Date(T0 + 400).toISOString();
    const followed = await post("deploy_logs", { order: "asc", limit: 100, start_time: since });
    expect(messages(followed.logs)).toEqual(["hello from the newer"]);
    expect((await rig.post(`/v1/projects/${UNKNOWN_ID}/deploy_logs`, {})).status).toBe(404);
    expect(
      placesOf(
        await rig.post(`/v1/projects/${id}/deploy_logs`, { limit: 0, order: "up", level: "x" }),
      ).sort(),
    ).toEqual(["body.level", "body.limit", "body.order"]);
  });
});
