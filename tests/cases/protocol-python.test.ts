import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { templateFiles } from "@berth/agent";
import { until } from "../e2e/condition.ts";
import { clientsOf } from "../e2e/protocol/chat-client.ts";
import { AGENT } from "../e2e/protocol/doors.ts";
import { say } from "../e2e/protocol/protocol-thread.ts";
import { servedProtocol } from "../e2e/protocol/served-protocol.ts";
import { dataOf, ofMethod, terminals, type WireEvent } from "../e2e/protocol/wire-event.ts";
import { noPython, testPython } from "../python-here.ts";
import { because, describeUnless } from "../skips.ts";

const env = { PYTHON: testPython() ?? "" };
const isTask = (namespace: readonly string[]) => /^tools:[0-9a-f-]{36}$/.test(namespace.join("|"));
const nodesOf = ({ params }: WireEvent) => params.namespace.map((segment) => segment.split(":", 1)[0]);
const places = (events: WireEvent[], method: string) => ofMethod(events, method).map(nodesOf);
/** How the Python client names itself. */
const AGENTS = ["langgraph-sdk-py/0.4.14", "other/1"];

describeUnless(noPython)("the thread protocol of Python graphs", () => {
  const project = join(import.meta.dir, "python", "run-semantics");
  const { threads } = servedProtocol({ project, env });
  const run = (graph: string) => threads.new(AGENT).run(graph, say("hi"));

  test("tools are reported in the protocol's own events, in the namespace of their task", async () => {
    for (const [graph, place] of [
      ["one_tool", ["tools"]],
      ["outer_tool", ["inner", "tools"]],
    ] as const) {
      const thread = threads.new(AGENT);
      const events = await thread.run(graph, say("hi"));
      const call = { tool_call_id: "call-0" };
      expect(dataOf(events, "tools")).toEqual([
        { event: "tool-started", ...call, tool_name: "weather", input: { city: "Rome" } } as object,
        { event: "tool-finished", ...call, output: expect.objectContaining({ content: "sunny in Rome" }) },
      ]);
      expect(places(events, "tools")).toEqual([[...place], [...place]]);
      // The Python client looks for them in the namespace of their graph.
      const reader = await thread.read({}, { "user-agent": AGENTS[0] ?? "" });
      const shown = await reader.until("the end", (all) => terminals(all).length > 0);
      expect(places(shown, "tools")).toEqual([place.slice(0, -1), place.slice(0, -1)]);
    }
    const failed = dataOf(await run("failing_tool"), "tools");
    expect(failed.at(-1)).toEqual({ event: "tool-error", tool_call_id: "call-0", message: "no Rome" });
  });

  test("custom data is what the graph wrote, and its name selects it", async () => {
    const events = await run("one_tool");
    expect(dataOf(events, "custom") as object[]).toEqual([{ name: "steps", at: "Rome" }, { payload: 1 }]);
  });

  test("messages are what models wrote, in the namespace of their graph", async () => {
    const events = await run("fixed_answer");
    const starts = dataOf(events, "messages").filter(({ event }) => event === "message-start");
    expect(starts).toHaveLength(1);
    const text = dataOf(events, "messages").map(({ delta }) => delta?.text ?? "");
    expect(text.join("")).toBe("streamed");
    const inner = await run("outer_model");
    expect(new Set(places(inner, "messages").map(String))).toEqual(new Set(["inner"]));
    expect(dataOf(inner, "messages").at(-1)).toMatchObject({
      event: "message-finish",
      usage: { total_tokens: 3 },
    });
  });

  test("lifecycle reports the run and its subgraphs, whatever the client is called", async () => {
    const thread = threads.new(AGENT);
    await thread.run("outer_model", say("hi"));
    for (const agent of AGENTS) {
      const reader = await thread.read({}, { "user-agent": agent });
      const events = await reader.until("the end", (all) => terminals(all).length > 0);
      reader.close();
      const told = ofMethod(events, "lifecycle").map((event) => [nodesOf(event), event.params.data.event]);
      expect(told).toEqual([
        [[], "running"],
        [["inner"], "started"],
        [["inner"], "completed"],
        [[], "completed"],
      ]);
    }
  });
});

const hasDeepAgents =
  noPython === undefined && Bun.spawnSync([env.PYTHON, "-c", "import deepagents"]).success;
const noDeepAgents = noPython ?? because(!hasDeepAgents, "no Python here has deepagents");

describeUnless(noDeepAgents)("a deep agent in Python in the official client", () => {
  const project = mkdtempSync(join(tmpdir(), "berth-python-deep-agent-"));
  for (const [name, text] of Object.entries(templateFiles("python-deep-agent")))
    writeFileSync(join(project, name), text);
  const { berth } = servedProtocol({ project, env });
  afterAll(() => rmSync(project, { recursive: true, force: true }));

  test("shows the messages once, and its subagents as cards in their own namespaces", async () => {
    for (const client of Object.values(clientsOf(berth)).slice(0, 2)) {
      const id = crypto.randomUUID();
      const chat = await client.chat(id, "deep-agent");
      await chat.say("research owls");
      const later = await client.chat(id, "deep-agent");
      for (const page of [chat, later]) {
        // A page that is loaded again learns the namespaces from the history, behind the cards.
        const cards = await until(
          "both cards in the namespaces of their tasks",
          async () => [...page.controller.subagentStore.getSnapshot().values()],
          (all) =>
            all.length === 2 &&
            all.every(({ status, namespace }) => status === "complete" && isTask(namespace)),
        );
        expect(cards.map(({ name }) => name).sort()).toEqual(["researcher", "writer"]);
        expect(new Set(cards.flatMap(({ namespace }) => namespace)).size).toBe(2);
        await page.until("the answer", () => page.texts.at(-1)?.includes("both subagents") === true);
        expect(new Set(page.now.messages.map((message) => message.id)).size).toBe(page.now.messages.length);
      }
      await client.close();
    }
  });
});
