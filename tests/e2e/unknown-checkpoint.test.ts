import { expect, test } from "bun:test";
import { Client } from "@langchain/langgraph-sdk";
import { servedBerth } from "./served-berth.ts";

const berth = servedBerth();

test("a run from a checkpoint that is not there is refused, and hides no history", async () => {
  const { threads, runs } = new Client({ apiUrl: berth.url });
  const { thread_id } = await threads.create();
  await runs.wait(thread_id, "agent", { input: { messages: [{ role: "user", content: "hi" }] } });
  const before = await threads.getHistory(thread_id);
  const checkpointId = crypto.randomUUID();
  const refused = runs.wait(thread_id, "agent", { input: null, checkpointId });
  await expect(refused).rejects.toThrow("HTTP 404");
  expect(await threads.getHistory(thread_id)).toEqual(before);
});
