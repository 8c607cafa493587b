import { expect, test } from "bun:test";
import { forEachSdk } from "./sdk.ts";
import { servedBerth } from "./served-berth.ts";
import { collect, dataOf, type Part } from "./stream-parts.ts";

const berth = servedBerth({ project: `${import.meta.dir}/../bench/project`, env: { RUN_CONCURRENCY: "16" } });
const input = { messages: [{ role: "human", content: "hello" }] };
const expected = Array.from({ length: 200 }, (_, index) => `t${index} `);
const tokens = (parts: Part[]) =>
  dataOf<[{ content: string }]>(parts, "messages").map(([{ content }]) => content);

forEachSdk((Client) => {
  for (const concurrency of [1, 4, 16])
    test(`of a model that never pauses all 200 arrive, ${concurrency} at a time`, async () => {
      const streams = Array.from({ length: concurrency }, async (_, index) => {
        const client = new Client({ apiUrl: berth.url });
        const thread = index % 2 === 0 ? await client.threads.create() : null;
        const payload = { input, streamMode: "messages-tuple" as const };
        const parts = thread
          ? await collect(client.runs.stream(thread.thread_id, "tokens", payload))
          : await collect(client.runs.stream(null, "tokens", payload));
        return tokens(parts);
      });
      for (const heard of await Promise.all(streams)) expect(heard).toEqual(expected);
    });
});
