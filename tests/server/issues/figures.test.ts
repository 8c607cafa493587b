import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { DEFAULT_WORKSPACE } from "@berth/store";
import { openIssueRig, type Rig } from "./rig.ts";

let rig: Rig;
let stranger: Awaited<ReturnType<Rig["stranger"]>>;
beforeEach(async () => {
  rig = await openIssueRig();
  stranger = await rig.stranger();
});
afterEach(() => rig.close());

/** A run that has ended, with one call of a model. */
async function run(
  workspace: string,
  project: string,
  model: string,
  status: "success" | "error" = "success",
) {
  const { id: session_id } = await rig.sessions.ensure(workspace, project);
  const trace_id = Bun.randomUUIDv7();
  const at = rig.clock.now() - 60_000;
  const base = { trace_id, session_id, start_time: at, end_time: at + 400, status };
  await rig.traces.write([
    { ...base, id: trace_id, name: "agent", metadata: { assistant_id: "a1", revision_id: "r1" } },
    {
      ...{ ...base, id: Bun.randomUUIDv7(), parent_id: trace_id, name: "model", run_type: "llm" as const },
      ...{ input_tokens: 1_000, output_tokens: 500, metadata: { ls_model_name: model } },
    },
  ]);
}

describe("figures", () => {
  test("are those of the caller's workspace, told apart as asked", async () => {
    await run(DEFAULT_WORKSPACE.id, "shop", "gpt-4o");
    await run(DEFAULT_WORKSPACE.id, "shop", "of-nobody", "error");
    await run(stranger.workspaceId, "theirs", "gpt-4o");
    const { status, body } = await rig.get("/v1/figures?range=1h&group_by=model");
    expect(status).toBe(200);
    expect(body).toMatchObject({
      step_s: 60,
      total: { runs: 2, errors: 1, input_tokens: 2_000, unpriced_models: ["of-nobody"] },
      has_more_groups: false,
    });
    const { total, groups, buckets } = body as unknown as {
      total: { cost: number };
      buckets: unknown[];
      groups: { key: string; total: { runs: null; model_calls: number; cost: number } }[];
    };
    expect(total.cost).toBeCloseTo((1_000 * 2.5 + 500 * 10) / 1e6, 9);
    expect(buckets.length).toBeWithin(60, 63);
    expect(groups.map(({ key, total }) => [key, total.runs, total.model_calls])).toEqual([
      ["gpt-4o", null, 1],
      ["of-nobody", null, 1],
    ]);
    const theirs = await stranger.get("/v1/figures?range=1h&group_by=session");
    expect(theirs.body).toMatchObject({ total: { runs: 1 }, groups: [{ name: "theirs" }] });
    for (const range of ["24h", "7d", "30d", "90d", "1y"])
      expect((await rig.get(`/v1/figures?range=${range}`)).body).toMatchObject({ total: { runs: 2 } });
    const unknown = "/v1/figures?deployment_id=01920000-0000-7000-8000-000000000000";
    expect((await rig.get(unknown)).body).toMatchObject({ total: { runs: 0 } });
    const backwards = "/v1/figures?from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z";
    expect((await rig.get(backwards)).status).toBe(400);
    expect((await rig.get("/v1/figures?from=2020-01-01T00:00:00Z")).status).toBe(400);
  });

  test("come as CSV, without formulas", async () => {
    await run(DEFAULT_WORKSPACE.id, '=HYPERLINK(1),"x"', "gpt-4o");
    const { status, headers, body } = await rig.get("/v1/figures/csv?range=1h&group_by=session");
    expect(status).toBe(200);
    expect(headers.get("content-type")).toContain("text/csv");
    const lines = String(body).trim().split("\r\n");
    expect(lines[0]).toStartWith("start,session,name,runs,errors");
    expect(lines.length).toBeWithin(61, 64);
    expect(lines[1]).toContain(`"'=HYPERLINK(1),""x"""`);
    expect(lines.some((line) => line.includes(",1,0,0,0,") && line.includes(",0.0075,"))).toBe(true);
  });

  test("prices of one workspace are not another's", async () => {
    await run(DEFAULT_WORKSPACE.id, "shop", "of-nobody");
    const price = { model: "of-nobody", input: 1, output: 2, since: "2026-01-01T00:00:00Z" };
    const put = await rig.send("PUT", "/v1/model-prices", price);
    expect(put).toMatchObject({
      status: 200,
      body: { model: "of-nobody", since: "2026-01-01T00:00:00.000Z" },
    });
    expect(await rig.get("/v1/model-prices")).toMatchObject({
      body: { own: [{ model: "of-nobody" }], defaults_date: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) },
    });
    expect((await stranger.get("/v1/model-prices")).body).toMatchObject({ own: [] });
    const id = String((put.body as { id?: string }).id);
    expect((await stranger.remove(`/v1/model-prices/${id}`)).status).toBe(404);
    const traces = await rig.get("/v1/traces");
    expect(traces.body).toMatchObject({ resources: [{ assistant_id: "a1", revision_id: "r1" }] });
    expect((await rig.remove(`/v1/model-prices/${id}`)).status).toBe(204);
    const found = (await rig.get("/v1/traces")).body as unknown as { resources: { cost: null }[] };
    expect(found.resources[0]?.cost).toBeNull();
  });
});
