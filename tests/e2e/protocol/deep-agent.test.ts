import { afterAll, expect, test } from "bun:test";
import { template } from "../berth-process.ts";
import { until } from "../condition.ts";
import { present } from "../stream-parts.ts";
import { forEachClient } from "./chat-client.ts";
import { forEachDoor } from "./doors.ts";
import { say } from "./protocol-thread.ts";
import { servedProtocol } from "./served-protocol.ts";
import { spokenIn } from "./spoken.ts";
import { ofMethod, rootLifecycle } from "./wire-event.ts";

// The real thing: a deep agent of the template, on its offline model.
const { berth, threads } = servedProtocol({ project: template("deep-agent") });
const QUESTION = "research owls";

forEachDoor((door) => {
  test("[30] each task is in a namespace of its own, and the answer comes behind them", async () => {
    const events = await threads.new(door).run("deep-agent", say(QUESTION));
    expect(rootLifecycle(events).map(({ params }) => params.data.event)).toEqual(["running", "completed"]);
    const tasks = ofMethod(events, "tools").filter(({ params }) => params.data.tool_name === "task");
    expect(tasks).toHaveLength(2);
    const places = tasks.map(({ params }) => params.namespace);
    expect(places).toEqual([
      [expect.stringMatching(/^tools:[0-9a-f-]{36}$/)],
      [expect.stringMatching(/^tools:[0-9a-f-]{36}$/)],
    ]);
    expect(new Set(places.flat()).size).toBe(2);
    for (const { params, seq } of tasks) {
      const finished = ofMethod(events, "tools").find(
        (event) =>
          event.params.data.event === "tool-finished" &&
          event.params.data.tool_call_id === params.data.tool_call_id,
      );
      expect(finished?.params.namespace).toEqual(params.namespace);
      const within = events.filter(
        (event) =>
          event.params.namespace[0] === params.namespace[0] &&
          event.seq > seq &&
          event.seq < present(finished).seq,
      );
      expect(spokenIn(within).length).toBeGreaterThan(0);
      expect(within.some(({ method }) => method === "values")).toBe(true);
    }
    const answer = present(spokenIn(events).at(-1));
    expect(answer.namespace).toHaveLength(1);
    expect(answer.streamed).toContain("both subagents have reported");
  });
});

forEachClient(berth, (client) => {
  afterAll(() => client.close());

  test("[49] both subagents are cards, live and after a reload, and its todo list is there", async () => {
    const id = crypto.randomUUID();
    const chat = await client.chat(id, "deep-agent");
    await chat.say(QUESTION);
    const later = await client.chat(id, "deep-agent");
    for (const page of [chat, later]) {
      const cards = await until(
        "both cards",
        async () => [...page.controller.subagentStore.getSnapshot().values()],
        (all) => all.length === 2 && all.every(({ status }) => status === "complete"),
      );
      expect(cards.map((card) => card.name).sort()).toEqual(["researcher", "writer"]);
      await page.until("the todo list", ({ values }) => "todos" in values);
      await page.until("the answer", () => page.texts.at(-1)?.includes("both subagents") === true);
    }
  });

  test("[46] a tool that a person approves: asked, approved, done", async () => {
    const chat = await client.chat(crypto.randomUUID(), "deep-agent");
    await chat.say("send a note to ada@example.com");
    const { interrupts } = await chat.until("the question", (now) => now.interrupts.length > 0);
    expect(JSON.stringify(interrupts[0]?.value)).toContain("send_email");
    await chat.controller.respond(
      { decisions: [{ type: "approve" }] },
      { interruptId: present(interrupts[0]).id },
    );
    await chat.until("the answer", () => chat.texts.at(-1)?.includes("went out") === true);
    expect(chat.now.interrupts).toEqual([]);
  });
});
