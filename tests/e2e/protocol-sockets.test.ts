import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type BerthProcess, start } from "./berth-process.ts";
import { berthCommand } from "./command.ts";
import { AGENT, APP } from "./protocol/doors.ts";
import { ProtocolSocket } from "./protocol/protocol-socket.ts";
import { say } from "./protocol/protocol-thread.ts";
import { PROTOCOL_PROJECT, servedProtocol } from "./protocol/served-protocol.ts";

const { berth, threads } = servedProtocol({ env: { MAX_BODY_BYTES: "50000" } });
const ALL = [
  "values",
  "updates",
  "messages",
  "tools",
  "lifecycle",
  "input",
  "checkpoints",
  "tasks",
  "custom",
];

const socketOn = (threadId: string) => ProtocolSocket.open(`${berth.url}${APP.stream(threadId)}`);

describe("a WebSocket of the thread protocol", () => {
  test("keeps one order over its subscriptions, and sends an event once for all of them", async () => {
    const thread = threads.new(APP);
    const socket = await socketOn(thread.id);
    await socket.command("subscription.subscribe", { channels: ["lifecycle", "input"] });
    await socket.command("subscription.subscribe", { channels: ALL });
    await socket.command("subscription.subscribe", { channels: ["messages"], namespaces: [[]], depth: 1 });
    const run = await thread.start("chat", say("words 60 pace 1"));
    await thread.settled(run);
    const isOver = ({ event_id }: { event_id: string }) => event_id.startsWith(`synth:${run}:completed`);
    const seqs = (await socket.until("the end", (events) => events.some(isOver))).map(({ seq }) => seq);
    expect(seqs).toEqual([...new Set(seqs)].sort((one, other) => one - other));
    expect(isOver(socket.events.at(-1) ?? { event_id: "" })).toBe(true);
    socket.close();
  });

  test("answers in turn: the next reply comes behind a replay", async () => {
    const thread = threads.new(APP);
    const events = await thread.run("deep", say("go"));
    const socket = await socketOn(thread.id);
    socket.sendText(JSON.stringify({ id: 7, method: "subscription.subscribe", params: { channels: ALL } }));
    socket.sendText(JSON.stringify({ id: 8, method: "no.such.command" }));
    await socket.reply(8);
    const order = socket.arrivals.map((arrival) => (arrival.type === "event" ? "event" : arrival.id));
    expect(order).toEqual([7, ...events.map(() => "event" as const), 8]);
    socket.close();
  });

  test("refuses commands when too many wait, and goes on", async () => {
    const thread = threads.new(APP);
    await thread.run("chat", say("hello"));
    const socket = await socketOn(thread.id);
    const params = { namespace: [] };
    for (let id = 1; id <= 200; id += 1) socket.sendText(JSON.stringify({ id, method: "state.get", params }));
    await socket.reply(200);
    const replies = socket.arrivals.filter(({ type }) => type !== "event");
    expect(replies).toHaveLength(200);
    const refused = replies.filter((reply) => "error" in reply && reply.error === "unknown_error");
    expect(refused.length).toBeLessThanOrEqual(136);
    expect(await socket.command("state.get", params)).toMatchObject({ type: "success" });
    socket.close();
  });

  test("closes at a frame that is larger than a body may be", async () => {
    const socket = await socketOn(threads.new(APP).id);
    const large = { id: 1, method: "x".repeat(60_000) };
    socket.sendText(JSON.stringify(large));
    expect((await socket.end()).code).not.toBe(1_000);
    expect((await fetch(`${berth.url}/ok`)).status).toBe(200);
  });

  test("opens subscriptions of a lost connection again by their ids, behind what was seen", async () => {
    const thread = threads.new(AGENT);
    const events = await thread.run("chat", say("one"));
    const lost = await socketOn(thread.id);
    const { result } = await lost.command("subscription.subscribe", { channels: ["values", "lifecycle"] });
    lost.close();
    const seen = events.find(({ method }) => method === "values");
    const socket = await socketOn(thread.id);
    const run_id = await newestRun(thread.id);
    const params = { run_id, last_event_id: seen?.event_id };
    const wrong = await socket.command("subscription.reconnect", { ...params, subscriptions: ["mine"] });
    expect(wrong).toMatchObject({ type: "success", result: { restored: false } });
    const subscriptions = [result?.subscription_id];
    const reply = await socket.command("subscription.reconnect", { ...params, subscriptions });
    const missed = events.filter(
      ({ seq, method }) => seq > (seen?.seq ?? 0) && (method === "values" || method === "lifecycle"),
    );
    expect(reply.result).toMatchObject({ restored: true, missed_events: missed.length });
    expect(reply.result).toMatchObject({
      current_namespaces: expect.arrayContaining([{ namespace: [], status: "completed" }]),
    });
    await socket.until("what was missed", (all) => all.length === missed.length);
    expect(socket.events).toEqual(missed);
    socket.close();
  });

  test("is 426 for a request that wants none, and the older stream on its path is still one", async () => {
    const thread = threads.new(APP);
    const answer = await thread.call("GET", "/stream");
    expect(answer).toMatchObject({ status: 426, body: { error: "upgrade_required" } });
    expect((await threads.new(AGENT, thread.id).call("GET", "/stream")).status).toBe(404);
  });
});

async function newestRun(threadId: string): Promise<string | undefined> {
  const runs = (await (await fetch(`${berth.url}/threads/${threadId}/runs`)).json()) as { run_id: string }[];
  return runs[0]?.run_id;
}

describe("with keys", () => {
  let guarded: BerthProcess;
  beforeAll(async () => {
    guarded = await start({ project: PROTOCOL_PROJECT, env: { SERVICE_API_KEY: "the service key" } });
  });
  afterAll(async () => {
    await guarded.stop();
  });

  test("a socket whose key is deleted carries out no further command", async () => {
    const { stdout } = await berthCommand(["keys", "create", "--data", guarded.data, "--name", "test"]);
    const [secret = "", line = ""] = stdout.split("\n");
    const url = `${guarded.url}${APP.stream(crypto.randomUUID())}`.replace(/^http/, "ws");
    const socket = new WebSocket(url, { headers: { "x-api-key": secret } } as unknown as string[]);
    const closed = new Promise<number>((resolve) => {
      socket.addEventListener("close", ({ code }) => resolve(code));
    });
    const answered = () =>
      new Promise<string>((resolve) => {
        socket.addEventListener("message", ({ data }) => resolve(String(data)), { once: true });
      });
    await new Promise((resolve) => socket.addEventListener("open", resolve, { once: true }));
    const command = JSON.stringify({ id: 1, method: "no.such" });
    const first = answered();
    socket.send(command);
    expect(await first).toContain("unknown_command");
    await berthCommand(["keys", "delete", line.split(" ")[1] ?? "", "--data", guarded.data]);
    // A good key is trusted for a few seconds: asked until it is not.
    const asking = setInterval(() => socket.send(command), 200);
    const code = await closed;
    clearInterval(asking);
    expect(code).toBe(4_401);
  });
});
