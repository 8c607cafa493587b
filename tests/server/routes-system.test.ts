import { afterAll, beforeAll, expect, test } from "bun:test";
import { openAgentRig } from "./agent-rig.ts";

let rig: Awaited<ReturnType<typeof openAgentRig>>;

beforeAll(async () => {
  rig = await openAgentRig();
});
afterAll(() => rig.close());

test("/info tells the versions and what the server can do", async () => {
  const { status, body } = await rig.get("/info");
  expect(status).toBe(200);
  expect(body).toEqual({
    version: "1.2.3",
    commit: "abc",
    langgraph_js_version: expect.stringMatching(/^1\.\d+\.\d+/),
    context: "js",
    flags: {
      assistants: true,
      crons: true,
      langsmith: false,
      langsmith_tracing_replicas: true,
      mcp: true,
      a2a: true,
    },
    metadata: {},
  });
});

test("/ok asks the database only when told to", async () => {
  expect(await rig.get("/ok")).toMatchObject({ status: 200, body: { ok: true } });
  expect(await rig.get("/ok?check_db=1")).toMatchObject({ status: 200, body: { ok: true } });
  rig.breakDatabase();
  expect(await rig.get("/ok?check_db=0")).toMatchObject({ status: 200, body: { ok: true } });
  const broken = await rig.get("/ok?check_db=1");
  expect(broken).toMatchObject({ status: 500, body: { detail: "Internal Server Error" } });
  expect(JSON.stringify(broken.body)).not.toContain("disk");
});
