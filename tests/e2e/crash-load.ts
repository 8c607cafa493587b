import { ask, type Frame, Refused, readFrames } from "./crash-http.ts";
import { type Talk, talk } from "./crash-talks.ts";
import { Workers } from "./crash-workers.ts";

/** Numbers between 0 and 1 that a seed decides (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** What the server said yes to, by kind. */
export type Acknowledged = {
  threads: Map<string, number>;
  assistants: Map<string, string>;
  items: Map<string, number>;
  /** Thread → the marks that state updates wrote, in order. */
  updates: Map<string, string[]>;
  /** Thread → the totals that its runs were created with, in order. */
  counts: Map<string, number[]>;
  runs: { thread_id: string; run_id: string }[];
  streams: { thread_id: string; run_id: string; frames: Frame[]; whole: boolean }[];
  talks: Talk[];
};

const COUNTING_THREADS = 3;
const STREAMS = 3;
const TALKERS = 2;

/** Everything that a server does, at once, until it dies. */
export class Load {
  readonly acknowledged: Acknowledged = {
    threads: new Map(),
    assistants: new Map(),
    items: new Map(),
    updates: new Map(),
    counts: new Map(),
    runs: [],
    streams: [],
    talks: [],
  };
  readonly #workers: Workers;

  /** @param survives whether a failure is one that the load goes on after; without it, it is the server's death */
  constructor(
    private readonly url: string,
    private readonly random: () => number,
    survives?: (error: unknown) => boolean,
  ) {
    this.#workers = new Workers(url, survives);
    this.#workers.add((turn) => this.#createThread(turn));
    this.#workers.add((turn) => this.#createAssistant(turn));
    this.#workers.add((turn) => this.#putItem(turn));
    this.#workers.add(() => this.#update());
    for (let at = 0; at < COUNTING_THREADS; at += 1) this.#workers.add(() => this.#count());
    for (let at = 0; at < STREAMS; at += 1) this.#workers.add(() => this.#stream());
    for (let at = 0; at < TALKERS; at += 1)
      this.#workers.add(() => talk(this.url, this.random, this.acknowledged.talks));
  }

  /** Begins nothing more, and waits until everybody has noticed that the server is gone. */
  stop(): Promise<void> {
    return this.#workers.stop();
  }

  async #createThread(turn: number): Promise<void> {
    const { thread_id } = await ask<{ thread_id: string }>(this.url, "POST", "/threads", {
      metadata: { turn },
    });
    this.acknowledged.threads.set(thread_id, turn);
  }

  async #createAssistant(turn: number): Promise<void> {
    const name = `assistant ${turn}`;
    const body = { graph_id: "steps", name };
    const { assistant_id } = await ask<{ assistant_id: string }>(this.url, "POST", "/assistants", body);
    this.acknowledged.assistants.set(assistant_id, name);
  }

  async #putItem(turn: number): Promise<void> {
    const key = `key-${turn % 50}`;
    await ask(this.url, "PUT", "/store/items", { namespace: ["crash"], key, value: { turn } });
    this.acknowledged.items.set(key, turn);
  }

  /** Updates the state of one thread. */
  async #update(): Promise<void> {
    const { thread_id } = await ask<{ thread_id: string }>(this.url, "POST", "/threads", {
      metadata: { graph_id: "steps" },
    });
    const marks: string[] = [];
    this.acknowledged.updates.set(thread_id, marks);
    for (let turn = 0; turn < 20; turn += 1) {
      const update = { values: { marks: [`u${turn}`] }, as_node: "left" };
      await ask(this.url, "POST", `/threads/${thread_id}/state`, update);
      marks.push(`u${turn}`);
    }
  }

  /** Three runs in a row on one thread, the later ones enqueued behind the first. */
  async #count(): Promise<void> {
    const { thread_id } = await ask<{ thread_id: string }>(this.url, "POST", "/threads", {});
    const totals: number[] = [];
    this.acknowledged.counts.set(thread_id, totals);
    for (let total = 4; total <= 12; total += 4) {
      const durability = this.random() < 0.5 ? "async" : "sync";
      const run = await this.#createRun(thread_id, total, { durability });
      totals.push(total);
      this.acknowledged.runs.push({ thread_id, run_id: run.run_id });
    }
    await ask(this.url, "GET", `/threads/${thread_id}/runs/${this.acknowledged.runs.at(-1)?.run_id}/join`);
  }

  #createRun(threadId: string, total: number, more: object): Promise<{ run_id: string }> {
    const input = { total, pause: 10 + Math.floor(this.random() * 50) };
    return ask(this.url, "POST", `/threads/${threadId}/runs`, { assistant_id: "steps", input, ...more });
  }

  async #stream(): Promise<void> {
    const { thread_id } = await ask<{ thread_id: string }>(this.url, "POST", "/threads", {});
    const response = await fetch(`${this.url}/threads/${thread_id}/runs/stream`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        assistant_id: "steps",
        input: { total: 6, pause: 10 + Math.floor(this.random() * 60) },
        stream_mode: ["values", "updates", "custom"],
        stream_resumable: true,
      }),
    });
    const run_id = response.headers.get("content-location")?.split("/").at(-1);
    if (response.status !== 200 || !run_id) throw new Refused("stream", response.status);
    const stream = { thread_id, run_id, frames: [] as Frame[], whole: false };
    this.acknowledged.counts.set(thread_id, [6]);
    this.acknowledged.runs.push({ thread_id, run_id });
    this.acknowledged.streams.push(stream);
    stream.whole = await readFrames(response, stream.frames);
  }
}
