import { join } from "node:path";
import { ROOT } from "./options.ts";
import { ENVIRONMENT } from "./servers.ts";
import type { Figures, Job, Target } from "./worker/job.ts";

const WORKER_LIMIT_MS = 240_000;

/** A process that measures one target, job after job. It stays, so that what it calls in itself stays warm. */
export class Labourer {
  readonly #process: Bun.Subprocess<"pipe", "pipe", "pipe">;
  readonly #answers: AsyncIterator<string>;
  #errors = "";

  /** @param root whose sources the jobs use that run Berth's code in the worker itself */
  constructor(target: Target, root = ROOT) {
    const command = [process.execPath, join(root, "tests/bench/worker/main.ts"), JSON.stringify(target)];
    this.#process = Bun.spawn(command, { env: ENVIRONMENT, stdin: "pipe", stdout: "pipe", stderr: "pipe" });
    this.#answers = linesOf(this.#process.stdout);
    this.#listen();
  }

  /**
   * Does one job. The next job of the same measure finds what the one before has prepared.
   * @throws Error the job failed, or took too long; the process is gone then
   */
  async work(job: Job, isSame = false, limitMs = WORKER_LIMIT_MS): Promise<Figures> {
    const late = setTimeout(() => this.#process.kill("SIGKILL"), limitMs);
    try {
      this.#process.stdin.write(`${JSON.stringify({ job, isSame })}\n`);
      this.#process.stdin.flush();
      const { value, done } = await this.#answers.next();
      if (done) throw new Error(this.#errors.trim().slice(-1000) || `no answer in ${limitMs} ms`);
      return JSON.parse(value);
    } finally {
      clearTimeout(late);
    }
  }

  async end(): Promise<void> {
    this.#process.kill("SIGKILL");
    await this.#process.exited;
  }

  async #listen(): Promise<void> {
    const decoder = new TextDecoder();
    for await (const bytes of this.#process.stderr) this.#errors += decoder.decode(bytes, { stream: true });
  }
}

/** Has one job done by a process of its own. */
export async function labour(target: Target, job: Job, root = ROOT): Promise<Figures> {
  const labourer = new Labourer(target, root);
  try {
    return await labourer.work(job);
  } finally {
    await labourer.end();
  }
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, undefined> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const bytes of stream) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
}
