import { beforeAll, expect, test } from "bun:test";
import { until } from "../condition.ts";
import { servedBerth } from "../served-berth.ts";

type Found = { resources: { id: string; name: string; tags: string[] }[]; next: string | null };

const berth = servedBerth({ env: { ENGINE_INTERVAL: "0" } });

const ask = async (path: string, method = "GET", body?: unknown) => {
  const answer = await fetch(`${berth.url}${path}`, {
    method,
    ...(body !== undefined && {
      body: JSON.stringify(body),
      headers: { "content-type": "application/json" },
    }),
  });
  expect(answer.ok).toBe(true);
  return answer;
};
const find = async (query: string) => (await (await ask(`/v1/traces?${query}`)).json()) as Found;

const SAID = ['=1+1 for "you", and\nme', "a quiet valley", "the valley at night"];

beforeAll(async () => {
  const started = Date.now() - 60_000;
  const post = SAID.map((said, number) => {
    const id = Bun.randomUUIDv7();
    const start_time = new Date(started + number).toISOString();
    return {
      ...{ id, trace_id: id, session_name: "poems", name: `poem ${number}`, run_type: "chain", start_time },
      dotted_order: `${start_time.replaceAll(/[-:.]/g, "").slice(0, -1)}000Z${id}`,
      ...{ end_time: new Date(started + 1_000 * number + 1_000).toISOString() },
      ...{ inputs: { said }, outputs: { length: said.length } },
    };
  });
  await ask("/langsmith/runs/batch", "POST", { post, patch: [] });
});

test("what runs say is found a moment after they have ended, and follows their labels", async () => {
  const { resources } = await until(
    "the poems to be found",
    () => find("q=valley"),
    (page) => page.resources.length === 2,
  );
  expect(resources.map(({ name }) => name)).toEqual(["poem 2", "poem 1"]);
  expect((await find("q=valley&sort=latency_ms&limit=1")).resources[0]?.name).toBe("poem 2");
  const [night] = resources;
  const labelled = await ask(`/v1/traces/${night?.id}`, "PATCH", { tags: ["favourite"] });
  expect(await labelled.json()).toMatchObject({ name: "poem 2", tags: ["favourite"] });
  expect((await find("tag=favourite")).resources.map(({ name }) => name)).toEqual(["poem 2"]);
});

test("what a search finds leaves as JSON, as JSON lines and as CSV", async () => {
  const session = `session_id=${await sessionId()}`;
  const json = await ask(`/v1/traces/export?${session}&format=json`);
  expect(json.headers.get("content-disposition")).toBe('attachment; filename="runs.json"');
  const list = (await json.json()) as { name: string; inputs: unknown; outputs: unknown }[];
  expect(list.map(({ name }) => name)).toEqual(["poem 2", "poem 1", "poem 0"]);
  expect(list[1]).toMatchObject({ inputs: { said: SAID[1] }, outputs: { length: 14 } });
  const lines = (await (await ask(`/v1/traces/export?${session}`)).text()).trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line))).toEqual(list);
  const table = await (await ask(`/v1/traces/export?${session}&name=poem%200&format=csv`)).text();
  const [head, row] = table.split("\r\n");
  expect(head).toStartWith("id,thread_id,session_id,name,status,");
  expect(row).toContain(",poem 0,success,");
  expect(row).toEndWith(`"{""said"":""=1+1 for \\""you\\"", and\\nme""}","{""length"":22}"`);
  expect(await (await ask("/v1/traces/export?name=nothing-has-this&format=json")).json()).toEqual([]);
});

async function sessionId(): Promise<string> {
  const { resources } = (await (await ask("/v1/sessions?name=poems")).json()) as {
    resources: { id: string }[];
  };
  return resources[0]?.id ?? "";
}
