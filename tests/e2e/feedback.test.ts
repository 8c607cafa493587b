import { beforeAll, describe, expect, test } from "bun:test";
import { Client } from "@langchain/langgraph-sdk";
import { servedBerth } from "./served-berth.ts";

const berth = servedBerth();
const NOBODYS = "0197f0a0-0000-7000-8000-00000000dead";

let thread: string;
let run: string;
beforeAll(async () => {
  ({ thread, run } = await ranThread());
});

async function ranThread(): Promise<{ thread: string; run: string }> {
  const client = new Client({ apiUrl: berth.url });
  const { thread_id } = await client.threads.create();
  const input = { messages: [{ role: "user", content: "hello" }] };
  await client.runs.wait(thread_id, "agent", { input });
  const [newest] = await client.runs.list(thread_id);
  return { thread: thread_id, run: newest?.run_id ?? "none" };
}

async function put(body: object, at = { thread, run }): Promise<{ status: number; body: unknown }> {
  const answer = await fetch(`${berth.url}/api/threads/${at.thread}/runs/${at.run}/feedback`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  return { status: answer.status, body: text === "" ? undefined : JSON.parse(text) };
}

async function list(id = thread): Promise<{ status: number; body: unknown }> {
  const answer = await fetch(`${berth.url}/api/threads/${id}/feedback`);
  return { status: answer.status, body: await answer.json() };
}

test("a thumb is given, turned, and taken back", async () => {
  const up = await put({ score: 1, message_id: "m-1", comment: "Just so" });
  const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  const entry = {
    feedback_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    ...{ run_id: run, thread_id: thread, message_id: "m-1", key: "user_score", value: null },
    ...{ created_at: instant, modified_at: instant },
  };
  expect(up).toEqual({ status: 200, body: { ...entry, score: 1, comment: "Just so" } });
  expect(await put({ score: 0, message_id: "m-1" })).toMatchObject({ status: 200, body: { score: 0 } });
  expect(await list()).toEqual({ status: 200, body: [{ ...entry, score: 0, comment: null }] });
  expect(await put({ score: null, message_id: "m-1" })).toEqual({ status: 204, body: undefined });
  expect(await put({ score: null, message_id: "m-1" })).toEqual({ status: 204, body: undefined });
  expect(await list()).toEqual({ status: 200, body: [] });
});

describe("there is none on", () => {
  test("a run or thread that nobody has, or a run of another thread", async () => {
    const other = await ranThread();
    for (const at of [
      { thread: NOBODYS, run },
      { thread, run: NOBODYS },
      { thread: other.thread, run },
    ]) {
      expect([at, (await put({ score: 1 }, at)).status]).toEqual([at, 404]);
      expect([at, (await put({ score: null }, at)).status]).toEqual([at, 404]);
    }
    expect((await list(NOBODYS)).status).toBe(404);
    expect((await list("no-uuid")).status).toBe(422);
  });

  test("a run or thread that was deleted", async () => {
    const client = new Client({ apiUrl: berth.url });
    const doomed = await ranThread();
    expect((await put({ score: 1 }, doomed)).status).toBe(200);
    await client.runs.delete(doomed.thread, doomed.run);
    expect(await list(doomed.thread)).toEqual({ status: 200, body: [] });
    await client.threads.delete(doomed.thread);
    expect((await list(doomed.thread)).status).toBe(404);
  });
});
