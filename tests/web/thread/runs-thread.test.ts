import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { agentServer } from "../../../web/source/agent-server.ts";
import { record, type WireEvent } from "../../../web/thread/protocol.ts";
import { commandOf } from "../../../web/thread/runs-adapter.ts";
import { RunsThread } from "../../../web/thread/runs-thread.ts";
import { until } from "../../e2e/condition.ts";
import { freePort } from "../../free-port.ts";

const ASSISTANT = "11111111-2222-4333-8444-555555555555";
const PROGRAM = join(import.meta.dir, "..", "..", "e2e", "container-image", "agent-server.ts");

let server: string;
let child: Bun.Subprocess;
beforeAll(async () => {
  const port = freePort();
  server = `http://127.0.0.1:${port}`;
  child = Bun.spawn([process.execPath, PROGRAM], {
    env: { PORT: String(port), HOST: "127.0.0.1" },
    stdio: ["ignore", "ignore", "inherit"],
  });
  await until("the server", async () => (await fetch(`${server}/ok`).catch(() => undefined))?.ok === true);
});
afterAll(() => child.kill());

const opened: RunsThread[] = [];
afterEach(() => {
  for (const thread of opened.splice(0)) thread.stop();
});

/** A thread that is open, and what it told. */
function open(threadId = Bun.randomUUIDv7(), isDraft = true, address = server) {
  const thread = new RunsThread({ threadId, server: address, isDraft: () => isDraft });
  opened.push(thread);
  const events: WireEvent[] = [];
  thread.listen((event) => events.push(event));
  thread.start();
  const say = async (content: string) => {
    await thread.begun;
    return thread.run(ASSISTANT, { input: { messages: [{ role: "user", content }] } });
  };
  const ended = () =>
    until(
      "the end of the run",
      async () => thread.log.lastRun,
      (run) => run !== undefined && run.status !== "running",
    );
  return { threadId, thread, events, say, ended };
}

test("who is talked to before the list is known is who leads the list", async () => {
  const asked: unknown[] = [];
  const list = Bun.serve({
    port: 0,
    fetch: async (request) => {
      asked.push(await request.json());
      const of = (assistant_id: string, metadata: object) => ({ assistant_id, graph_id: "chat", metadata });
      return Response.json([of("older", {}), of("of-the-server", { created_by: "system" })]);
    },
  });
  const { thread } = open(undefined, true, `http://127.0.0.1:${list.port}`);
  expect(await thread.firstAssistant()).toBe("of-the-server");
  expect(asked).toMatchObject([agentServer.assistantsAt.body]);
  await list.stop(true);
});

/** The server behind something that loses the answer to the first run that was started. */
async function losingFront() {
  let hasLost = false;
  const front = createServer(async (request, response) => {
    const { method = "GET", url = "" } = request;
    const body = method === "POST" ? Buffer.concat(await Array.fromAsync(request)) : undefined;
    const headers = { "content-type": "application/json" };
    const answer = await fetch(server + url, { method, headers, ...(body && { body }) });
    if (!hasLost && answer.ok && url.endsWith("/runs/stream")) {
      hasLost = true;
      request.socket.destroy();
      return;
    }
    response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "" });
    for await (const chunk of answer.body ?? []) response.write(chunk);
    response.end();
  });
  await new Promise<void>((resolve) => front.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(front.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      front.closeAllConnections();
      front.close();
    },
  };
}

/** The words of the messages that were told, by how they were told. */
const tokens = (events: readonly WireEvent[]): string =>
  events
    .filter(({ method, data }) => method === "messages" && data.event === "content-block-delta")
    .map(({ data }) => String(record(data.delta).text))
    .join("");
const ofKind = (events: readonly WireEvent[], kind: string) => events.filter(({ method }) => method === kind);

describe("a thread of a server that has the plain API only", () => {
  test("tells a run as it comes, with its tokens, and the state in the end", async () => {
    const { thread, events, say, ended } = open();
    const runId = await say("hello");
    expect(await ended()).toEqual({ runId, status: "completed" });
    expect(tokens(events)).toBe("You said hello.");
    expect(ofKind(events, "values").at(-1)?.data).toMatchObject({
      messages: [{ content: "hello" }, { content: "You said hello." }],
    });
    expect(ofKind(events, "lifecycle").map(({ data }) => data.event)).toEqual(["running", "completed"]);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, at) => at + 1));
    expect(thread.connection).toEqual({ state: "open" });
  });

  test("says what a run failed of", async () => {
    const { say, ended } = open();
    const runId = await say("fail");
    expect(await ended()).toEqual({ runId, status: "failed", error: "the warehouse is closed" });
  });

  test.each([
    ["fail", "Error('the warehouse is closed')"],
    ["fail at the thread", "the warehouse is closed"],
    ["fail untold", "The run failed."],
  ])(
    "says what the server still knows of a run that failed before it was opened: %s",
    async (said, error) => {
      const { threadId, say, ended } = open();
      const runId = await say(said);
      await ended();
      const later = open(threadId, false);
      expect(await later.ended()).toEqual({ runId, status: "failed", error });
    },
  );

  test("asks, and goes on with the answer", async () => {
    const { thread, events, say, ended } = open();
    await say("ask");
    expect((await ended())?.status).toBe("interrupted");
    const [asked] = ofKind(events, "input.requested");
    expect(asked?.data).toMatchObject({ payload: "What is the colour?" });
    expect(thread.asked).toEqual([String(asked?.data.interrupt_id)]);
    await thread.run(ASSISTANT, {
      command: commandOf({ interrupt_id: "any", response: "red" }, thread.asked),
    });
    expect((await ended())?.status).toBe("completed");
    expect(tokens(events)).toBe('The colour is "red".');
    expect(thread.asked).toEqual([]);
  });

  test("joins a run that is under way, from its beginning, and learns that somebody stopped it", async () => {
    const { threadId, say } = open();
    const runId = await say("slow");
    const other = open(threadId, false);
    await until("its words", async () => tokens(other.events).startsWith("word0 word1 word2 "));
    await fetch(`${server}/threads/${threadId}/runs/${runId}/cancel?wait=0&action=interrupt`, {
      method: "POST",
    });
    expect(await other.ended()).toEqual({ runId, status: "interrupted" });
  });

  test("finds a run that another started, when the reader comes back", async () => {
    const { threadId, say, ended } = open();
    await say("one");
    await ended();
    const other = open(threadId, false);
    await other.thread.begun;
    expect(other.thread.log.lastRun?.status).toBe("completed");
    const runId = await say("two");
    await ended();
    other.thread.wake();
    await until("the other's run", async () => other.thread.log.lastRun?.runId === runId);
    await other.ended();
    expect(tokens(other.events)).toBe("You said two.");
  });

  test("finds a run whose start was answered to nobody", async () => {
    await using front = await losingFront();
    const { thread, events, say, ended } = open(Bun.randomUUIDv7(), true, front.url);
    await expect(say("hello")).rejects.toThrow();
    expect(await ended()).toMatchObject({ status: "completed" });
    expect(tokens(events)).toBe("You said hello.");
    expect(thread.connection).toEqual({ state: "open" });
  });

  test("a refused run is refused in the server's words, and nothing is followed", async () => {
    const { thread, events } = open();
    await expect(thread.run("nobody", { input: {} })).rejects.toThrow("No such assistant");
    expect(events).toEqual([]);
  });
});

test("several questions are answered by their ids, one that is alone without", () => {
  expect(commandOf({ interrupt_id: "a", response: 1 }, ["a"])).toEqual({ resume: 1 });
  expect(commandOf({ interrupt_id: "a", response: 1 }, ["a", "b"])).toEqual({ resume: { a: 1 } });
  const responses = [
    { interrupt_id: "a", response: 1 },
    { interrupt_id: "b", response: 2 },
  ];
  expect(commandOf({ responses }, ["a", "b"])).toEqual({ resume: { a: 1, b: 2 } });
});
