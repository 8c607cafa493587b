import { expect, test } from "bun:test";
import { join } from "node:path";
import { Client } from "@langchain/langgraph-sdk";
import { servedBerth } from "../served-berth.ts";

const berth = servedBerth({ project: join(import.meta.dir, "javascript") });

test("a node that interrupts again after an answer leaves its thread interrupted", async () => {
  const client = new Client({ apiUrl: berth.url });
  const { thread_id } = await client.threads.create();
  await client.runs.wait(thread_id, "asksTwice", { input: { log: [] } });
  const second = await client.runs.wait(thread_id, "asksTwice", { command: { resume: 1 } });
  expect(second).toMatchObject({ __interrupt__: [{ value: "second?" }] });
  const { status, interrupts } = await client.threads.get(thread_id);
  expect([status, Object.values(interrupts).flat()]).toMatchObject(["interrupted", [{ value: "second?" }]]);
  const last = await client.runs.wait(thread_id, "asksTwice", { command: { resume: 2 } });
  expect(last).toEqual({ log: ["both"], answer: [1, 2] });
});
