import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { Client } from "@langchain/langgraph-sdk";
import { noPython, testPython } from "../../python-here.ts";
import { describeUnless } from "../../skips.ts";
import { type BerthProcess, start } from "../berth-process.ts";

const PROJECT = join(import.meta.dir, "code");

describeUnless(noPython)("beside its graphs a project in Python has", () => {
  let berth: BerthProcess;
  const as = (user: string) =>
    new Client({ apiUrl: berth.url, defaultHeaders: { authorization: `Bearer token-of-${user}` } });

  beforeAll(async () => {
    berth = await start({ project: PROJECT, env: { PYTHON: testPython() ?? "" } });
  });
  afterAll(async () => {
    expect(await berth.stop()).toBe(0);
  });

  test("its own answer to who calls, with the words and the headers that it chose", async () => {
    const answer = await fetch(`${berth.url}/threads`, { method: "POST", body: "{}" });
    expect(answer.status).toBe(401);
    expect(answer.headers.get("x-try")).toBe("a token");
    expect(await answer.text()).toContain("who are you?");
  });

  test("its own answer to who may do what, which may change what is done", async () => {
    const { thread_id, metadata } = await as("ada").threads.create({ metadata: { mine: true } });
    expect(metadata).toMatchObject({ owner: "ada", team: "one", mine: true });
    expect(await as("ada").threads.get(thread_id)).toMatchObject({ thread_id });
    await expect(as("bob").threads.get(thread_id)).rejects.toThrow(/HTTP 404/);
    await expect(as("ada").crons.create("memory", { schedule: "0 0 1 1 *", input: {} })).rejects.toThrow(
      /HTTP 403/,
    );
  });

  test("an embedding, by which the store finds", async () => {
    const { thread_id } = await as("ada").threads.create();
    const done = await as("ada").runs.wait(thread_id, "memory", { input: { query: "something blue" } });
    expect(done).toEqual({ query: "something blue", user: "ada", found: ["blue sky"] });
  });

  test("routes of its own, as an app of ASGI", async () => {
    const url = `${berth.url}/echo?a=1`;
    const headers = { authorization: "Bearer token-of-ada" };
    const answer = await fetch(url, { method: "PUT", body: "hello", headers });
    expect([answer.status, answer.headers.get("x-started"), await answer.text()]).toEqual([
      201,
      "yes",
      "PUT a=1 hello",
    ]);
    expect((await fetch(`${berth.url}/ok`)).status).toBe(200);
    expect((await fetch(`${berth.url}/nowhere`, { headers })).status).toBe(404);
  });
});
