import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { start } from "./berth-process.ts";
import { until } from "./condition.ts";
import { ask, call } from "./crash-http.ts";
import { forEachSdk } from "./sdk.ts";
import { servedBerth } from "./served-berth.ts";
import { present } from "./stream-parts.ts";

const PROJECT = join(import.meta.dir, "memory-project");
const berth = servedBerth({ project: PROJECT });

type Found = { items: { key: string; score: number | null }[] };
type Thread = {
  thread_id: string;
  ttl?: { strategy: string; ttl_minutes: number; expires_at: string } | null;
};

const texts = {
  tea: "She likes green tea and dislikes coffee",
  train: "The night train to Lisbon leaves at nine",
  garden: "Tomatoes in the garden need watering",
};

async function remember(owner: string) {
  for (const [key, text] of Object.entries(texts))
    await ask(berth.url, "PUT", "/store/items", { namespace: [owner], key, value: { text } });
}

test("what was stored before store.index was there is indexed from the next start on", async () => {
  const data = mkdtempSync(join(tmpdir(), "berth-index-"));
  const found = async (url: string) => {
    const search = { namespace_prefix: ["early"], query: "does she like tea?" };
    const { items } = await ask<Found>(url, "POST", "/store/items/search", search);
    return items.filter(({ score }) => score !== null).map(({ key }) => key);
  };
  try {
    const before = await start({ data });
    for (const [key, text] of [
      ["tea", "likes green tea"],
      ["ships", "sails a boat"],
    ])
      await ask(before.url, "PUT", "/store/items", { namespace: ["early"], key, value: { text } });
    expect(await found(before.url)).toEqual([]);
    await before.stop();
    const after = await start({ data, project: PROJECT });
    await until(
      "both are indexed",
      () => found(after.url),
      ({ length }) => length === 2,
    );
    expect(await found(after.url)).toEqual(["tea", "ships"]);
    await after.stop();
  } finally {
    rmSync(data, { recursive: true, force: true });
  }
});

forEachSdk((Client) => {
  test("items are found by what they are about, with a score", async () => {
    const { store } = new Client({ apiUrl: berth.url });
    const owner = crypto.randomUUID();
    await remember(owner);
    await store.putItem([owner], "hidden", { text: "green tea" }, { index: false });
    const { items } = await store.searchItems([owner], { query: "does she like tea?" });
    expect(items.map(({ key }) => key)).toHaveLength(4);
    expect([items[0]?.key, items[3]?.key]).toEqual(["tea", "hidden"]);
    const best = present(items[0]?.score);
    expect(best).toBeGreaterThan(0.2);
    expect(best).toBeLessThanOrEqual(1);
    const [train] = (await store.searchItems([owner], { query: "trains to Lisbon", limit: 1 })).items;
    expect(train?.key).toBe("train");
  });

  test("a thread with a time to live is deleted when it is over", async () => {
    const { threads } = new Client({ apiUrl: berth.url });
    const ends = await threads.create({ ttl: 0.01 });
    const shown = (await ask(berth.url, "GET", `/threads/${ends.thread_id}?include=ttl`)) as Thread;
    expect(shown.ttl).toMatchObject({ strategy: "delete", ttl_minutes: 0.01 });
    await until(
      "the thread to be gone",
      async () => (await call(berth.url, "GET", `/threads/${ends.thread_id}`)).status,
      (status) => status === 404,
    );
  });
});

test("a graph finds items by what they are about", async () => {
  const owner = crypto.randomUUID();
  await remember(owner);
  const input = { owner, query: "watering the tomatoes" };
  const { found } = await ask<{ found: Found["items"] }>(berth.url, "POST", "/runs/wait", {
    assistant_id: "recall",
    input,
  });
  expect(found.map(({ key }) => key)).toHaveLength(3);
  expect(found[0]).toMatchObject({ key: "garden", score: expect.any(Number) });
});

test("threads get the project's time to live, also those that runs create, and lose their history by it", async () => {
  const thread_id = crypto.randomUUID();
  const run = { assistant_id: "recall", input: { owner: "nobody", query: "x" }, if_not_exists: "create" };
  await ask(berth.url, "POST", `/threads/${thread_id}/runs/wait`, run);
  const path = `/threads/${thread_id}`;
  const read = () => ask<Thread>(berth.url, "GET", `${path}?include=ttl`);
  expect((await read()).ttl).toMatchObject({ strategy: "keep_latest", ttl_minutes: 60 });
  expect(await ask(berth.url, "GET", path)).not.toHaveProperty("ttl");
  const history = () => ask<unknown[]>(berth.url, "GET", `${path}/history`);
  expect((await history()).length).toBeGreaterThan(1);
  const before = await ask<{ values: unknown }>(berth.url, "GET", `${path}/state`);
  await ask(berth.url, "PATCH", path, { ttl: { ttl: 0.01, strategy: "keep_latest" } });
  await until("its history to be gone", history, (states) => states.length === 1);
  expect(await ask(berth.url, "GET", `${path}/state`)).toMatchObject({ values: before.values });
  await ask(berth.url, "PATCH", path, { ttl: { strategy: "delete" } });
  expect((await read()).ttl).toMatchObject({ strategy: "delete", ttl_minutes: 60 });
  await ask(berth.url, "PATCH", path, { ttl: null });
  expect((await read()).ttl).toBeNull();
});

test("items get the project's time to live, are gone when theirs is over, and reading does not save them", async () => {
  const owner = crypto.randomUUID();
  const put = (key: string, ttl?: number | null) =>
    ask(berth.url, "PUT", "/store/items", { namespace: [owner], key, value: { text: "tea" }, ttl });
  await put("short", 0.01);
  await put("default");
  await until(
    "the item to be over",
    async () =>
      (
        await ask<Found>(berth.url, "POST", "/store/items/search", {
          namespace_prefix: [owner],
          query: "tea",
        })
      ).items,
    (items) => items.map(({ key }) => key).join() === "default",
  );
});

test("a thread is copied, pruned, measured and patched", async () => {
  const { thread_id } = await ask<Thread>(berth.url, "POST", "/threads", { metadata: { team: "a" } });
  const run = { assistant_id: "recall", input: { owner: "nobody", query: "x" } };
  await ask(berth.url, "POST", `/threads/${thread_id}/runs/wait`, run);
  const copy = await ask<Thread & { metadata: object; values: object }>(
    berth.url,
    "POST",
    `/threads/${thread_id}/copy`,
  );
  expect(copy.thread_id).not.toBe(thread_id);
  expect(copy).toMatchObject({
    metadata: { team: "a", thread_id: copy.thread_id },
    status: "idle",
    values: { query: "x" },
  });
  const history = (id: string) =>
    ask<{ checkpoint: { thread_id: string } }[]>(berth.url, "GET", `/threads/${id}/history`);
  const [original, copied] = [await history(thread_id), await history(copy.thread_id)];
  expect(copied).toHaveLength(original.length);
  expect(new Set(copied.map(({ checkpoint }) => checkpoint.thread_id))).toEqual(new Set([copy.thread_id]));
  expect(JSON.stringify(copied)).not.toContain(thread_id);
  await ask(berth.url, "POST", `/threads/${copy.thread_id}/runs/wait`, {
    ...run,
    input: { owner: "nobody", query: "y" },
  });
  expect(await ask(berth.url, "GET", `/threads/${thread_id}`)).toMatchObject({ values: { query: "x" } });

  const size = await ask<{ total_bytes: number; checkpoints: { count: number } }>(
    ...([berth.url, "GET", `/threads/${thread_id}/storage`] as const),
  );
  expect(size.checkpoints.count).toBe(original.length);
  const body = { thread_ids: [thread_id, thread_id, crypto.randomUUID()], strategy: "keep_latest" };
  expect(await ask(berth.url, "POST", "/threads/prune", body)).toEqual({ pruned_count: 1 });
  expect(await history(thread_id)).toHaveLength(1);
  expect(await ask(berth.url, "POST", "/threads/prune", { thread_ids: [thread_id] })).toEqual({
    pruned_count: 1,
  });
  expect((await call(berth.url, "GET", `/threads/${thread_id}`)).status).toBe(404);
  expect((await call(berth.url, "POST", `/threads/${thread_id}/copy`)).status).toBe(409);

  expect(
    (await call(berth.url, "PATCH", `/threads/${copy.thread_id}/state`, { metadata: { team: "b" } })).status,
  ).toBe(204);
  expect(await ask(berth.url, "GET", `/threads/${copy.thread_id}`)).toMatchObject({
    metadata: { team: "b" },
  });
});
