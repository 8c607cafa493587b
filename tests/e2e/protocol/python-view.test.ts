import { expect, test } from "bun:test";
import { forEachDoor } from "./doors.ts";
import { ProtocolReader } from "./protocol-reader.ts";
import { say } from "./protocol-thread.ts";
import { servedProtocol } from "./served-protocol.ts";
import { terminals, type WireEvent } from "./wire-event.ts";

const { berth, threads } = servedProtocol();

/** As the Python client says who it is: over HTTP, and with a WebSocket. */
const AGENTS = ["langgraph-sdk-py/0.4.5", "Python/3.11 websockets/16.1.1"];
/** What its `messages` and `tool_calls` ask for, each by itself (`_exact_namespace_params`). */
const rootOnly = (channel: string) => ({ channels: [channel, "lifecycle"], namespaces: [[]], depth: 0 });

const hasEnded = (events: WireEvent[]) => terminals(events).length > 0;
const placesOf = (events: WireEvent[]) => new Set(events.map(({ params }) => params.namespace.length));

forEachDoor((door) => {
  test("the Python client finds tokens and tools in the namespace of their graph", async () => {
    const thread = threads.new(door);
    await thread.run("tool", say("weather"));
    const url = `${berth.url}${door.stream(thread.id)}`;
    for (const agent of AGENTS) {
      for (const channel of ["messages", "tools"]) {
        const reader = await ProtocolReader.open(url, rootOnly(channel), { "user-agent": agent });
        const events = await reader.until("the end", hasEnded);
        expect(placesOf(events)).toEqual(new Set([0]));
        expect(events.filter(({ method }) => method === channel).length).toBeGreaterThan(1);
        reader.close();
      }
    }
    const other = await ProtocolReader.open(url, rootOnly("messages"));
    const events = await other.until("the end", hasEnded);
    expect(new Set(events.map(({ method }) => method))).toEqual(new Set(["lifecycle"]));
    other.close();
  });

  test("it does so on a WebSocket, whose upgrade says only what library it is", async () => {
    const thread = threads.new(door);
    await thread.run("subgraph", say("go"));
    const address = `${berth.url}${door.stream(thread.id)}`.replace(/^http/, "ws");
    const options = { headers: { "user-agent": AGENTS[1] ?? "" } };
    const socket = new WebSocket(address, options as unknown as string[]);
    const events: WireEvent[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    socket.addEventListener("message", ({ data }) => {
      const frame = JSON.parse(String(data));
      if (frame.type === "event") events.push(frame);
      if (hasEnded(events)) resolve();
    });
    await new Promise((open) => socket.addEventListener("open", open, { once: true }));
    const params = { channels: ["messages", "lifecycle"] };
    socket.send(JSON.stringify({ id: 1, method: "subscription.subscribe", params }));
    await promise;
    socket.close();
    const messages = events.filter(({ method }) => method === "messages");
    // Told inside the subgraph, whose node speaks; and nothing of how its node goes on.
    expect(placesOf(messages)).toEqual(new Set([1]));
    expect(events.filter(({ method }) => method === "lifecycle").length).toBe(2);
  });
});
