import { describe, expect, test } from "bun:test";
import { until } from "./condition.ts";
import { APP } from "./protocol/doors.ts";
import { type ProtocolThread, say } from "./protocol/protocol-thread.ts";
import { servedProtocol } from "./protocol/served-protocol.ts";

const { berth, threads } = servedProtocol();

type Summary = {
  id: string;
  title: string;
  updatedAt: string;
  status: string;
  waiting: boolean;
  assistant_id: string | null;
};

async function list(query = ""): Promise<Summary[]> {
  const response = await fetch(`${berth.url}/api/threads${query}`);
  expect(response.status).toBe(200);
  return (await response.json()) as Summary[];
}

const entry = async ({ id }: ProtocolThread) => (await list()).find((one) => one.id === id);

const assistantOf = async (thread: ProtocolThread) => (await entry(thread))?.assistant_id;

async function assistantNamed(graph: string): Promise<string> {
  const body = JSON.stringify({ graph_id: graph, limit: 1, sort_by: "created_at", sort_order: "asc" });
  const response = await fetch(`${berth.url}/assistants/search`, { method: "POST", body });
  const [assistant] = (await response.json()) as { assistant_id: string }[];
  return assistant?.assistant_id ?? "none";
}

describe("the list", () => {
  test("takes its titles from the first words, whichever way they came, until somebody renames", async () => {
    const byCommand = threads.new(APP);
    await byCommand.run("chat", say("by a command"));
    const byRun = threads.new(APP);
    const body = { assistant_id: "chat", input: say("by a run of v1"), if_not_exists: "create" };
    const waiting = { method: "POST", body: JSON.stringify(body) };
    // The headers of a run that takes longer come before its end: it is over once the body is.
    await (await fetch(`${berth.url}/threads/${byRun.id}/runs/wait`, waiting)).json();
    const byHand = threads.new(APP);
    await byHand.call("POST", "/state", { values: say("by hand") });
    const empty = threads.new(APP);
    await empty.call("POST", "/state", { values: { messages: [] } });
    expect((await list()).slice(0, 4).map(({ id, title }) => [id, title])).toEqual([
      [empty.id, "New conversation"],
      [byHand.id, "by hand"],
      [byRun.id, "by a run of v1"],
      [byCommand.id, "by a command"],
    ]);
    const before = await entry(byCommand);
    const renamed = await byCommand.call("PATCH", "", { title: "  Ärger  " });
    expect(renamed).toMatchObject({ status: 200, body: { ...before, title: "Ärger" } });
    await byCommand.run("chat", say("more words"));
    expect((await list("?limit=1"))[0]).toMatchObject({ id: byCommand.id, title: "Ärger", status: "idle" });
    expect((await list("?q=ARGER")).map(({ id }) => id)).toEqual([byCommand.id]);
    expect(await list("?q=nobody%20said%20that")).toEqual([]);
    expect((await list("?limit=2&offset=1")).map(({ id }) => id)).toEqual([empty.id, byHand.id]);
  });

  test("a thread that nobody has cannot be renamed", async () => {
    const answer = await threads.new(APP).call("PATCH", "", { title: "x" });
    expect(answer).toMatchObject({ status: 404, body: { error: "not_found" } });
  });
});

describe("an assistant that is not named, or not known,", () => {
  test("is the one of the thread's last run, and on a new thread that of the first graph", async () => {
    const thread = threads.new(APP);
    await thread.run("_", say("hello"));
    expect(await assistantOf(thread)).toBe(await assistantNamed("chat"));
    await thread.run("tool", say("weather"));
    const tool = await assistantNamed("tool");
    for (const params of [{}, { assistant_id: "_" }, { assistant_id: "nobody's" }, { assistant_id: "" }]) {
      const reply = await thread.command("run.start", { ...params, input: say("again") });
      await thread.settled(reply.result?.run_id ?? "");
      expect(await assistantOf(thread)).toBe(tool);
    }
  });
});

describe("a run", () => {
  test("is stopped with 204, also when it is over already; an unknown one is 404", async () => {
    const thread = threads.new(APP);
    const run = await thread.start("chat", say("words 500 pace 20"));
    expect((await thread.cancel(run)).status).toBe(204);
    await until("it stops", async () => (await entry(thread))?.status !== "busy");
    expect((await thread.cancel(run)).status).toBe(204);
    expect((await thread.call("POST", `/runs/${run}/cancel?wait=1`)).status).toBe(204);
    expect(await thread.cancel(thread.id)).toMatchObject({ status: 404, body: { error: "not_found" } });
  });

  test("that was stopped leaves nothing next, for a chat that would wait for it", async () => {
    const thread = threads.new(APP);
    const run = await thread.start("chat", say("words 500 pace 20"));
    expect((await thread.state()).next).not.toEqual([]);
    await thread.call("POST", `/runs/${run}/cancel?wait=1`);
    const shown = await thread.state();
    expect(shown.next).toEqual([]);
    expect(shown.tasks).not.toEqual([]);
    const raw = await (await fetch(`${berth.url}/threads/${thread.id}/state`)).json();
    expect(raw).toMatchObject({ next: shown.tasks.map(({ name }) => name) });
  });

  test("that failed leaves nothing next, one that asks does", async () => {
    const failed = threads.new(APP);
    await failed.run("error", say("boom"));
    expect((await failed.state()).next).toEqual([]);
    const asking = threads.new(APP);
    await asking.run("interrupt", say("go"));
    expect((await asking.state()).next).toEqual(["approve"]);
  });
});

test("an interrupt is answered once, however many tabs answer it", async () => {
  const thread = threads.new(APP);
  await thread.run("interrupt", say("go"));
  const [interrupt_id] = await thread.pending();
  expect((await entry(thread))?.waiting).toBe(true);
  const answer = () => thread.command("input.respond", { namespace: [], interrupt_id, response: "yes" });
  const replies = await Promise.all([answer(), answer(), answer()]);
  expect(replies.map(({ type }) => type).sort()).toEqual(["error", "error", "success"]);
  const refused = replies.filter(({ type }) => type === "error");
  expect(refused).toMatchObject([{ error: "no_such_interrupt" }, { error: "no_such_interrupt" }]);
  await until("it is over", async () => (await entry(thread))?.status === "idle");
  expect((await entry(thread))?.waiting).toBe(false);
  expect((await thread.state()).values.log).toEqual(["draft", 'answer: "yes"']);
});

test("bootstrapping twice at once makes one state, and a third time changes nothing", async () => {
  const thread = threads.new(APP);
  const make = () => thread.call("POST", "/state", { values: { messages: [] } });
  const [one, two] = await Promise.all([make(), make()]);
  expect(two?.body).toEqual(one?.body);
  await thread.run("chat", say("hello"));
  const state = await thread.state();
  expect((await make()).body).toEqual(JSON.parse(JSON.stringify(state)));
});

test("an edit of a checkpoint that is none is a 404, and makes no thread", async () => {
  const thread = threads.new(APP);
  const answer = await thread.call("POST", "/state", { values: {}, checkpoint_id: "no such" });
  expect(answer.status).toBe(404);
  expect((await thread.call("GET", "/state")).status).toBe(404);
});
