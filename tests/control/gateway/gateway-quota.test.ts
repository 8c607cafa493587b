import { afterAll, beforeAll, expect, test } from "bun:test";
import { until } from "../../e2e/condition.ts";
import { type GatewayRig, gatewayRig, SERVICE_KEY } from "./gateway-rig.ts";

const MAX = 3;
let rig: GatewayRig;
let refusals = 0;
const ends: (() => void)[] = [];
/** An instance whose answers to `/open` last until the test ends them. */
const instance = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  idleTimeout: 0,
  fetch: ({ url }) =>
    url.includes("/open")
      ? new Response(
          new ReadableStream({
            start(controller) {
              controller.enqueue(new TextEncoder().encode(": open\n\n"));
              ends.push(() => controller.close());
            },
          }),
          { headers: { "content-type": "text/event-stream" } },
        )
      : new Response("ok"),
});

beforeAll(async () => {
  rig = await gatewayRig({
    quota: {
      max: MAX,
      refused: () => {
        refusals += 1;
      },
    },
  });
});

afterAll(async () => {
  await rig.stop();
  await instance.stop(true);
});

test("a workspace has only so many requests open, of all its deployments; another is not affected", async () => {
  const other = await rig.addWorkspace("other");
  const [one, two, theirs] = [
    await rig.deployment("one"),
    await rig.deployment("two"),
    await rig.deployment("theirs", other.id),
  ];
  for (const id of [one, two, theirs]) await rig.serve(id, instance.port ?? 0);
  const send = (id: string, path: string) =>
    fetch(`${rig.url}/d/${id}${path}`, { headers: { "x-api-key": SERVICE_KEY } });
  const open = [await send(one, "/open"), await send(two, "/open"), await send(one, "/open")];
  expect(open.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(rig.gateway.mostOfAWorkspace).toBe(MAX);

  const refused = await send(two, "/x");
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "1"]);
  expect(await refused.json()).toEqual({
    detail:
      "The deployments of the workspace have 3 open requests, its limit (WORKSPACE_MAX_REQUESTS): try again in 1 s",
  });
  expect(refusals).toBe(1);
  expect((await send(theirs, "/x")).status).toBe(200);

  ends[0]?.();
  await open[0]?.text();
  await until("the place is free again", async () => (await send(two, "/x")).status === 200);
  for (const end of ends.slice(1)) end();
});
