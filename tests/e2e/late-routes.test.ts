import { afterAll, beforeAll, expect, test } from "bun:test";
import { freePort } from "../free-port.ts";
import { TEST_LIMIT_MS } from "../limits.ts";
import { type BerthProcess, start } from "./berth-process.ts";
import { until } from "./condition.ts";

/** Of each group that is loaded once the process serves, and of what it has from the first moment. */
const ANSWERS: Record<string, number> = {
  "/info": 200,
  "/threads/0197f0a0-0000-7000-8000-000000000001": 404,
  "/metrics": 200,
  "/openapi.json": 200,
  "/mcp": 405,
  "/.well-known/agent-card.json?assistant_id=none": 404,
  "/v1/issues": 200,
  "/v2/deployments": 200,
  "/api-host/v2/deployments": 200,
  "/langsmith/info": 200,
  "/d/none/ok": 404,
  "/v1/system": 200,
  "/nowhere": 404,
  "/v2/nowhere": 404,
};

const port = freePort();
const url = `http://127.0.0.1:${port}`;
let starting: Promise<BerthProcess>;

beforeAll(async () => {
  starting = start({ port });
  await until("it to answer", async () => (await fetch(`${url}/ok`).catch(() => undefined))?.ok === true);
}, TEST_LIMIT_MS);
afterAll(async () => void (await (await starting).stop()));

const statuses = async (): Promise<Record<string, number>> =>
  Object.fromEntries(
    await Promise.all(
      Object.keys(ANSWERS).map(async (path) => {
        const response = await fetch(url + path);
        await response.arrayBuffer();
        return [path, response.status] as const;
      }),
    ),
  );

test(
  "from the first /ok on every path has the answer that it has later",
  async () => {
    expect(await statuses()).toEqual(ANSWERS);
    await starting;
    expect(await statuses()).toEqual(ANSWERS);
  },
  TEST_LIMIT_MS,
);
