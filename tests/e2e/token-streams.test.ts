import { describe, expect, test } from "bun:test";
import { forEachSdk } from "./sdk.ts";
import { servedBerth } from "./served-berth.ts";
import { collect } from "./stream-parts.ts";

type Values = { messages: { content: string }[] };

const berth = servedBerth({ project: `${import.meta.dir}/project` });
const input = { messages: [{ role: "human", content: "hello" }] };

forEachSdk((Client) => {
  describe("a model is asked for tokens, whoever reads them", () => {
    test.each([
      [["messages"], "in tokens"],
      [["messages-tuple"], "in tokens"],
      [["events"], "in tokens"],
      [["values", "updates", "tasks", "debug", "custom"], "in tokens"],
    ])("%p: %s", async (streamMode, said) => {
      const client = new Client({ apiUrl: berth.url });
      const { thread_id } = await client.threads.create();
      await collect(client.runs.stream(thread_id, "two-ways", { input, streamMode } as never));
      const { values } = await client.threads.getState<Values>(thread_id);
      expect(values.messages.at(-1)?.content).toBe(said);
    });

    test("also where somebody waits for the answer", async () => {
      const client = new Client({ apiUrl: berth.url });
      const values = (await client.runs.wait(null, "two-ways", { input })) as Values;
      expect(values.messages.at(-1)?.content).toBe("in tokens");
    });
  });
});
