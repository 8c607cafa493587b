import { ask, type Frame, Refused, readFrames } from "../crash-http.ts";
import { ends, eventOf, read } from "../crash-talks.ts";
import { Workers } from "../crash-workers.ts";

/** A reader that goes on behind the last event that it has, wherever that is. */
export type Followed = {
  thread_id: string;
  run_id: string;
  frames: Frame[];
  connections: number;
  isOver: boolean;
};

/** A thread that asked, and what was acknowledged of the answer. */
export type Question = { thread_id: string; answer: string; isAnswered: boolean };

type Run = { run_id: string; thread_id: string };

/** So many do the same at once. */
const OF_EACH = 3;

const HEADERS = { "content-type": "application/json" };

/** Whether a failure is what a load balancer and those behind it may answer while something breaks. */
export function isPassing(error: unknown): boolean {
  if (error instanceof Refused) return error.status === 502 || error.status === 503;
  // The connection broke.
  return error instanceof Error && "code" in error;
}

/**
 * Does it again after a failure that passes: what was asked for before may have happened.
 * @param until (of `performance.now`) it may pass
 */
export async function survived<T>(work: () => Promise<T>, until = Number.POSITIVE_INFINITY): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isPassing(error) || performance.now() > until) throw error;
      await Bun.sleep(20);
    }
  }
}

/** What goes on while something breaks, beside the load of the crash tests. */
export class ChaosLoad {
  /** Labels of runs that were acknowledged: on threads, and without one. */
  readonly labels = new Set<string>();
  /** Runs that were acknowledged, and whose end a webhook is told. */
  readonly told: string[] = [];
  /** Runs that fail, and were acknowledged. */
  readonly faulty: string[] = [];
  readonly questions: Question[] = [];
  readonly streams: Followed[] = [];
  readonly threads: Followed[] = [];
  /** Answers to those who waited: what they asked for and what they got. */
  readonly waited: { label: string; labels: unknown }[] = [];
  readonly #workers: Workers;

  /**
   * @param file where runs write down that they were executed
   * @param webhook who is told of their ends
   */
  constructor(
    private readonly url: string,
    private readonly random: () => number,
    private readonly place: { file: string; webhook: string },
  ) {
    this.#workers = new Workers(url, isPassing);
    for (let at = 0; at < OF_EACH; at += 1) {
      this.#workers.add(() => this.#onThread());
      this.#workers.add(() => this.#stateless());
      this.#workers.add(() => this.#waiting());
      this.#workers.add(() => this.#asking());
      this.#workers.add(() => this.#following());
      this.#workers.add(() => this.#followingThread());
    }
    this.#workers.add((turn) => this.#failing(turn));
  }

  stop(): Promise<void> {
    return this.#workers.stop();
  }

  /** How many readers are in the middle of what they follow. */
  get reading(): number {
    return [...this.streams, ...this.threads].filter(({ frames, isOver }) => frames.length > 1 && !isOver)
      .length;
  }

  #marked(pauseMs: number): { label: string; body: object } {
    const label = crypto.randomUUID();
    const pause = Math.floor(this.random() * pauseMs);
    return { label, body: { assistant_id: "marked", input: { file: this.place.file, label, pause } } };
  }

  async #newThread(): Promise<string> {
    return (await ask<Run>(this.url, "POST", "/threads", {})).thread_id;
  }

  async #onThread(): Promise<void> {
    const thread_id = await this.#newThread();
    for (let turn = 0; turn < 3; turn += 1) {
      const { label, body } = this.#marked(2_500);
      const { webhook } = this.place;
      const { run_id } = await ask<Run>(this.url, "POST", `/threads/${thread_id}/runs`, { ...body, webhook });
      this.labels.add(label);
      this.told.push(run_id);
    }
  }

  async #stateless(): Promise<void> {
    const { label, body } = this.#marked(600);
    const { webhook } = this.place;
    const { run_id } = await ask<Run>(this.url, "POST", "/runs", { ...body, webhook });
    this.labels.add(label);
    this.told.push(run_id);
    await Bun.sleep(this.random() * 50);
  }

  async #waiting(): Promise<void> {
    const { label, body } = this.#marked(100);
    const values = await ask<{ labels?: unknown }>(this.url, "POST", "/runs/wait", body);
    this.waited.push({ label, labels: values.labels });
  }

  async #asking(): Promise<void> {
    const thread_id = await this.#newThread();
    const path = `/threads/${thread_id}/runs/wait`;
    const asked = await ask<{ __interrupt__?: unknown[] }>(this.url, "POST", path, {
      assistant_id: "asking",
      input: {},
    });
    if (!asked.__interrupt__) throw new Error(`it did not ask: ${JSON.stringify(asked)}`);
    const question = { thread_id, answer: crypto.randomUUID(), isAnswered: false };
    this.questions.push(question);
    const command = { resume: question.answer };
    await ask(this.url, "POST", path, { assistant_id: "asking", command });
    question.isAnswered = true;
  }

  async #failing(turn: number): Promise<void> {
    const body = { assistant_id: "faulty", input: { order: turn } };
    const { run_id } = await ask<Run>(this.url, "POST", `/threads/${await this.#newThread()}/runs`, body);
    this.faulty.push(run_id);
    await Bun.sleep(100 + this.random() * 200);
  }

  #steps(): object {
    const input = { total: 8, pause: 10 + Math.floor(this.random() * 60) };
    return { assistant_id: "steps", input, stream_mode: ["values", "custom"], stream_resumable: true };
  }

  /** Follows a run by the ids of its events, at whichever Berth the balancer picks. */
  async #following(): Promise<void> {
    const thread_id = await this.#newThread();
    const path = `/threads/${thread_id}/runs`;
    const { run_id } = await ask<Run>(this.url, "POST", path, this.#steps());
    const one: Followed = { thread_id, run_id, frames: [], connections: 0, isOver: false };
    this.streams.push(one);
    for (let isWhole = false; !isWhole; ) {
      isWhole = await survived(async () => {
        one.connections += 1;
        const after = one.frames.at(-1)?.id ?? "-1";
        const response = await fetch(`${this.url}${path}/${run_id}/stream`, {
          headers: { "last-event-id": after },
        });
        if (response.status !== 200) throw new Refused("stream", response.status, await response.text());
        return readFrames(response, one.frames);
      });
    }
    one.isOver = true;
  }

  /** Follows a thread by the numbers of the protocol's events. */
  async #followingThread(): Promise<void> {
    const thread_id = await this.#newThread();
    const { run_id } = await ask<Run>(this.url, "POST", `/threads/${thread_id}/runs`, this.#steps());
    const one: Followed = { thread_id, run_id, frames: [], connections: 0, isOver: false };
    this.threads.push(one);
    const isOver = () => ends(one.frames).some(({ run }) => run === run_id);
    while (!isOver()) {
      await survived(() => {
        one.connections += 1;
        const last = one.frames.at(-1);
        return read(this.url, thread_id, last ? eventOf(last).seq : 0, one.frames, isOver);
      });
    }
    one.isOver = true;
  }

  /** Subscribes to the issues that failing runs open; gives the secret. */
  static async subscribe(url: string, receiver: string): Promise<string> {
    const body = JSON.stringify({
      url: receiver,
      severity_threshold: 3,
      event_types: ["issue.created", "issue.trace.added"],
    });
    const response = await fetch(`${url}/v1/issue-webhooks`, { method: "POST", headers: HEADERS, body });
    const answer = (await response.json()) as { secret?: string };
    if (!answer.secret) throw new Error(`no subscription: ${JSON.stringify(answer)}`);
    return answer.secret;
  }
}
