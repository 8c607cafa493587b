import { field } from "./calls.ts";
import { send } from "./http-calls.ts";

const COUNT = 100_000;
const CLIENTS = 16;
const GRAPHS = 4;
const USERS = 1_000;
const WORDS = ["tea", "coffee", "train", "garden", "lisbon", "music", "winter", "bread", "river", "painting"];

/** Fills the server to 100,000 threads, once. */
export async function createLargeThreads(base: string): Promise<void> {
  const found: unknown = await (
    await send(base, "POST", "/threads/count", { metadata: { large: true } })
  ).json();
  if (found === COUNT) return;
  await everyIndex(async (index) => {
    const metadata = { large: true, graph: `graph ${index % GRAPHS}`, user: userOf(index) };
    await (await send(base, "POST", "/threads", { metadata })).text();
  });
}

/** Fills the server to 100,000 items with a text to search by, once. */
export async function putLargeItems(base: string): Promise<void> {
  const namespace_prefix = ["large", userOf(COUNT - 1)];
  const found: unknown = await (await send(base, "POST", "/store/items/search", { namespace_prefix })).json();
  const items = field(found, "items");
  if (Array.isArray(items) && items.length > 0) return;
  await everyIndex(async (index) => {
    const item = { namespace: ["large", userOf(index)], key: `${index}`, value: { note: noteOf(index) } };
    await (await send(base, "PUT", "/store/items", item)).text();
  });
}

export const userOf = (index: number) => `user ${index % USERS}`;

/** Five words, seldom the same ones twice. */
export function noteOf(index: number): string {
  const digits = Math.imul(index, 2_654_435_761) >>> 0;
  return Array.from({ length: 5 }, (_, at) => WORDS[Math.floor(digits / 10 ** at) % WORDS.length]).join(" ");
}

async function everyIndex(once: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const client = async () => {
    for (let index = next++; index < COUNT; index = next++) await once(index);
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
}
