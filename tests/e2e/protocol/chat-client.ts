import { describe } from "bun:test";
import * as Client1_15 from "@langchain/langgraph-sdk/client";
import * as Stream1_15 from "@langchain/langgraph-sdk/stream";
import * as Client1_11 from "langgraph-sdk-1-11/client";
import * as Stream1_11 from "langgraph-sdk-1-11/stream";
import { WAIT_LIMIT_MS } from "../../limits.ts";
import { AGENT, APP, type Door } from "./doors.ts";
import { textOf, type WireMessage } from "./wire-event.ts";

type Sdk = typeof Client1_15 & Pick<typeof Stream1_15, "StreamController" | "messagesProjection">;

// Private fields make the same class of two packages different types; the tests hold them to one.
const SDKS: Record<string, Sdk> = {
  "1.15.0": { ...Client1_15, ...Stream1_15 } as Sdk,
  "1.11.0": { ...Client1_11, ...Stream1_11 } as unknown as Sdk,
};

const TRANSPORTS = ["sse", "websocket"] as const;
type Transport = (typeof TRANSPORTS)[number];

type Values = { messages?: WireMessage[] };
type Controller = InstanceType<typeof Stream1_15.StreamController<Values>>;
export type Snapshot = ReturnType<Controller["rootStore"]["getSnapshot"]>;

/** The official client as a page uses it: through which door, over what, and which version of it. */
export class ChatClient {
  /** Requests for event streams so far. */
  streams = 0;
  readonly #open: Chat[] = [];

  constructor(
    readonly sdk: Sdk,
    readonly door: Door,
    readonly transport: Transport,
    private readonly berth: Served,
  ) {}

  /** One page on a thread: a controller, as `useStream` makes it, with the thread's state read. */
  async chat(threadId: string, assistantId: string): Promise<Chat> {
    const client = new this.sdk.Client<Values>({ apiUrl: this.#apiUrl });
    const transport = this.#adapter(threadId);
    const controller: Controller = new this.sdk.StreamController<Values>({
      assistantId,
      client,
      threadId,
      fetch: this.#fetch,
      transport: transport ?? this.transport,
    });
    const chat = new Chat(controller);
    this.#open.push(chat);
    await controller.hydrate(threadId);
    return chat;
  }

  /** The same without a page's state: what a script uses. */
  thread(threadId: string, assistantId: string) {
    const client = new this.sdk.Client({ apiUrl: this.#apiUrl });
    return client.threads.stream(threadId, {
      assistantId,
      fetch: this.#fetch,
      transport: this.#adapter(threadId) ?? this.transport,
    });
  }

  async close(): Promise<void> {
    for (const chat of this.#open.splice(0)) await chat.controller.dispose();
  }

  get #apiUrl(): string {
    return this.berth.url + this.door.prefix;
  }

  /** The app's paths need an adapter of its own; the Agent Server's are the client's default. */
  #adapter(threadId: string) {
    if (this.door === AGENT) return undefined;
    const paths = { stream: `/threads/${threadId}/stream` };
    const at = { apiUrl: this.#apiUrl, threadId, paths };
    // The adapter for both says that it can open single streams also where it speaks over a socket, and then throws.
    return this.transport === "websocket"
      ? new this.sdk.ProtocolWebSocketTransportAdapter({
          ...at,
          webSocketFactory: (url) => new WebSocket(url),
        })
      : new this.sdk.HttpAgentServerAdapter({ ...at, fetch: this.#fetch });
  }

  readonly #fetch = Object.assign(
    (...[input, init]: Parameters<typeof fetch>) => {
      if (init?.method === "POST" && /\/stream(\/events)?$/.test(String(input))) this.streams += 1;
      return fetch(input, init);
    },
    { preconnect: fetch.preconnect },
  );
}

/** What a person sees of a thread. */
export class Chat {
  /** Every text of the newest answer that was ever shown. */
  readonly shown: string[] = [];

  constructor(readonly controller: Controller) {
    controller.rootStore.subscribe(() => {
      const last = this.now.messages.at(-1);
      if (last?.type === "ai" && last.text !== this.shown.at(-1)) this.shown.push(last.text);
    });
  }

  get now(): Snapshot {
    return this.controller.rootStore.getSnapshot();
  }

  get texts(): string[] {
    return this.now.messages.map((message) => textOf(message as unknown as WireMessage));
  }

  /** Says something and waits, as the client does, for the end of the run. */
  say(text: string, more: object = {}): Promise<void> {
    return this.controller.submit({ messages: [{ type: "human", content: text }] }, more);
  }

  /**
   * Resolves when these messages are seen. The client hears of the end of a run on one stream and of messages on
   * another, and passes on what it has got a moment later.
   */
  async shows(texts: string[]): Promise<void> {
    const wanted = JSON.stringify(texts);
    await this.until(`to see ${wanted}`, () => JSON.stringify(this.texts) === wanted);
  }

  /** Resolves when what is seen is what is waited for. */
  async until(
    what: string,
    holds: (snapshot: Snapshot) => boolean,
    limitMs = WAIT_LIMIT_MS,
  ): Promise<Snapshot> {
    const store = this.controller.rootStore;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const look = () => {
      if (holds(store.getSnapshot())) resolve(true);
    };
    const leave = store.subscribe(look);
    const timer = setTimeout(() => resolve(false), limitMs);
    look();
    const seen = await promise;
    clearTimeout(timer);
    leave();
    if (!seen) throw new Error(`${what}: still ${JSON.stringify(seenOf(this.now))} after ${limitMs} ms`);
    return this.now;
  }
}

function seenOf({ isLoading, error, interrupts, messages }: Snapshot) {
  return { isLoading, error: String(error), interrupts, texts: messages.map(({ text }) => text.slice(-80)) };
}

type Served = { readonly url: string };

/** Each version of the client, behind each door, over each transport. */
export function clientsOf(berth: Served): Record<string, ChatClient> {
  const named = Object.entries(SDKS).flatMap(([version, sdk]) =>
    [AGENT, APP].flatMap((door) =>
      TRANSPORTS.map((transport) => [
        `SDK ${version}, ${door.name} door, ${transport}`,
        new ChatClient(sdk, door, transport, berth),
      ]),
    ),
  );
  return Object.fromEntries(named);
}

/** Defines the same tests for each of {@link clientsOf}. */
export function forEachClient(berth: Served, define: (client: ChatClient, name: string) => void): void {
  for (const [name, client] of Object.entries(clientsOf(berth))) describe(name, () => define(client, name));
}
