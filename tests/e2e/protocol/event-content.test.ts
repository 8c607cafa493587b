import { describe, expect, test } from "bun:test";
import { present } from "../stream-parts.ts";
import { forEachDoor } from "./doors.ts";
import { say } from "./protocol-thread.ts";
import { servedProtocol } from "./served-protocol.ts";
import { spokenIn } from "./spoken.ts";
import {
  conversationOf,
  dataOf,
  hasEnded,
  isRoot,
  ofMethod,
  rootLifecycle,
  terminals,
  textOf,
  type WireEvent,
} from "./wire-event.ts";

const { threads } = servedProtocol();

const rootEvents = (events: WireEvent[]) => rootLifecycle(events).map(({ params }) => params.data.event);
const lastValues = (events: WireEvent[]) => ofMethod(events, "values").filter(isRoot).at(-1)?.params.data;
const isIn = (event: WireEvent, ...namespace: string[]) =>
  JSON.stringify(event.params.namespace) === JSON.stringify(namespace);

forEachDoor((door) => {
  test("[21] chat: one running first, one completed last; deltas, finish and state say the same", async () => {
    const events = await threads.new(door).run("chat", say("words 30"));
    expect(rootEvents(events)).toEqual(["running", "completed"]);
    expect(events[0]).toBe(present(rootLifecycle(events)[0]));
    expect(events.at(-1)).toBe(present(rootLifecycle(events)[1]));
    expect(rootLifecycle(events)[0]?.params.data.graph_name).toBe("chat");
    const [message, ...others] = spokenIn(events);
    expect(others).toEqual([]);
    const words = Array.from({ length: 30 }, (_, n) => `w${n}`).join(" ");
    expect(message).toMatchObject({ state: "finished", streamed: words, finished: words });
    expect(message?.deltas).toBe(30);
    expect(message?.namespace).toEqual([expect.stringMatching(/^agent:[0-9a-f-]{36}$/)]);
    const stored = lastValues(events)?.messages?.at(-1);
    expect(stored).toMatchObject({ type: "ai", id: present(message).id });
    expect(stored && textOf(stored)).toBe(words);
    const finish = dataOf(events, "messages").at(-1);
    expect(finish).toMatchObject({ usage: { output_tokens: 30 } });
  });

  test("[21] three models in one node do not mix", async () => {
    const events = await threads.new(door).run("parallel-models", say("sing"));
    const spoken = spokenIn(events);
    const song = (letter: string) => Array.from({ length: 20 }, (_, n) => `${letter}${n}`).join(" ");
    expect(spoken.map(({ streamed }) => streamed).sort()).toEqual(["a", "b", "c"].map(song));
    for (const { state, streamed, finished } of spoken) {
      expect(state).toBe("finished");
      expect(finished).toBe(streamed);
    }
    const ids = (lastValues(events)?.messages ?? []).slice(1).map(({ id }) => id);
    expect(spoken.map(({ id }) => id).sort()).toEqual(ids.sort());
  });

  describe("[22] tools", () => {
    test("started before finished, with the id of the call in the message", async () => {
      const events = await threads.new(door).run("tool", say("weather"));
      const tools = ofMethod(events, "tools");
      expect(tools.map(({ params }) => params.data.event)).toEqual(["tool-started", "tool-finished"]);
      const [started, finished] = tools.map(({ params }) => params.data);
      const call = spokenIn(events)[0]?.calls[0];
      expect(started).toMatchObject({ tool_call_id: "call_1", tool_name: "get_weather" });
      expect(finished?.tool_call_id).toBe("call_1");
      expect(call).toMatchObject({ id: "call_1", name: "get_weather" });
      expect(JSON.stringify(finished?.output)).toContain("Sunny in Paris on the Seine");
      const [namespace] = tools.map(({ params }) => params.namespace);
      expect(namespace).toEqual([expect.stringMatching(/^tools:[0-9a-f-]{36}$/)]);
    });

    test("one that throws gives tool-error, and the run goes on", async () => {
      const events = await threads.new(door).run("tool", say("broken"));
      expect(dataOf(events, "tools")).toMatchObject([
        { event: "tool-started", tool_call_id: "call_1", tool_name: "break_down" },
        { event: "tool-error", tool_call_id: "call_1", message: expect.stringContaining("broke down") },
      ]);
      expect(rootEvents(events)).toEqual(["running", "completed"]);
    });
  });

  test("[23] arguments of a call grow as block-deltas that every supported client reads", async () => {
    const events = await threads.new(door).run("tool", say("weather"));
    const deltas = dataOf(events, "messages").flatMap(({ delta }) => (delta ? [delta] : []));
    expect(deltas.map(({ type }) => type)).not.toContain("tool-call-delta");
    const [message] = spokenIn(events);
    const [call] = present(message).calls;
    expect(call?.args).toEqual({ city: "Paris on the Seine" });
    expect(JSON.parse(present(call).streamed)).toEqual(present(call).args);
    expect(present(call).grew).toBe(true);
    expect(present(call).deltas).toBeGreaterThan(1);
    expect(present(message).streamed).toBe("Checking. ");
  });

  test("[24] each checkpoint is followed by its values, and is the state's after that step", async () => {
    const thread = threads.new(door);
    const events = await thread.run("deep", say("go"));
    const checkpoints = ofMethod(events, "checkpoints");
    expect(checkpoints.length).toBeGreaterThan(3);
    for (const checkpoint of checkpoints) {
      const { namespace } = checkpoint.params;
      const next = events.find((event) => event.seq > checkpoint.seq && isIn(event, ...namespace));
      expect(next?.method).toBe("values");
    }
    const announced = checkpoints.filter(isRoot).map(({ params }) => params.data);
    const history = (await thread.history({ limit: 100 })).toReversed();
    // The checkpoint of the input is not announced.
    expect(announced.map(({ id }) => id)).toEqual(
      history.slice(1).map(({ checkpoint }) => checkpoint?.checkpoint_id),
    );
    expect(announced.map(({ step }) => step)).toEqual(history.slice(1).map(({ metadata }) => metadata.step));
    expect(announced.map(({ parent_id }) => parent_id)).toEqual(
      history.slice(0, -1).map(({ checkpoint }) => checkpoint?.checkpoint_id),
    );
    expect(announced.every(({ source }) => source === "loop")).toBe(true);
  });

  test("[25] a graph that fails: one failed with its error, the state is there, and the next run works", async () => {
    const thread = threads.new(door);
    const events = await thread.run("error", say("go"));
    expect(rootEvents(events)).toEqual(["running", "failed"]);
    expect(events.at(-1)?.params.data.error).toContain("kaboom");
    expect((await thread.state()).values.messages?.map(textOf)).toEqual(["go"]);
    const next = await thread.run("error", say("fine"));
    expect(conversationOf(next)).toEqual(["go", "fine", "You said: fine"]);
    expect(rootEvents(next)).toEqual(["running", "completed"]);
  });

  describe("interrupts", () => {
    test("[26] asked once, the run ends interrupted, nothing holds __interrupt__", async () => {
      const thread = threads.new(door);
      const events = await thread.run("interrupt", say("go"));
      const asked = ofMethod(events, "input.requested");
      expect(asked).toHaveLength(1);
      expect(asked[0]?.params).toMatchObject({
        namespace: [],
        data: { payload: { question: "ok?", text: "draft" } },
      });
      expect(rootEvents(events)).toEqual(["running", "interrupted"]);
      expect(JSON.stringify(events)).not.toContain("__interrupt__");
      expect(await thread.pending()).toEqual([present(asked[0]).params.data.interrupt_id ?? ""]);
      expect(events.filter((event) => event.seq > present(asked[0]).seq).at(-1)?.method).toBe("lifecycle");
    });

    test("[26] an answer is told to everybody, and asks nothing again", async () => {
      const thread = threads.new(door);
      const reader = await thread.read();
      const first = await thread.start("interrupt", say("go"));
      await reader.until("asked", (events) => hasEnded(events, first));
      const [interrupt_id] = await thread.pending();
      await thread.command("input.respond", { namespace: [], interrupt_id, response: "yes" });
      await reader.until("the end", (events) => terminals(events).length === 2);
      expect(rootEvents(reader.events)).toEqual(["running", "interrupted", "running", "completed"]);
      expect(ofMethod(reader.events, "input.requested")).toHaveLength(1);
      const answered = ofMethod(reader.events, "input.answered");
      expect(answered.map(({ params }) => params)).toMatchObject([
        { namespace: [], data: { interrupt_ids: [interrupt_id] } },
      ]);
      expect(conversationOf(reader.events)).toEqual(["go", 'answer: "yes"']);
      expect(await thread.pending()).toEqual([]);
    });

    test("[27] in a subgraph: asked once, in its namespace", async () => {
      const thread = threads.new(door);
      const events = await thread.run("nested-interrupt", say("go"));
      const asked = ofMethod(events, "input.requested");
      expect(asked.map(({ params }) => params)).toMatchObject([
        { data: { payload: { question: "inside?" } } },
      ]);
      expect(asked[0]?.params.namespace).toEqual([expect.stringMatching(/^review:[0-9a-f-]{36}$/)]);
      expect(rootEvents(events)).toEqual(["running", "interrupted"]);
      const [{ params }] = asked as [WireEvent];
      const { namespace } = params;
      const answer = { namespace, interrupt_id: params.data.interrupt_id, response: "fine" };
      expect(await thread.command("input.respond", answer)).toMatchObject({ type: "success" });
      const reader = await thread.read();
      await reader.until("the end", (all) => rootEvents(all).includes("completed"));
      expect((await thread.state()).values.answer).toBe("fine");
    });

    test("[28] side by side: both are offered, one batch answers both in one run", async () => {
      const thread = threads.new(door);
      const events = await thread.run("parallel-interrupt", say("go"));
      const ids = dataOf(events, "input.requested").map(({ interrupt_id }) => interrupt_id ?? "");
      expect(new Set(ids).size).toBe(2);
      expect([...(await thread.pending())].sort()).toEqual([...ids].sort());
      const responses = ids.map((interrupt_id) => ({ namespace: [], interrupt_id, response: "same" }));
      expect(await thread.command("input.respond", { responses })).toMatchObject({ type: "success" });
      const reader = await thread.read({ since: present(events.at(-1)).seq });
      await reader.until("the end", (all) => terminals(all).length > 0);
      expect(rootEvents(reader.events)).toEqual(["running", "completed"]);
      expect((await thread.state()).values.answers).toEqual(['colour? "same"', 'size? "same"']);
    });

    test("[28] answering one leaves the other answerable, under its id", async () => {
      const thread = threads.new(door);
      const reader = await thread.read();
      const run = await thread.start("parallel-interrupt", say("go"));
      await reader.until("asked", (events) => hasEnded(events, run));
      const [colour, size] = dataOf(reader.events, "input.requested").map(({ interrupt_id }) => interrupt_id);
      await thread.command("input.respond", { namespace: [], interrupt_id: colour, response: "red" });
      await reader.until("asked again", (events) => terminals(events).length === 2);
      expect(rootEvents(reader.events).at(-1)).toBe("interrupted");
      const reply = await thread.command("input.respond", {
        namespace: [],
        interrupt_id: size,
        response: "large",
      });
      expect(reply.type).toBe("success");
      await reader.until("the end", (events) => terminals(events).length === 3);
      expect(rootEvents(reader.events).at(-1)).toBe("completed");
      expect((await thread.state()).values.answers).toEqual(['colour? "red"', 'size? "large"']);
    });
  });

  describe("namespaces", () => {
    const lifecycleOf = (events: WireEvent[]) =>
      ofMethod(events, "lifecycle").map(
        ({ params }) => `${params.namespace.map((segment) => segment.split(":")[0])} ${params.data.event}`,
      );

    test("[29] a subgraph: started parent first, completed child first, in their places", async () => {
      const events = await threads.new(door).run("subgraph", say("go"));
      expect(lifecycleOf(events)).toEqual([
        " running",
        "research started",
        "research,think started",
        "research,think completed",
        "research completed",
        " completed",
      ]);
      const started = ofMethod(events, "lifecycle").filter(({ params }) => params.data.event === "started");
      for (const { seq, params } of started) {
        const first = events.find((event) => isIn(event, ...params.namespace));
        expect(first?.seq).toBe(seq);
      }
      const [inner] = spokenIn(events);
      expect(inner).toMatchObject({ streamed: "inner says hi", state: "finished" });
      expect(inner?.namespace).toHaveLength(2);
      const own = ofMethod(events, "values").filter(({ params }) => params.namespace.length === 1);
      expect(own.at(-1)?.params.data.messages?.map(textOf)).toEqual(["go", "inner says hi"]);
    });

    test("[29] completed stands behind the task's result and before the parent's next checkpoint", async () => {
      const events = await threads.new(door).run("subgraph", say("go"));
      const at = (found: WireEvent | undefined) => present(found).seq;
      const research = events.filter((event) => event.params.namespace.length === 1);
      const completed = at(research.findLast(({ method }) => method === "lifecycle"));
      const result = at(events.findLast((event) => event.method === "tasks" && isRoot(event)));
      const update = at(events.findLast((event) => event.method === "updates" && isRoot(event)));
      const checkpoint = at(events.findLast((event) => event.method === "checkpoints" && isRoot(event)));
      expect([update, result, completed, checkpoint]).toEqual(
        [update, result, completed, checkpoint].toSorted((a, b) => a - b),
      );
    });

    test("[30] subagents: each task in a namespace of its own, its tokens below, the answer afterwards", async () => {
      const events = await threads.new(door).run("deep", say("go"));
      const tasks = ofMethod(events, "tools").filter(({ params }) => params.data.tool_name === "task");
      expect(tasks.map(({ params }) => params.data.tool_call_id).sort()).toEqual([
        "call_task_1_1",
        "call_task_1_2",
      ]);
      expect(new Set(tasks.map(({ params }) => params.namespace[0])).size).toBe(2);
      for (const task of tasks) {
        const [namespace = ""] = task.params.namespace;
        const within = events.filter(({ params }) => params.namespace[0] === namespace);
        expect(within.map(({ method }) => method)[0]).toBe("lifecycle");
        const finished = within.find(
          ({ params }) =>
            params.data.event === "tool-finished" &&
            params.data.tool_call_id === task.params.data.tool_call_id,
        );
        expect(finished?.params.namespace).toEqual([namespace]);
        const said = spokenIn(within).filter(({ streamed }) => streamed !== "");
        expect(said.map(({ streamed }) => streamed)).toEqual([
          expect.stringMatching(/^Findings: results for Research/),
        ]);
        expect(said[0]?.namespace).toEqual([namespace, expect.stringMatching(/^model_request:/)]);
        const human = ofMethod(within, "values")[0]?.params.data.messages?.[0];
        expect(human).toMatchObject({ type: "human", content: expect.stringMatching(/^Research/) });
      }
      const answer = spokenIn(events).at(-1);
      expect(answer?.namespace).toEqual([expect.stringMatching(/^model_request:/)]);
      expect(answer?.streamed).toMatch(/^Final answer: Findings: .* and Findings: /);
    });
  });

  test("[31] custom events: a payload, with its name where it has one", async () => {
    const events = await threads.new(door).run("custom", say("go"));
    expect(dataOf(events, "custom")).toEqual([
      { payload: { progress: 1 } },
      { name: "steps", payload: { n: 1 } },
      { name: "other", payload: "text" },
    ]);
  });

  test("[32] nothing is in LangChain's own form of serialisation", async () => {
    const thread = threads.new(door);
    const graphs = ["chat", "tool", "interrupt", "nested-interrupt", "subgraph", "deep", "error", "custom"];
    for (const graph of graphs) {
      const text = JSON.stringify(await threads.new(door).run(graph, say("fine")));
      expect(text).not.toContain('"lc":1');
      expect(text).not.toContain('"kwargs":{');
    }
    await thread.run("deep", say("go"));
    for (const body of [await thread.state(), await thread.history({ limit: 50 })])
      expect(JSON.stringify(body)).not.toContain('"lc":1');
  });
});
