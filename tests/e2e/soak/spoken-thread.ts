import { WAIT_LIMIT_MS } from "../../limits.ts";
import { AGENT } from "../protocol/doors.ts";
import { ProtocolThread, say } from "../protocol/protocol-thread.ts";
import { hasEnded, isIncreasing, seqsOf } from "../protocol/wire-event.ts";

/** What one reader saw of a thread from its coming to its leaving. */
export type Visit = { by: string; since: number; seqs: number[]; stayed: boolean };

/** A thread in which one run follows the other, and what readers saw of it. */
export class SpokenThread {
  readonly id = crypto.randomUUID();
  /** Resolves when no further run will come; the thread's log is {@link told} then. */
  readonly over: Promise<void>;
  /** The numbers of all its events, once it is over. */
  told: number[] | undefined;
  readonly #visits: Visit[] = [];

  constructor(
    url: string,
    runs: number,
    private readonly fault: (what: string) => void,
  ) {
    this.over = this.#speak(new ProtocolThread(url, AGENT, this.id), runs).catch((error) => {
      this.told ??= [];
      this.fault(`thread ${this.id}: ${error}`);
    });
  }

  /** Compares what a reader saw with the thread's log: at once, or when that is known. */
  note(visit: Visit): void {
    if (this.told) this.#compare(visit, this.told);
    else this.#visits.push(visit);
  }

  async #speak(thread: ProtocolThread, runs: number): Promise<void> {
    let last = "";
    for (let run = 0; run < runs; run += 1) {
      last = await thread.start("chat", say("words 25 pace 80"));
      await ended(thread, last);
    }
    const reader = await thread.read({ since: 0 });
    const told = seqsOf(await reader.until("the whole log", (events) => hasEnded(events, last)));
    reader.close();
    if (!isIncreasing(told)) this.fault(`thread ${this.id}: its log is out of order`);
    this.told = told;
    for (const visit of this.#visits.splice(0)) this.#compare(visit, told);
  }

  #compare({ by, since, seqs, stayed }: Visit, told: number[]): void {
    const until = stayed ? Number.POSITIVE_INFINITY : (seqs.at(-1) ?? since);
    const expected = told.filter((seq) => seq > since && seq <= until);
    if (expected.length === seqs.length && expected.every((seq, at) => seq === seqs[at])) return;
    const seen = new Set(seqs);
    const lost = expected.filter((seq) => !seen.has(seq)).length;
    this.fault(
      `${by} in ${this.id} since ${since}: ${seqs.length} of ${expected.length} events, ${lost} lost`,
    );
  }
}

async function ended(thread: ProtocolThread, run: string): Promise<void> {
  const limit = Date.now() + WAIT_LIMIT_MS;
  for (;;) {
    const { body } = await thread.call("GET", `/runs/${run}`);
    const { status } = body as { status: string };
    if (status === "success") return;
    if ((status !== "pending" && status !== "running") || Date.now() > limit)
      throw new Error(`run ${run} is ${status}`);
    await Bun.sleep(100);
  }
}
