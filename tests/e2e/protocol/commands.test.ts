import { describe, expect, test } from "bun:test";
import { until } from "../condition.ts";
import { forEachDoor } from "./doors.ts";
import { say } from "./protocol-thread.ts";
import { servedProtocol } from "./served-protocol.ts";
import { conversationOf, hasEnded, runOf, seqsOf, terminals, textOf } from "./wire-event.ts";

const { berth, threads } = servedProtocol();
const runsOf = async (id: string) => (await fetch(`${berth.url}/threads/${id}/runs`)).json();

forEachDoor((door) => {
  describe("run.start", () => {
    test("[1] on a new thread: a success with the command's id and a run id, before the run has ended", async () => {
      const thread = threads.new(door);
      const reply = await thread.command("run.start", { assistant_id: "slow", input: say("go") });
      expect(reply).toMatchObject({ type: "success", id: 1 });
      const run = reply.result?.run_id ?? "";
      expect(run).toMatch(/^[0-9a-f-]{36}$/);
      const reader = await thread.read();
      await reader.until("a token", (events) => events.some(({ method }) => method === "messages"));
      expect(hasEnded(reader.events, run)).toBe(false);
      expect((await thread.cancel(run)).status).toBeLessThan(300);
      await reader.until("the end", (events) => hasEnded(events, run));
    });

    test("[2] applied_through_seq covers earlier runs and this one's start, and nothing that is not there", async () => {
      const thread = threads.new(door);
      const first = await thread.command("run.start", { assistant_id: "chat", input: say("one") });
      const earlier = await thread.settled(first.result?.run_id ?? "");
      const second = await thread.command("run.start", { assistant_id: "chat", input: say("two") });
      const run = second.result?.run_id ?? "";
      expect(second.meta?.thread_id).toBe(thread.id);
      const applied = second.meta?.applied_through_seq ?? -1;
      expect(applied).toBeGreaterThan(Math.max(...seqsOf(earlier)));
      const events = await thread.settled(run);
      expect(applied).toBeLessThanOrEqual(Math.max(...seqsOf(events)));
      const running = events.find((event) => runOf(event) === run && event.params.data.event === "running");
      expect(running?.seq).toBeLessThanOrEqual(applied);
    });

    test("[5] a thread_id in the config does not lead elsewhere", async () => {
      const [thread, other] = [threads.new(door), threads.new(door)];
      const config = { configurable: { thread_id: other.id } };
      await thread.run("chat", say("hello"), { config });
      expect((await thread.state()).values.messages?.map(textOf)).toEqual(["hello", "You said: hello"]);
      expect((await other.call("GET", "/state")).status).toBe(404);
    });

    if (door.name === "app")
      test("[6] any assistant is taken: an unknown one and `_` mean the project's first graph", async () => {
        for (const assistant of ["_", "nobody", undefined]) {
          const thread = threads.new(door);
          const params = { ...(assistant !== undefined && { assistant_id: assistant }), input: say("hello") };
          const reply = await thread.command("run.start", params);
          expect(reply.type).toBe("success");
          expect(conversationOf(await thread.settled(reply.result?.run_id ?? ""))).toEqual([
            "hello",
            "You said: hello",
          ]);
        }
      });
    else
      test("[6] an assistant that is missing or unknown is an error, and no run", async () => {
        const thread = threads.new(door);
        expect(await thread.command("run.start", { input: say("hello") })).toMatchObject({
          type: "error",
          error: "invalid_argument",
          message: expect.any(String),
        });
        const unknown = await thread.command("run.start", { assistant_id: "nobody", input: say("hello") });
        expect(unknown).toMatchObject({ type: "error", message: expect.stringContaining("nobody") });
        const runs = await fetch(`${berth.url}/threads/${thread.id}/runs`);
        expect(runs.status === 404 || (await runs.json()).length === 0).toBe(true);
      });

    test("[8] with input on an interrupted thread it resumes with that input", async () => {
      const thread = threads.new(door);
      await thread.run("interrupt", say("go"));
      const [asked] = await thread.pending();
      expect(asked).toMatch(/^[0-9a-f]{32}$/);
      await thread.run("interrupt", { approved: true });
      const { values, next } = await thread.state();
      expect(next).toEqual([]);
      expect(values.log).toEqual(["draft", 'answer: {"approved":true}']);
    });

    test("[8] with messages on an interrupted thread it is input: nothing is lost, the question is asked anew", async () => {
      const thread = threads.new(door);
      await thread.run("interrupt", say("go", "first"));
      const cancelled = {
        type: "tool",
        tool_call_id: "call",
        content: '{"cancelled": true}',
        id: "given-up",
      };
      const typed = { messages: [cancelled, ...say("something else", "typed").messages] };
      await thread.run("interrupt", typed);
      const { values } = await thread.state();
      expect(values.messages?.map(({ id }) => id)).toEqual(["first", "given-up", "typed"]);
      expect(values.log).toEqual(["draft", "draft"]);
      expect(await thread.pending()).toHaveLength(1);
    });

    test("[8] on a cancelled thread it is a normal run: the new message is in the state", async () => {
      const thread = threads.new(door);
      const run = await thread.start("slow", say("first", "first"));
      const reader = await thread.read();
      await reader.until("a token", (events) => events.some(({ method }) => method === "messages"));
      await thread.cancel(run);
      await reader.until("the end", (events) => hasEnded(events, run));
      await thread.run("chat", say("second", "second"));
      const { values } = await thread.state();
      expect(values.messages?.map(textOf)).toEqual(["first", "second", "You said: second"]);
    });

    test("[9] a checkpoint in the config branches the history there", async () => {
      const thread = threads.new(door);
      await thread.run("chat", say("one", "one"));
      const fork = (await thread.state()).checkpoint?.checkpoint_id;
      await thread.run("chat", say("two", "two"));
      const config = { configurable: { checkpoint_id: fork } };
      await thread.run("chat", say("other", "other"), { config });
      const { values } = await thread.state();
      expect(values.messages?.map(textOf)).toEqual(["one", "You said: one", "other", "You said: other"]);
      const history = await thread.history({ limit: 100 });
      const input = history.find(
        ({ metadata, tasks }) => metadata.source === "input" && tasks[0]?.name === "__start__",
      );
      expect(input?.parent_checkpoint?.checkpoint_id).toBe(fork);
    });

    test("a checkpoint that does not exist is no_such_checkpoint, and no run", async () => {
      const thread = threads.new(door);
      await thread.run("chat", say("one"));
      const config = { configurable: { checkpoint_id: crypto.randomUUID() } };
      const reply = await thread.command("run.start", { assistant_id: "chat", input: say("two"), config });
      expect(reply).toMatchObject({ type: "error", error: "no_such_checkpoint" });
      expect(await runsOf(thread.id)).toHaveLength(1);
    });
  });

  describe("the envelope", () => {
    test("[3] an unknown method is unknown_command, with the command's id", async () => {
      const thread = threads.new(door);
      for (const method of ["run.cancel", "run.input", "nonsense"]) {
        expect(await thread.command(method, {})).toMatchObject({
          type: "error",
          error: "unknown_command",
          message: expect.stringContaining(method),
        });
      }
    });

    test("[4] a broken one is a 4xx with the protocol's error, and no run", async () => {
      const thread = threads.new(door);
      const params = { assistant_id: "chat", input: say("hello") };
      const broken = [
        { id: "1", method: "run.start", params },
        { id: 1.5, method: "run.start", params },
        { id: -1, method: "run.start", params },
        { method: "run.start", params },
        { id: 1, params },
        { id: 1, method: "run.start", params: [] },
        [],
        null,
        '{"id":1,"method":"run.start"',
        "",
      ];
      for (const body of broken) {
        const answer = await thread.call("POST", "/commands", body);
        expect(answer.status).toBe(400);
        expect(answer.body).toMatchObject({
          type: "error",
          error: "invalid_argument",
          message: expect.any(String),
        });
      }
      expect((await thread.call("GET", "/state")).status).toBe(404);
    });

    test("a thread id that is no UUID is a 422", async () => {
      const thread = threads.new(door, "not-a-uuid");
      const body = { id: 1, method: "run.start", params: { assistant_id: "chat", input: say("hello") } };
      expect((await thread.call("POST", "/commands", body)).status).toBe(422);
    });
  });

  describe("input.respond", () => {
    test("[7] without an id or with no responses it is invalid_argument", async () => {
      const thread = threads.new(door);
      await thread.run("interrupt", say("go"));
      for (const params of [{}, { response: 1, namespace: [] }, { responses: [] }, { responses: [{}] }]) {
        expect(await thread.command("input.respond", params)).toMatchObject({
          type: "error",
          error: "invalid_argument",
        });
      }
      expect(await thread.pending()).toHaveLength(1);
    });

    test("a question that was just told may be answered at once", async () => {
      const thread = threads.new(door);
      await thread.start("early-interrupt", {});
      const reader = await thread.read();
      await reader.until("the question", (events) =>
        events.some(({ method }) => method === "input.requested"),
      );
      const asked = reader.events.find(({ method }) => method === "input.requested");
      const params = { namespace: [], interrupt_id: asked?.params.data.interrupt_id, response: "yes" };
      expect(await thread.command("input.respond", params)).toMatchObject({ type: "success" });
      const { values } = await until(
        "the graph to end",
        () => thread.state(),
        ({ next }) => next.length === 0,
      );
      expect(values.log).toEqual(["beside", "answer: yes"]);
    });

    test("[7] with nothing pending it is an error", async () => {
      const thread = threads.new(door);
      const params = { namespace: [], interrupt_id: "0".repeat(32), response: true };
      expect(await thread.command("input.respond", params)).toMatchObject({ type: "error" });
      await thread.run("chat", say("hello"));
      expect(await thread.command("input.respond", params)).toMatchObject({ type: "error" });
      expect((await thread.state()).values.messages).toHaveLength(2);
    });

    test("[7] with an unknown id it is no_such_interrupt, and the interrupt still waits", async () => {
      const thread = threads.new(door);
      await thread.run("interrupt", say("go"));
      const [asked] = await thread.pending();
      const responses = [
        { namespace: [], interrupt_id: asked, response: true },
        { namespace: [], interrupt_id: "0".repeat(32), response: true },
      ];
      const params = { namespace: [], interrupt_id: "nope", response: true };
      for (const wrong of [params, { responses }]) {
        expect(await thread.command("input.respond", wrong)).toMatchObject({
          type: "error",
          error: "no_such_interrupt",
        });
      }
      expect(await thread.pending()).toEqual([asked ?? ""]);
      const right = { namespace: [], interrupt_id: asked, response: "yes" };
      expect(await thread.command("input.respond", right)).toMatchObject({ type: "success", result: {} });
      const reader = await thread.read();
      const ends = await reader.until("the second end", (events) => terminals(events).some(isCompleted));
      expect(JSON.stringify(ends.at(-1)?.params.data)).toContain("completed");
      expect((await thread.state()).values.log).toEqual(["draft", 'answer: "yes"']);
    });

    test("an answer may bring an update and a goto of its own", async () => {
      const thread = threads.new(door);
      await thread.run("interrupt", say("go"));
      const [interrupt_id] = await thread.pending();
      const params = {
        namespace: [],
        interrupt_id,
        response: 1,
        update: { log: ["updated"] },
        goto: "draft",
      };
      expect(await thread.command("input.respond", params)).toMatchObject({ type: "success" });
      const reader = await thread.read();
      await reader.until("asked again", (events) => terminals(events).length >= 1 && lastIsAsked(events));
      expect((await thread.state()).values.log).toContain("updated");
    });

    test("strict_resume with an id that is not waiting runs nothing and tells why", async () => {
      const thread = threads.new(door);
      await thread.run("interrupt", say("go"));
      const [asked] = await thread.pending();
      const lost = "0".repeat(32);
      const params = { namespace: [], interrupt_id: lost, response: 1, strict_resume: true };
      const reply = await thread.command("input.respond", params);
      expect(await thread.pending()).toEqual([asked ?? ""]);
      if (reply.type === "error") expect(reply.error).toBe("no_such_interrupt");
      else {
        const reader = await thread.read();
        const events = await reader.until("refused", (all) =>
          terminals(all).some(({ params: { data } }) => data.event === "failed"),
        );
        const data = terminals(events).at(-1)?.params.data;
        expect(data).toMatchObject({ interrupt_ids: [lost], pending_ids: [asked] });
        expect(data?.reason).toBeString();
      }
    });
  });
});

const isCompleted = ({ params }: { params: { data: { event?: string } } }) =>
  params.data.event === "completed";

function lastIsAsked(events: Parameters<typeof terminals>[0]): boolean {
  return events.filter(({ method }) => method === "input.requested").length >= 2;
}
