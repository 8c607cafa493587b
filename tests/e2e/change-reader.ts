import { until } from "./condition.ts";

/** One event of `/v1/changes`. */
export type ChangeEvent = { id: number; event: string; data: Record<string, unknown> & { id: string } };

type Options = {
  key: string;
  /** Which event to begin behind; without it, with what comes next. */
  since?: number;
  /** Breaks its connection behind each event. */
  breaks?: boolean;
};

/** Follows the changes of a workspace; whenever a connection ends it goes on behind the last event it has. */
export class ChangeReader {
  readonly events: ChangeEvent[] = [];
  /** How often it had to go on behind an event. */
  resumed = 0;
  #stop = new AbortController();
  #done: Promise<void>;

  constructor(
    private readonly url: () => string,
    private readonly options: Options,
  ) {
    this.#done = this.#follow();
  }

  /** Every status that a revision is told to have, in order. */
  statusesOf(revisionId: string): unknown[] {
    return this.of(revisionId).map(({ data }) => data.status);
  }

  /** The events of one revision or deployment. */
  of(id: string): ChangeEvent[] {
    return this.events.filter(({ data }) => data.id === id);
  }

  /** Waits until it has the event with this number, or a later one. */
  async past(id: number): Promise<void> {
    await until(
      `event ${id}`,
      async () => this.events.at(-1)?.id ?? 0,
      (last) => last >= id,
    );
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#done;
  }

  async #follow(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      // A Berth that was killed answers nobody, or breaks off.
      await this.#connect().catch(() => undefined);
      await Bun.sleep(1);
    }
  }

  async #connect(): Promise<void> {
    const last = this.events.at(-1)?.id;
    const { key, since, breaks } = this.options;
    const query = since === undefined ? "" : `?since=${since}`;
    const headers = { "x-api-key": key, ...(last !== undefined && { "last-event-id": String(last) }) };
    const connection = new AbortController();
    const signal = AbortSignal.any([this.#stop.signal, connection.signal]);
    const { body, ok } = await fetch(`${this.url()}/v1/changes${query}`, { headers, signal });
    if (!ok || !body) return;
    if (last !== undefined) this.resumed += 1;
    let rest = "";
    for await (const text of body.pipeThrough(new TextDecoderStream())) {
      const frames = (rest + text).split("\n\n");
      rest = frames.pop() ?? "";
      for (const frame of frames) {
        this.events.push(eventOf(frame));
        if (breaks) return connection.abort();
      }
    }
  }
}

function eventOf(frame: string): ChangeEvent {
  const [, id, event = "", data = ""] =
    /^(?:: heartbeat\n)*id: (\d+)\nevent: (\w+)\ndata: (.*)$/.exec(frame) ?? [];
  if (id === undefined) throw new Error(`no event: ${frame}`);
  return { id: Number(id), event, data: JSON.parse(data) };
}
