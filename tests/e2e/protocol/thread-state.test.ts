import { describe, expect, test } from "bun:test";
import { AT_ONCE_MS } from "../../limits.ts";
import { present } from "../stream-parts.ts";
import { APP, forEachDoor } from "./doors.ts";
import { type ProtocolThread, say, type ThreadState } from "./protocol-thread.ts";
import { servedProtocol } from "./served-protocol.ts";
import { hasEnded, idsOf, isRoot, ofMethod, textOf } from "./wire-event.ts";

const { berth, threads } = servedProtocol();

type Summary = { id: string; title: string; updatedAt: string | null };

async function list(query = ""): Promise<Summary[]> {
  const response = await fetch(`${berth.url}/api/threads${query}`);
  expect(response.status).toBe(200);
  return (await response.json()) as Summary[];
}

const idOf = ({ checkpoint }: ThreadState) => present(checkpoint).checkpoint_id;

/** What the reference app does with a new conversation. */
async function bootstrap(thread: ProtocolThread): Promise<void> {
  expect((await thread.call("GET", "/state")).status).toBe(404);
  const answer = await thread.call("POST", "/state", { values: { messages: [] } });
  expect(answer.status).toBe(200);
}

describe("[33] a thread that was only made ready", () => {
  test("app: unknown is a 404 of its own form; then a whole state, next empty, and a place in the list", async () => {
    const thread = threads.new(APP);
    const unknown = await thread.call("GET", "/state");
    expect(unknown.status).toBe(404);
    expect(unknown.body).toMatchObject({
      error: "not_found",
      message: `Thread ${thread.id} not found`,
    });
    const made = await thread.call("POST", "/state", { values: { messages: [] } });
    expect(made.status).toBe(200);
    for (const state of [made.body as ThreadState, await thread.state()]) {
      expect(state).toMatchObject({
        values: { messages: [] },
        next: [],
        tasks: [],
        checkpoint: { checkpoint_id: expect.any(String), checkpoint_ns: "" },
        parent_checkpoint: null,
      });
      expect(Object.keys(state).sort()).toEqual(
        expect.arrayContaining(["values", "next", "tasks", "checkpoint", "metadata", "created_at"]),
      );
    }
    const entry = (await list()).find(({ id }) => id === thread.id);
    expect(entry).toMatchObject({ title: "New conversation" });
    const events = await thread.run("_", say("hello"));
    expect(ofMethod(events, "values").filter(isRoot).at(-1)?.params.data.messages?.map(textOf)).toEqual([
      "hello",
      "You said: hello",
    ]);
  });

  test("app: no body at all is an empty conversation", async () => {
    const thread = threads.new(APP);
    expect((await thread.call("POST", "/state")).status).toBe(200);
    expect((await thread.state()).next).toEqual([]);
  });
});

forEachDoor((door) => {
  test("[33] the state of an unknown thread is a 404", async () => {
    expect((await threads.new(door).call("GET", "/state")).status).toBe(404);
  });

  test("[34] after a run: messages in order, nothing next, a step, a time, a parent", async () => {
    const thread = threads.new(door);
    await thread.run("chat", say("hello", "first"));
    const state = await thread.state();
    expect(state.values.messages?.map(({ type, id }) => [type, id])).toEqual([
      ["human", "first"],
      ["ai", expect.stringMatching(/^ai-/)],
    ]);
    expect(state).toMatchObject({
      next: [],
      tasks: [],
      metadata: { step: 1, source: "loop" },
      parent_checkpoint: { checkpoint_id: expect.any(String) },
    });
    expect(new Date(present(state.created_at)).toISOString()).toBe(present(state.created_at));
  });

  test("[35] while a run is under way next names what is being done", async () => {
    const thread = threads.new(door);
    const run = await thread.start("slow", say("go"));
    const reader = await thread.read();
    await reader.until("a token", (events) => events.some(({ method }) => method === "messages"));
    expect((await thread.state()).next).toEqual(["agent"]);
    await thread.cancel(run);
    await reader.until("the end", (events) => hasEnded(events, run));
  });

  test("[36] history: newest first, ten at most, pages by each form of before, and scopes", async () => {
    const thread = threads.new(door);
    for (const text of ["one", "two", "three", "four"]) await thread.run("chat", say(text));
    const all = (await thread.history({ limit: 100 })).map(idOf);
    expect(all).toHaveLength(12);
    expect(all).toEqual(all.toSorted().toReversed());
    expect((await thread.history()).map(idOf)).toEqual(all.slice(0, 10));
    const forms = [
      (id: string) => id,
      (id: string) => ({ checkpoint_id: id }),
      (id: string) => ({ configurable: { checkpoint_id: id } }),
    ];
    for (const before of forms) {
      const paged: string[] = [];
      while (paged.length < all.length) {
        const last = paged.at(-1);
        const page = await thread.history({ limit: 5, ...(last && { before: before(last) }) });
        expect(page.length).toBeGreaterThan(0);
        paged.push(...page.map(idOf));
      }
      expect(paged).toEqual(all);
    }
    const inputs = await thread.history({ limit: 100, metadata: { source: "input" } });
    expect(inputs).toHaveLength(4);
    expect(inputs.every(({ metadata }) => metadata.source === "input")).toBe(true);
  });

  test("[36] history of a subagent's namespace has its messages; its place is found by the task", async () => {
    const thread = threads.new(door);
    const events = await thread.run("deep", say("go"));
    const started = present(ofMethod(events, "tools").find(({ params }) => params.data.tool_name === "task"));
    const [checkpoint_ns = ""] = started.params.namespace;
    const [newest] = await thread.history({ limit: 1, checkpoint: { checkpoint_ns } });
    expect(newest?.values.messages?.map(textOf)).toEqual([
      expect.stringMatching(/^Research/),
      "",
      expect.stringMatching(/^results for Research/),
      expect.stringMatching(/^Findings: /),
    ]);
    const tasks = (await thread.history({ limit: 100 })).flatMap((state) => state.tasks);
    const task = tasks.find(({ name, id }) => `${name}:${id}` === checkpoint_ns);
    expect(task?.path?.[0]).toBe("__pregel_push");
    expect(JSON.stringify(task)).toContain(`"tool_call_id":"${started.params.data.tool_call_id}"`);
  });

  test("[38] deleted twice: 204 both times, nothing is left, and the id starts afresh", async () => {
    const thread = threads.new(door);
    const before = await thread.run("tool", say("weather"));
    expect((await thread.call("DELETE", "")).status).toBe(204);
    expect((await thread.call("GET", "/state")).status).toBe(404);
    if (door === APP) expect((await thread.call("DELETE", "")).status).toBe(204);
    const reader = await thread.read();
    const run = await thread.start("chat", say("again"));
    const after = await reader.until("the end", (events) => hasEnded(events, run));
    expect(after.some(({ method }) => method === "tools")).toBe(false);
    const known = new Set(idsOf(before));
    expect(idsOf(after).filter((id) => known.has(id))).toEqual([]);
    expect((await thread.state()).values.messages?.map(textOf)).toEqual(["again", "You said: again"]);
  });

  test("[38] deleting ends the open streams and the run that is under way", async () => {
    const thread = threads.new(door);
    const run = await thread.start("slow", say("go"));
    const reader = await thread.read();
    await reader.until("a token", (events) => events.some(({ method }) => method === "messages"));
    expect((await thread.call("DELETE", "")).status).toBe(204);
    expect(await reader.ended()).toBe("closed");
    const gone = await fetch(`${berth.url}/threads/${thread.id}/runs/${run}`);
    expect(gone.status).toBe(404);
    const next = await thread.read();
    const again = await thread.start("chat", say("again"));
    const events = await next.until("the end", (all) => hasEnded(all, again));
    expect(JSON.stringify(events)).not.toContain(run);
  });
});

describe("the app's list and errors", () => {
  test("[36] history of an unknown thread is a 404 in the app's form", async () => {
    const answer = await threads.new(APP).call("POST", "/history", {});
    expect(answer.status).toBe(404);
    expect(answer.body).toMatchObject({ error: "not_found", message: expect.any(String) });
  });

  test("[37] newest first; the title is the first words of the first human", async () => {
    const long = `first ${"words ".repeat(30)}`;
    const [one, two] = [threads.new(APP), threads.new(APP)];
    await one.run("chat", say(long));
    await two.run("chat", { messages: [{ role: "user", content: [{ type: "text", text: "blocks " }] }] });
    const mine = async () => (await list("?limit=1000")).filter(({ id }) => id === one.id || id === two.id);
    expect(await mine()).toMatchObject([
      { id: two.id, title: "blocks" },
      { id: one.id, title: long.slice(0, 80).trim() },
    ]);
    await one.run("chat", say("something else"));
    const [newest] = await mine();
    expect(newest).toMatchObject({ id: one.id, title: long.slice(0, 80).trim() });
    const written = Date.parse(present((await one.state()).created_at));
    expect(Date.parse(present(newest?.updatedAt)) - written).toBeWithin(0, AT_ONCE_MS);
  });

  test("[38] a thread that never was is deleted with a 204", async () => {
    expect((await threads.new(APP).call("DELETE", "")).status).toBe(204);
  });

  test("[39] a state update that cannot be is a 422 with its code and a message", async () => {
    const thread = threads.new(APP);
    await bootstrap(thread);
    const wrong = [
      { values: { messages: [{ type: "nonsense" }] } },
      { values: { messages: [] }, as_node: "nowhere" },
    ];
    for (const body of wrong) {
      const answer = await thread.call("POST", "/state", body);
      expect({ body, status: answer.status }).toEqual({ body, status: 422 });
      expect(answer.body).toMatchObject({ error: "invalid_state_update", message: expect.any(String) });
    }
  });

  test("an edit of the state is in the next state, whole", async () => {
    const thread = threads.new(APP);
    await thread.run("chat", say("hello"));
    const answer = await thread.call("POST", "/state", {
      values: { messages: [{ type: "ai", id: "written", content: "by hand" }] },
      as_node: "agent",
    });
    expect(answer.status).toBe(200);
    const state = answer.body as ThreadState;
    expect(state.values.messages?.map(textOf)).toEqual(["hello", "You said: hello", "by hand"]);
    expect(idOf(await thread.state())).toBe(idOf(state));
  });
});
