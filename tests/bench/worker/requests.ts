import { field } from "./calls.ts";
import { send } from "./http-calls.ts";
import type { RequestName } from "./job.ts";
import { createLargeThreads, noteOf, putLargeItems, userOf } from "./large.ts";

const THREADS = 2000;
const GROUPS = 20;
const ITEMS_PER_CLIENT = 100;

type Request = { prepare?: () => Promise<void>; once: (client: number) => Promise<void> };

/** The request of that name against the server at `base`: what must be there first, and one call from one client. */
export function request(base: string, name: RequestName): Request {
  const counts = new Map<number, number>();
  const next = (client: number) => {
    const count = counts.get(client) ?? 0;
    counts.set(client, count + 1);
    return count;
  };
  const list = async (path: string, body: object, expected: number) => {
    const found: unknown = await (await send(base, "POST", path, body)).json();
    const rows = Array.isArray(found) ? found : field(found, "items");
    if (!Array.isArray(rows) || rows.length !== expected) throw new Error(`${path}: not ${expected} rows`);
  };
  const group = (client: number) => `${client % GROUPS}`;
  const requests: Record<RequestName, Request> = {
    "newest-threads": {
      prepare: () => createThreads(base),
      once: () => list("/threads/search", { limit: 10 }, 10),
    },
    "filtered-threads": {
      prepare: () => createThreads(base),
      once: (client) => list("/threads/search", { metadata: { group: group(client) }, limit: 10 }, 10),
    },
    "create-thread": {
      once: async (client) => {
        await (await send(base, "POST", "/threads", { metadata: { client } })).json();
      },
    },
    "put-item": { once: (client) => putItem(base, client, next(client) % ITEMS_PER_CLIENT) },
    "get-item": {
      prepare: () => putItems(base),
      once: async (client) => {
        const key = next(client) % ITEMS_PER_CLIENT;
        await (
          await send(base, "GET", `/store/items?namespace=bench.${group(client)}&key=item-${key}`)
        ).json();
      },
    },
    "search-items": {
      prepare: () => putItems(base),
      once: (client) =>
        list("/store/items/search", { namespace_prefix: ["bench", group(client)], limit: 10 }, 10),
    },
    ...large(base, list, next),
    "search-assistants": { once: () => list("/assistants/search", { graph_id: "echo", limit: 10 }, 1) },
  };
  return requests[name];
}

type List = (path: string, body: object, expected: number) => Promise<void>;

/** Searches among 100,000 threads and items. */
function large(base: string, list: List, next: (client: number) => number) {
  const threads = (metadata: (index: number) => object): Request => ({
    prepare: () => createLargeThreads(base),
    once: (client) => list("/threads/search", { metadata: metadata(next(client)), limit: 10 }, 10),
  });
  const items = (prefix: (index: number) => string[]): Request => ({
    prepare: () => putLargeItems(base),
    once: (client) => {
      const index = next(client);
      const search = { namespace_prefix: prefix(index), query: noteOf(index * 31), limit: 10 };
      return list("/store/items/search", search, 10);
    },
  });
  return {
    "large-newest": threads(() => ({})),
    "large-by-graph": threads((index) => ({ graph: `graph ${index % 4}` })),
    "large-by-user": threads((index) => ({ user: userOf(index) })),
    "nearest-of-all": items(() => ["large"]),
    "nearest-of-one": items((index) => ["large", userOf(index)]),
  };
}

/** Fills the server to 2,000 threads, once: a second call finds them there. */
async function createThreads(base: string): Promise<void> {
  const metadata = { group: "0" };
  const found: unknown = await (
    await send(base, "POST", "/threads/search", { metadata, limit: THREADS / GROUPS })
  ).json();
  if (Array.isArray(found) && found.length === THREADS / GROUPS) return;
  for (let index = 0; index < THREADS; index += GROUPS) {
    const create = (_: unknown, group: number) =>
      send(base, "POST", "/threads", { metadata: { group: `${group}` } }).then((response) => response.text());
    await Promise.all(Array.from({ length: GROUPS }, create));
  }
}

async function putItem(base: string, client: number, index: number): Promise<void> {
  const value = { index, text: "an item that an agent remembers", tags: ["a", "b"] };
  const namespace = ["bench", `${client % GROUPS}`];
  await send(base, "PUT", "/store/items", { namespace, key: `item-${index}`, value }).then((r) => r.text());
}

async function putItems(base: string): Promise<void> {
  for (let index = 0; index < ITEMS_PER_CLIENT; index += 1) {
    await Promise.all(Array.from({ length: GROUPS }, (_, client) => putItem(base, client, index)));
  }
}
