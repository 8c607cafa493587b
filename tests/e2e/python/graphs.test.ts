import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@langchain/langgraph-sdk";
import { noPython, testPython } from "../../python-here.ts";
import { describeUnless } from "../../skips.ts";
import { type BerthProcess, start } from "../berth-process.ts";
import { until } from "../condition.ts";
import { isThere } from "../executors/processes.ts";
import { query } from "../stored.ts";

const PROJECT = join(import.meta.dir, "project");
const human = (content: string) => ({ messages: [{ type: "human" as const, content }] });

type Steps = { steps: string[] };
type Span = {
  id: string;
  name: string;
  run_type: string;
  status: string;
  parent_id: string | null;
  total_tokens: number | null;
  error: { type: string; message: string } | null;
};

describeUnless(noPython)("graphs in Python", () => {
  let berth: BerthProcess;
  const folder = mkdtempSync(join(tmpdir(), "berth-python-"));
  const client = () => new Client({ apiUrl: berth.url });
  const wait = async (graph: string, input: Record<string, unknown>, more: object = {}) => {
    const { thread_id } = await client().threads.create();
    return (await client().runs.wait(thread_id, graph, { input, ...more })) as Record<string, unknown>;
  };
  const json = async <Body>(path: string) => (await (await fetch(berth.url + path)).json()) as Body;

  beforeAll(async () => {
    berth = await start({ project: PROJECT, env: { PYTHON: testPython() ?? "", EXECUTORS: "1" } });
  });
  afterAll(async () => {
    expect(await berth.stop()).toBe(0);
    rmSync(folder, { recursive: true, force: true });
  });

  describe("are made", () => {
    test("by a factory that opens something for as long as its graph is used", async () => {
      expect(await wait("managed", {})).toEqual({ steps: ["managed"] });
      const named = { config: { configurable: { name: "other" } } };
      expect(await wait("managed", {}, named)).toEqual({ steps: ["other"] });
    });

    test("by one that looks at what it is asked for, and by one without parameters", async () => {
      expect(await wait("described", {})).toEqual({ steps: ["threads.create_run"] });
      expect(await wait("plain", {})).toEqual({ steps: ["only"] });
    });

    test("from a module that is named, with imports from beside it", async () => {
      expect(await wait("printing", {})).toEqual({ word: "from the package" });
      await until(
        "what it printed",
        async () => berth.output(),
        (text) => text.includes("printed from the package"),
      );
    });

    test("beside one that is no Python", async () => {
      expect(await wait("script", {})).toEqual({ word: "from a script" });
      const info = await json<Record<string, string>>("/info");
      expect(info.langgraph_py_version).toMatch(/^1\./);
      expect(info.langgraph_js_version).toMatch(/^1\./);
    });
  });

  test("of the functional API run tasks, ask, and go on", async () => {
    const { thread_id } = await client().threads.create();
    const asked = (await client().runs.wait(thread_id, "functional", { input: [1, 2] as never })) as object;
    expect(asked).toEqual({ __interrupt__: [{ id: expect.any(String), value: { sum: 6 } }] });
    const done = await client().runs.wait(thread_id, "functional", { command: { resume: "yes" } });
    expect(done).toEqual({ doubled: [2, 4], answer: "yes" });
    expect((await client().threads.getState(thread_id)).values).toEqual({ doubled: [2, 4], answer: "yes" });
  });

  test("have values of their own types, and show them as JSON", async () => {
    const { thread_id } = await client().threads.create();
    await client().runs.wait(thread_id, "values", { input: {} });
    const { values } = await client().threads.getState<Record<string, unknown>>(thread_id);
    expect(values).toEqual({
      ...{ colour: "red", point: { x: 1, y: 2 }, person: { name: "Ada", born: "1815-12-10" } },
      ...{ when: "2026-01-02T03:04:05+00:00", pair: [1, "two"], names: ["ada"], whole: 2, data: "AP8=" },
      ...{ number: 2 ** 60, ident: "12345678-1234-5678-1234-567812345678" },
      by_number: { 9: "nine", 10: "ten" },
    });
    const { kinds, whole } = (await client().runs.wait(thread_id, "values", {
      command: { resume: "3" },
    })) as { kinds: Record<string, string>; whole: number };
    expect(whole).toBe(3);
    expect(kinds).toEqual({
      ...{ colour: "Colour", point: "Point", person: "Person", when: "datetime", pair: "list" },
      ...{ names: "set", whole: "float", data: "bytes", number: "int", ident: "UUID", by_number: "dict" },
    });
    const [found] = await client().threads.search({ ids: [thread_id] } as never);
    expect(found?.values).toMatchObject({ colour: "red" });
  });

  test("write what is new of a list, and not the whole of it", async () => {
    const { thread_id } = await client().threads.create();
    const written = async () => {
      const [row] = await query<{ bytes: number }>(
        berth.data,
        `select (select coalesce(sum(length(value)), 0) from list_chunks where thread_id = '${thread_id}')
              + (select coalesce(sum(length(value)), 0) from channel_values where thread_id = '${thread_id}' and channel = 'messages') as bytes`,
      );
      return Number(row?.bytes);
    };
    const grown: number[] = [];
    for (let turn = 0; turn < 24; turn += 1) {
      const before = await written();
      await client().runs.wait(thread_id, "grows", { input: human(`turn ${turn}`) });
      grown.push((await written()) - before);
    }
    const { values } = await client().threads.getState<{ messages: { content: string }[] }>(thread_id);
    expect(values.messages).toHaveLength(48);
    expect(values.messages.at(-1)?.content).toBe("I have read 47 messages");
    // A turn at the end costs no more than one in the middle.
    const [middle, end] = [Math.max(...grown.slice(8, 12)), Math.max(...grown.slice(-4))];
    expect(end).toBeLessThan(middle * 1.5);
  });

  test("ask graphs of the other language, and are asked by them", async () => {
    expect(await wait("asks_script", {})).toEqual({ word: "from a script" });
    expect(await wait("asks_python", {})).toEqual({ steps: ["only"] });
  });

  describe("leave traces", () => {
    const traceOf = async (graph: string) => {
      const { resources } = await json<{ resources: { id: string; name: string }[] }>("/v1/traces");
      const id = resources.find(({ name }) => name === graph)?.id;
      return json<{ spans: Span[] }>(`/v1/traces/${id}`);
    };

    test("with their nodes, models, tokens and tools", async () => {
      await wait("models", human("weather?"));
      const { spans } = await until(
        "the trace",
        () => traceOf("models"),
        (trace) => trace.spans?.some(({ name, status }) => name === "models" && status === "success"),
      );
      const of = (name: string) => spans.find((span) => span.name === name);
      expect(spans.map(({ name }) => name).sort()).toEqual(
        ["Scripted", "Scripted", "ask", "models", "tell", "tools", "weather"].sort(),
      );
      expect(of("Scripted")).toMatchObject({ run_type: "llm", total_tokens: 8 });
      expect(of("weather")).toMatchObject({ run_type: "tool", status: "success" });
    });

    test("with the chains that their nodes call", async () => {
      await wait("chains", {});
      const { spans } = await until(
        "the trace",
        () => traceOf("chains"),
        (trace) => trace.spans?.some(({ name, status }) => name === "chains" && status === "success"),
      );
      const below = (name: string) => {
        const above = spans.find((span) => span.name === name);
        return spans.filter(({ parent_id }) => parent_id === above?.id).map((span) => span.name);
      };
      expect(below("many")).toEqual(["twice", "twice", "twice", "RunnableSequence"]);
      expect(below("RunnableSequence")).toEqual(["twice", "twice"]);
    });

    test("with the name, the message and the places of an error", async () => {
      await expect(wait("failing", {})).rejects.toThrow("Wrong: it is wrong");
      const { spans } = await until(
        "the trace",
        () => traceOf("failing"),
        (trace) => trace.spans?.some(({ name, status }) => name === "failing" && status === "error"),
      );
      const failed = spans.find(({ name }) => name === "fail");
      expect(failed).toMatchObject({ status: "error", error: { type: "Wrong", message: "it is wrong" } });
      expect(JSON.stringify(failed)).toContain("shapes.py");
      expect(JSON.stringify(failed)).toContain("KeyError");
    });
  });

  test("and threads of the other language do not go together: 409", async () => {
    const { thread_id } = await client().threads.create();
    await client().runs.wait(thread_id, "plain", { input: {} });
    await expect(client().runs.create(thread_id, "script", { input: {} })).rejects.toThrow(/409.*Python/s);
    const { thread_id: other } = await client().threads.create();
    await client().runs.wait(other, "script", { input: {} });
    await expect(client().runs.create(other, "plain", { input: {} })).rejects.toThrow(/409.*TypeScript/s);
    expect((await client().threads.get(other)).values).toEqual({ word: "from a script" });
  });

  describe("whose worker ends", () => {
    test("go on from their last checkpoint, as the next attempt", async () => {
      const flag = join(folder, "killed");
      const { thread_id } = await client().threads.create();
      const done = (await client().runs.wait(thread_id, "deadly", { input: { flag } })) as Steps;
      expect(done.steps).toEqual(["begin", "kill", "after"]);
      const killed = Number(readFileSync(flag, "utf8"));
      expect(isThere(killed)).toBeFalse();
    });

    test("because a node blocks it after it was told to stop, leave the others their runs", async () => {
      const [blocked, beside] = [await client().threads.create(), await client().threads.create()];
      const flag = join(folder, "blocks");
      const input = { seconds: 120, flag };
      const { run_id } = await client().runs.create(blocked.thread_id, "blocking", { input });
      await until(
        "it blocks",
        async () => existsSync(flag),
        (blocks) => blocks,
      );
      // The worker of the runs is busy: another one reads meanwhile.
      expect((await client().threads.getState(blocked.thread_id)).metadata).toMatchObject({ run_id });
      const other = client().runs.wait(beside.thread_id, "plain", { input: {} });
      await client().runs.cancel(blocked.thread_id, run_id, true);
      expect(await other).toEqual({ steps: ["only"] });
      expect((await client().runs.get(blocked.thread_id, run_id)).status).toBe("interrupted");
    });
  });
});
