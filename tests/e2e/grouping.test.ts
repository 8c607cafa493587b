import { expect, test } from "bun:test";
import { join } from "node:path";
import { servedBerth } from "./served-berth.ts";

const WAYS = 12;
const OF_EACH = 25;
const AT_ONCE = 20;

const berth = servedBerth({
  project: join(import.meta.dir, "issues/twelve"),
  env: { ENGINE_INTERVAL: "0" },
});

async function send(method: string, path: string, body?: unknown) {
  const response = await fetch(berth.url + path, {
    method,
    headers: { "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return response.json();
}

/** Every way to fail, one after the other, each with another value. */
async function failInTwelveWays(): Promise<void> {
  const inputs = Array.from({ length: WAYS * OF_EACH }, (_, at) => ({
    way: at % WAYS,
    nth: Math.floor(at / WAYS),
  }));
  for (let at = 0; at < inputs.length; at += AT_ONCE)
    await Promise.all(
      inputs
        .slice(at, at + AT_ONCE)
        .map((input) => send("POST", "/runs/wait", { assistant_id: "travel", input })),
    );
}

test("twelve ways to fail, in 300 runs of one node, are twelve issues with the right runs", async () => {
  await failInTwelveWays();
  const { resources } = await send("POST", "/v1/engine/scan");
  expect(resources[0]).toMatchObject({ status: "success", scanned: WAYS * OF_EACH });
  const issues: { id: string; name: string; trace_count: number }[] = (
    await send("GET", "/v1/issues?limit=100")
  ).resources;
  const told = await Promise.all(
    issues.map(async ({ id, name }) => {
      const traces: { trace_id: string }[] = (await send("GET", `/v1/issues/${id}/traces?limit=100`))
        .resources;
      const ways = await Promise.all(
        traces.map(async ({ trace_id }) => (await send("GET", `/v1/traces/${trace_id}`)).spans[0].inputs.way),
      );
      return { name, ways: [...new Set(ways)], count: ways.length };
    }),
  );
  const shown = JSON.stringify(told, null, 1);
  expect(
    told.map(({ count }) => count),
    shown,
  ).toEqual(Array(WAYS).fill(OF_EACH));
  expect(
    told.flatMap(({ ways }) => ways).sort((a, b) => a - b),
    shown,
  ).toEqual(Array.from({ length: WAYS }, (_, way) => way));
});
