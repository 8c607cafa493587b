import { HttpAgentServerAdapter } from "@langchain/react";
import { SIGNED_OUT } from "../api/index.ts";
import { matches, record, type WireEvent, type WireFilter } from "./protocol.ts";
import { type Backfill, OlderEvents } from "./run-log.ts";
import type { ThreadSocket } from "./thread-socket.ts";

/** What every run of a thread is started with, beside its input. */
export type RunSettings = {
  assistantId: string | undefined;
  context: Record<string, unknown>;
  configurable: Record<string, unknown>;
};

export type ThreadAdapterOptions = {
  threadId: string;
  /** Address of the server, no slash at the end. */
  server: string;
  socket: ThreadSocket;
  backfill: Backfill;
  /** Read when a run starts, so that a change needs no new stream. */
  settings: () => RunSettings;
  /** A thread that nobody has saved yet: there is no state to ask for. */
  isDraft: () => boolean;
  /** The thread does not exist, although its address says so. */
  onMissing: () => void;
};

type Adapter = HttpAgentServerAdapter;

/** How long a message waits for a server that is away before it is given back to its writer. */
const PATIENCE_MS = 30_000;
const STARTS_A_RUN = new Set(["run.start", "input.respond"]);

/**
 * The SDK's HTTP transport, with its event streams carried by the tab's socket: a browser opens six connections to
 * one host at most, and each open stream of each tab would hold one.
 */
export class ThreadAdapter extends HttpAgentServerAdapter {
  #options: ThreadAdapterOptions;

  constructor(options: ThreadAdapterOptions) {
    const { server, threadId } = options;
    super({
      apiUrl: `${server}/api`,
      threadId,
      paths: { stream: (id) => `/threads/${id}/stream` },
      fetch: fetchOver(options),
    });
    this.#options = options;
    this.#followAlways(options);
  }

  /**
   * Without `next`, the SDK follows the thread even while nothing runs on it, and so sees the runs that other tabs
   * start. It would otherwise wait for a run of its own.
   */
  #followAlways({ isDraft, onMissing }: ThreadAdapterOptions): void {
    const read = this.getState;
    if (!read) return;
    this.getState = async <S>() => {
      if (isDraft()) return null;
      const state = await read<S>();
      if (!state) onMissing();
      return state && { ...state, next: undefined };
    };
  }

  override async send(command: Parameters<Adapter["send"]>[0]): ReturnType<Adapter["send"]> {
    if (!STARTS_A_RUN.has(command.method)) return super.send(command);
    // Held back while the server is known to be away: what was never sent cannot run twice.
    await this.#options.socket.connected(PATIENCE_MS);
    try {
      return await super.send(withSettings(command, this.#options.settings()));
    } catch (error) {
      if (!isLostConnection(error)) throw error;
      throw new Error(
        "The connection broke while this was being sent. It may have arrived: look before you send it again.",
      );
    }
  }
}

function withSettings<C extends Parameters<Adapter["send"]>[0]>(command: C, settings: RunSettings): C {
  const params = record(command.params);
  const config = record(params.config);
  const configurable = { ...settings.configurable, ...record(config.configurable) };
  const { assistantId, context } = settings;
  const isStart = command.method === "run.start";
  return {
    ...command,
    params: {
      ...params,
      config: { ...config, configurable },
      keep_stopped: true,
      ...(isStart && assistantId ? { assistant_id: assistantId } : {}),
      ...(Object.keys(context).length > 0 ? { context } : {}),
    },
  };
}

function fetchOver({ socket, backfill }: ThreadAdapterOptions): typeof fetch {
  const older = new OlderEvents(backfill);
  const fetchOrFollow = async (input: Parameters<typeof fetch>[0], init?: RequestInit) => {
    const { pathname } = new URL(input instanceof Request ? input.url : input);
    if (!pathname.endsWith("/stream")) {
      const answer = await fetch(input, init);
      if (answer.status === 401) window.dispatchEvent(new Event(SIGNED_OUT));
      return answer;
    }
    const filter: WireFilter = JSON.parse(String(init?.body));
    return eventStream(socket, filter, older, init?.signal);
  };
  // Bun's type of `fetch` has a `preconnect`, which no caller of this one asks for.
  return Object.assign(fetchOrFollow, { preconnect: () => {} });
}

function isLostConnection(error: unknown): boolean {
  return error instanceof TypeError;
}

const encoder = new TextEncoder();

/**
 * The answer that the SDK expects from `POST …/stream`, fed from the tab's socket: what the newest run has
 * published, then everything live. It ends only when its reader leaves.
 */
export function eventStream(
  socket: ThreadSocket,
  filter: WireFilter,
  older: OlderEvents,
  signal: AbortSignal | null | undefined,
): Response {
  let stop = () => {};
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      const stopped = new AbortController();
      stop = () => stopped.abort();
      signal?.addEventListener("abort", () => {
        if (stopped.signal.aborted) return;
        stop();
        // As a broken connection does: the SDK has asked for it.
        controller.error(signal.reason);
      });
      const send = (json: string) => {
        if (!stopped.signal.aborted) controller.enqueue(encoder.encode(`data: ${json}\n\n`));
      };
      await pour(socket, filter, older, send, stopped.signal);
    },
    cancel: () => stop(),
  });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

/** Sends what was missed, then what happens; live events wait while older ones are still fetched. */
async function pour(
  socket: ThreadSocket,
  filter: WireFilter,
  older: OlderEvents,
  send: (json: string) => void,
  signal: AbortSignal,
): Promise<void> {
  await socket.begun;
  if (signal.aborted) return;
  const kept = socket.log.matching(filter);
  const held: WireEvent[] = [];
  let pass = (event: WireEvent) => {
    held.push(event);
  };
  const stopListening = socket.listen((event) => matches(filter, event) && pass(event));
  signal.addEventListener("abort", stopListening);
  for (const event of await older.before(kept, filter, socket.log)) send(event.json);
  if (signal.aborted) return;
  for (const event of [...kept, ...held]) send(event.json);
  pass = (event) => send(event.json);
}
