import { expect, test } from "bun:test";
import { join } from "node:path";
import { Client } from "@langchain/langgraph-sdk";
import { servedBerth } from "../served-berth.ts";
import { type Seen, seenThrough, withoutIds } from "./seen.ts";

const PROJECT = join(import.meta.dir, "javascript");

/** What the graphs do without Berth. */
function standalone(): Record<string, Seen> {
  const { stdout, stderr, success } = Bun.spawnSync([process.execPath, "bare.ts"], { cwd: PROJECT });
  if (!success) throw new Error(stderr.toString());
  return JSON.parse(stdout.toString());
}

const expected = standalone();
const berth = servedBerth({ project: PROJECT, env: { EXECUTORS: "1" } });

test.each(Object.entries(expected))("%s is the same standalone and through Berth", async (graph, seen) => {
  const { script, chunks, error, history } = seen;
  const through = await seenThrough(new Client({ apiUrl: berth.url }), graph, script);
  expect(through.error).toEqual(error);
  expect(through.chunks.map(withoutIds)).toEqual(chunks.map(withoutIds));
  expect(through.history).toEqual(history);
});

test("there are at least twenty graphs", () => {
  expect(Object.keys(expected).length).toBeGreaterThanOrEqual(20);
});

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
