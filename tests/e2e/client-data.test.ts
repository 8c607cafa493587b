import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { Client } from "@langchain/langgraph-sdk";
import { keepsClientData } from "./client-data.ts";
import { servedBerth } from "./served-berth.ts";

const PROJECT = join(import.meta.dir, "client-data");

describe("a graph in TypeScript", () => keepsClientData("script", { project: PROJECT }));

describe("a state in TypeScript", () => {
  const berth = servedBerth({ project: PROJECT });

  test("keeps integers of any size; clients see their digits", async () => {
    const client = new Client({ apiUrl: berth.url });
    const { thread_id } = await client.threads.create();
    for (const added of [1n, 2n]) {
      const values = { kind: "bigint", count: `${2n ** 70n + added}` };
      expect(await client.runs.wait(thread_id, "large", { input: { kind: "" } })).toEqual(values);
      expect((await client.threads.getState(thread_id)).values).toEqual(values);
      expect((await client.threads.get(thread_id)).values).toEqual(values);
    }
  });

  test("keeps a key that is called __proto__", async () => {
    const doc = '{"__proto__":{"a":1},"constructor":{"b":[{"__proto__":null}]}}';
    const { thread_id } = await new Client({ apiUrl: berth.url }).threads.create();
    const send = async (path: string, body?: string) => {
      const init = body === undefined ? {} : { method: "POST", body };
      const headers = { "content-type": "application/json" };
      return (await fetch(`${berth.url}/threads/${thread_id}${path}`, { ...init, headers })).text();
    };
    const human = `{"type":"human","content":"x","additional_kwargs":${doc}}`;
    const input = `{"doc":{"inside":[${doc}]},"messages":[${human}]}`;
    await send("/runs/wait", `{"assistant_id":"script","input":${input}}`);
    const resume = `{"assistant_id":"script","command":{"resume":${doc}}}`;
    for (const text of [await send("/runs/wait", resume), await send("/state"), await send("")]) {
      expect(text).toContain(`"inside":[${doc}]`);
      expect(text).toContain(`"answer":${doc}`);
      expect(text).toContain(`"additional_kwargs":${doc}`);
      expect(text).toContain(`"artifact":{"inside":[${doc}]}`);
    }
  });

  test("keeps an unpaired surrogate", async () => {
    const client = new Client({ apiUrl: berth.url });
    const { thread_id } = await client.threads.create();
    const input = { doc: { "\ud83d": ["\udc00"] }, messages: [{ type: "human", content: "a \ud83d" }] };
    await client.runs.wait(thread_id, "script", { input });
    const { values } = await client.threads.getState<{ doc: unknown; messages: { content: string }[] }>(
      thread_id,
    );
    expect(values.doc).toEqual(input.doc);
    expect(values.messages[0]?.content).toBe("a \ud83d");
  });
});
