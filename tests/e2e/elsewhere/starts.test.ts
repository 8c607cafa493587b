import { expect, test } from "bun:test";
import { until } from "../condition.ts";
import { clientOf, servedElsewhere } from "./elsewhere.ts";

const berth = servedElsewhere();
const ada = () => clientOf(berth.url, "ada");

test("a project that was made for elsewhere starts, and says what it wants to", async () => {
  const assistant = await ada().assistants.get("agent");
  expect(assistant.config).toMatchObject({ configurable: { tone: "calm" } });
  expect(berth.output()).toContain('"message":"the agent is loaded"');
  expect(berth.output()).toContain('langgraph.json: \\"image_distro\\" has no effect');
  expect(berth.output()).not.toContain("$schema");
});

test("its graph runs, with the config that is asked for and lines in the log", async () => {
  const thread = await ada().threads.create();
  const run = await ada().runs.create(thread.thread_id, "agent", {
    input: { question: "why?" },
    config: { configurable: { tone: "loud" } },
  });
  await ada().runs.join(thread.thread_id, run.run_id);
  expect((await ada().threads.getState(thread.thread_id)).values).toEqual({
    question: "why?",
    answers: ["WHY?"],
  });
  await until("the node's line", async () =>
    berth
      .output()
      .split("\n")
      .some((line) => line.includes('"thinking"') && line.includes(run.run_id)),
  );
  await expect(clientOf(berth.url, "grace").threads.get(thread.thread_id)).rejects.toThrow(/404/);
});

test("its stream transformers reach thread.extensions", async () => {
  const { thread_id } = await ada().threads.create();
  const thread = ada().threads.stream(thread_id, { assistantId: "agent" });
  const { progress } = thread.extensions as Record<string, AsyncIterable<unknown>>;
  if (!progress) throw new Error("no extension");
  await thread.run.start({ input: { question: "how?" } });
  const seen: unknown[] = [];
  for await (const node of progress) seen.push(node);
  expect(seen).toEqual(["think", "answer"]);
  await thread.close();
});

test("its app answers where the server has nothing, and the API is whole", async () => {
  const read = async (path: string) => {
    const answer = await fetch(`${berth.url}${path}`, { headers: { authorization: "Bearer ada" } });
    expect(answer.headers.get("x-elsewhere")).toBe("yes");
    return answer.json();
  };
  expect(await read("/hello")).toEqual({ hello: "you" });
  expect(await read("/nothing")).toEqual({ error: "no /nothing here" });
  expect(await read("/info")).toHaveProperty("version");
});
