import { WAIT_LIMIT_MS } from "../../limits.ts";
import { outline, type WireEvent } from "./wire-event.ts";

export type StreamRequest = {
  channels: string[];
  namespaces?: string[][];
  depth?: number;
  since?: number;
};

export const ALL_CHANNELS = [
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

/** Collects the events of one POST stream as they come. */
export class ProtocolReader {
  readonly events: WireEvent[] = [];
  /** Each event's frame as it came over the wire. */
  readonly frames: string[] = [];
  /** Comments that keep the connection alive. */
  heartbeats = 0;
  /** How the stream ended; undefined while it is open. */
  end: "closed" | "broken" | undefined;
  readonly #abort: AbortController;
  readonly #waiting = new Set<() => void>();

  private constructor(
    readonly response: Response,
    abort: AbortController,
  ) {
    this.#abort = abort;
    void this.#read();
  }

  /** Resolves when the server has answered, with a stream. */
  static async open(
    url: string,
    request: StreamRequest = { channels: ALL_CHANNELS },
    headers: Record<string, string> = {},
  ): Promise<ProtocolReader> {
    const abort = new AbortController();
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "text/event-stream", ...headers },
      body: JSON.stringify(request),
      signal: abort.signal,
    });
    if (response.status !== 200) throw new Error(`POST ${url}: ${response.status} ${await response.text()}`);
    return new ProtocolReader(response, abort);
  }

  /** Resolves when `holds`; what there is by then stays in {@link events}. */
  async until(what: string, holds: (events: WireEvent[]) => boolean): Promise<WireEvent[]> {
    const limit = Date.now() + WAIT_LIMIT_MS;
    while (!holds(this.events)) {
      const left = limit - Date.now();
      if (this.end || left <= 0) {
        const why = this.end ? `the stream is ${this.end}` : `not within ${WAIT_LIMIT_MS} ms`;
        throw new Error(`${what}: ${why}; the last events were\n${outline(this.events)}`);
      }
      await this.#change(left);
    }
    return this.events;
  }

  /** Resolves when the stream has ended. */
  async ended(): Promise<"closed" | "broken"> {
    const limit = Date.now() + WAIT_LIMIT_MS;
    while (this.end === undefined) {
      if (Date.now() > limit) throw new Error(`the stream is still open after ${WAIT_LIMIT_MS} ms`);
      await this.#change(limit - Date.now());
    }
    return this.end;
  }

  close(): void {
    this.#abort.abort();
  }

  #change(limitMs: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        this.#waiting.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, Math.max(1, limitMs));
      this.#waiting.add(wake);
    });
  }

  async #read(): Promise<void> {
    try {
      await this.#collect();
      this.end = "closed";
    } catch {
      this.end = "broken";
    }
    for (const wake of [...this.#waiting]) wake();
  }

  async #collect(): Promise<void> {
    const decoder = new TextDecoder();
    let rest = "";
    let frame: string[] = [];
    for await (const bytes of this.response.body ?? []) {
      const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        if (line.startsWith(":")) this.heartbeats += 1;
        else if (line !== "") frame.push(line);
        else if (frame.length > 0) {
          this.#take(frame);
          frame = [];
        }
      }
      for (const wake of [...this.#waiting]) wake();
    }
  }

  #take(lines: string[]): void {
    const data = lines.filter((line) => line.startsWith("data: ")).map((line) => line.slice(6));
    this.frames.push(lines.join("\n"));
    this.events.push(JSON.parse(data.join("\n")));
  }
}
