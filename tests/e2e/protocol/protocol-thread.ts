import type { Door } from "./doors.ts";
import { ALL_CHANNELS, ProtocolReader, type StreamRequest } from "./protocol-reader.ts";
import { hasEnded, type WireEvent, type WireMessage } from "./wire-event.ts";

export type Reply = {
  type: "success" | "error";
  id: number | null;
  result?: {
    run_id?: string;
    thread_id?: string;
    values?: Record<string, unknown>;
    checkpoints?: { id: string; step: number; timestamp: unknown }[];
    tree?: Tree;
    subscription_id?: string;
    replayed_events?: number;
  };
  error?: string;
  message?: string;
  meta?: { thread_id?: string; applied_through_seq?: number };
};

export type Tree = { namespace: string[]; status: string; graph_name: string; children?: Tree[] };

export type ThreadState = {
  values: { messages?: WireMessage[]; [key: string]: unknown };
  next: string[];
  tasks: { id: string; name: string; interrupts: { id: string; value: unknown }[]; path?: unknown[] }[];
  checkpoint: { checkpoint_id: string; checkpoint_ns: string } | null;
  parent_checkpoint: { checkpoint_id: string } | null;
  metadata: { step: number; source: string };
  created_at: string | null;
};

export type Answer = { status: number; text: string; body: unknown };

const human = (text: string, id: string) => ({ type: "human", content: text, id });

/** The input of a chat: one message of a person. */
export const say = (text: string, id: string = crypto.randomUUID()) => ({ messages: [human(text, id)] });

/** One thread behind one door, as a client without an SDK uses it. */
export class ProtocolThread {
  #commands = 0;
  readonly #readers: ProtocolReader[] = [];

  constructor(
    readonly url: string,
    readonly door: Door,
    readonly id: string = crypto.randomUUID(),
  ) {}

  get path(): string {
    return `${this.door.prefix}/threads/${this.id}`;
  }

  async call(method: string, path: string, body?: unknown): Promise<Answer> {
    const response = await fetch(`${this.url}${this.path}${path}`, {
      method,
      ...(body !== undefined && {
        headers: { "content-type": "application/json" },
        body: typeof body === "string" ? body : JSON.stringify(body),
      }),
    });
    const text = await response.text();
    let parsed: unknown;
    try {
      parsed = JSON.parse(text);
    } catch {
      parsed = undefined;
    }
    return { status: response.status, text, body: parsed };
  }

  /** Sends a command and gives the reply, which may be an error of the protocol. */
  async command(method: string, params?: unknown): Promise<Reply> {
    this.#commands += 1;
    const id = this.#commands;
    const { status, text, body } = await this.call("POST", "/commands", { id, method, params });
    if (status !== 200) throw new Error(`${method}: ${status} ${text}`);
    const reply = body as Reply;
    if (reply.id !== id) throw new Error(`${method}: the reply to ${id} has the id ${reply.id}`);
    return reply;
  }

  /** Starts a run and gives its id. */
  async start(assistant: string, input: unknown, more: object = {}): Promise<string> {
    const reply = await this.command("run.start", { assistant_id: assistant, input, ...more });
    const run = reply.result?.run_id;
    if (!run) throw new Error(`run.start: ${JSON.stringify(reply)}`);
    return run;
  }

  /** Opens a stream; it is closed by {@link close} at the latest. */
  async read(
    request: Partial<StreamRequest> = {},
    headers: Record<string, string> = {},
  ): Promise<ProtocolReader> {
    const whole = { channels: ALL_CHANNELS, ...request };
    const reader = await ProtocolReader.open(`${this.url}${this.door.stream(this.id)}`, whole, headers);
    this.#readers.push(reader);
    return reader;
  }

  /** Waits for a run's end and gives everything that a new reader then sees of the thread. */
  async settled(runId: string): Promise<WireEvent[]> {
    const reader = await this.read();
    const events = [...(await reader.until(`the end of run ${runId}`, (all) => hasEnded(all, runId)))];
    reader.close();
    return events;
  }

  /** Starts a run, waits for its end, and gives the thread's events. */
  async run(assistant: string, input: unknown, more: object = {}): Promise<WireEvent[]> {
    return this.settled(await this.start(assistant, input, more));
  }

  async state(): Promise<ThreadState> {
    const { status, text, body } = await this.call("GET", "/state");
    if (status !== 200) throw new Error(`GET state: ${status} ${text}`);
    return body as ThreadState;
  }

  async history(query: object = {}): Promise<ThreadState[]> {
    const { status, text, body } = await this.call("POST", "/history", query);
    if (status !== 200) throw new Error(`POST history: ${status} ${text}`);
    return body as ThreadState[];
  }

  /** The ids of the interrupts that wait for an answer. */
  async pending(): Promise<string[]> {
    const { tasks } = await this.state();
    return tasks.flatMap(({ interrupts }) => interrupts.map(({ id }) => id));
  }

  cancel(runId: string): Promise<Answer> {
    return this.call("POST", `/runs/${runId}/cancel?wait=0&action=interrupt`);
  }

  /** Leaves every stream that was opened. */
  close(): void {
    for (const reader of this.#readers) reader.close();
  }
}

/** Threads for the tests of a file; each is left when its test is over. */
export class ProtocolThreads {
  readonly #made: ProtocolThread[] = [];

  constructor(private readonly berth: { readonly url: string }) {}

  new(door: Door, id?: string): ProtocolThread {
    const thread = new ProtocolThread(this.berth.url, door, id);
    this.#made.push(thread);
    return thread;
  }

  close(): void {
    for (const thread of this.#made.splice(0)) thread.close();
  }
}
