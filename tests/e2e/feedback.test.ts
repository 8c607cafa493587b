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

describe("keys that a run is created with", () => {
  const keys = ["helpful", "of 5 / stars"];
  const input = { messages: [{ role: "user", content: "hello" }] };
  const placeOf = (at: { thread: string; run: string }, key: string) =>
    `${berth.url}/api/threads/${at.thread}/runs/${at.run}/feedback/${encodeURIComponent(key)}`;
  const placesOf = (at: { thread: string; run: string }) =>
    Object.fromEntries(keys.map((key) => [key, placeOf(at, key)]));
  const client = () => new Client({ apiUrl: berth.url });

  async function judged(path: string, body: object): Promise<{ text: string; run: string }> {
    const answer = await fetch(`${berth.url}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ assistant_id: "agent", input, feedback_keys: keys, ...body }),
    });
    const run = answer.headers.get("content-location")?.split("/").at(-1) ?? "";
    return { text: await answer.text(), run };
  }

  test("are places for it, which a wait, a join and a stream name", async () => {
    const { thread_id: thread } = await client().threads.create();
    const waited = await judged(`/threads/${thread}/runs/wait`, {});
    const at = { thread, run: waited.run };
    expect(JSON.parse(waited.text)).toMatchObject({
      messages: expect.any(Array),
      __feedback__: placesOf(at),
    });
    expect(await client().runs.join(thread, at.run)).toMatchObject({ __feedback__: placesOf(at) });
    const streamed = await judged(`/threads/${thread}/runs/stream`, { stream_mode: "updates" });
    const events = [...streamed.text.matchAll(/^event: (.*)\ndata: (.*)$/gm)];
    const [, name, data = ""] = events.at(-1) ?? [];
    expect(name).toBe("feedback");
    expect(JSON.parse(data)).toEqual(placesOf({ thread, run: streamed.run }));

    for (const [key, place] of Object.entries(placesOf(at))) {
      const send = (body: object) =>
        fetch(place, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify(body),
        });
      expect((await send({ score: 0 })).status).toBe(200);
      const given = await send({ score: 1, value: { by: "a person" }, comment: "Just so" });
      expect(await given.json()).toMatchObject({ key, run_id: at.run, score: 1, value: { by: "a person" } });
    }
    const { body } = await list(thread);
    expect((body as { key: string; score: number }[]).map(({ key, score }) => [key, score])).toEqual(
      keys.map((key) => [key, 1]),
    );
  });

  test("beside an interrupt as well; none for a run that fails, or that nothing is left of", async () => {
    const { thread_id: thread } = await client().threads.create();
    const asked = await judged(`/threads/${thread}/runs/wait`, { assistant_id: "interrupting" });
    const answer = JSON.parse(asked.text);
    expect(answer.__interrupt__).toBeArray();
    expect(answer.__feedback__).toEqual(placesOf({ thread, run: asked.run }));
    const { thread_id: other } = await client().threads.create();
    const failed = await judged(`/threads/${other}/runs/wait`, { assistant_id: "error" });
    expect(Object.keys(JSON.parse(failed.text))).toEqual(["__error__"]);
    const gone = await judged("/runs/wait", {});
    expect(JSON.parse(gone.text)).not.toHaveProperty("__feedback__");
    const kept = await judged("/runs/wait", { on_completion: "keep" });
    expect(JSON.parse(kept.text)).toHaveProperty("__feedback__");
  });
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
