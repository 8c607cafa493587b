import { expect, test } from "bun:test";
import { Client } from "@langchain/langgraph-sdk";
import { servedBerth } from "./served-berth.ts";

const berth = servedBerth();

async function waitedRun() {
  const client = new Client({ apiUrl: berth.url });
  const { thread_id } = await client.threads.create();
  const input = { messages: [{ role: "user", content: "hi" }] };
  const values = await client.runs.wait(thread_id, "agent", { input });
  const [run] = await client.runs.list(thread_id);
  if (!run) throw new Error("the thread has no run");
  return { client, thread_id, run_id: run.run_id, values };
}

test("a run that somebody waited for gives its values to whoever joins later", async () => {
  const { client, thread_id, run_id, values } = await waitedRun();
  expect(await client.runs.join(thread_id, run_id)).toEqual(values);
  for (const lastEventId of [undefined, "-1"]) {
    const parts = await Array.fromAsync(client.runs.joinStream(thread_id, run_id, { lastEventId }));
    expect(parts.at(-1)).toMatchObject({ event: "values", data: values });
    expect(parts.filter(({ event }) => event === "values")).toHaveLength(1);
  }
});

test("one who has seen them is not given them again", async () => {
  const { client, thread_id, run_id } = await waitedRun();
  const all = await Array.fromAsync(client.runs.joinStream(thread_id, run_id, { lastEventId: "-1" }));
  const lastEventId = all.at(-1)?.id;
  expect(lastEventId).toBeString();
  expect(await Array.fromAsync(client.runs.joinStream(thread_id, run_id, { lastEventId }))).toEqual([]);
});

test("a run that stopped to ask asks whoever joins later, too", async () => {
  const client = new Client({ apiUrl: berth.url });
  const { thread_id } = await client.threads.create();
  const input = { messages: [{ role: "user", content: "hi" }] };
  const asked = await client.runs.wait(thread_id, "interrupting", { input });
  expect(asked).toMatchObject({ __interrupt__: [expect.anything()] });
  const [run] = await client.runs.list(thread_id);
  expect(await client.runs.join(thread_id, run?.run_id ?? "")).toEqual(asked);
});
