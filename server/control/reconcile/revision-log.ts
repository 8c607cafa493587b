import { setImmediate as nextTurn } from "node:timers/promises";
import {
  LOG_LINES_PER_WRITE,
  type LogLevel,
  type LogLine,
  type Revision,
  type RevisionLogs,
} from "@berth/store";

export type LogLines = Pick<RevisionLogs, "append" | "read">;

type LineKind = "build" | "deploy";
type Line = Parameters<RevisionLogs["append"]>[0][number];

const FLUSH_MS = 100;
const LONGEST_LINE = 8_192;
/** From here on only the newest lines are remembered, for the end of a build tells why it failed. */
const MOST_LINES = 15_000;
const NEWEST = 1_000;
const TAIL_LINES = 20;

type Owner = Pick<Revision, "id" | "deployment_id">;

/** What is said of a revision while it is being made. Lines are written together; `end` waits for the last. */
export class RevisionLog {
  #lines: Line[] = [];
  #newest: Line[] = [];
  #count = 0;
  #dropped = 0;
  #timer: Timer | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(
    private readonly deps: { log: LogLines; now(): number },
    private readonly revision: Owner,
    private readonly kind: LineKind,
  ) {}

  say(message: string, level: LogLevel = "INFO"): void {
    const { id, deployment_id } = this.revision;
    const text = message.length > LONGEST_LINE ? `${message.slice(0, LONGEST_LINE)}…` : message;
    const line = {
      deployment_id,
      revision_id: id,
      kind: this.kind,
      at: this.deps.now(),
      level,
      message: text,
    };
    this.#count += 1;
    if (this.#count > MOST_LINES) this.#keepNewest(line);
    else this.#lines.push(line);
    this.#timer ??= setTimeout(() => this.#flush(), FLUSH_MS);
  }

  /** Writes what is left. */
  async end(): Promise<void> {
    this.#dropped += Math.max(0, this.#newest.length - NEWEST);
    this.#newest = this.#newest.slice(-NEWEST);
    const [first] = this.#newest;
    if (first && this.#dropped > 0)
      this.#lines.push({ ...first, level: "WARNING", message: `… ${this.#dropped} lines were left out …` });
    this.#lines.push(...this.#newest);
    this.#newest = [];
    this.#flush();
    await this.#writing;
  }

  #keepNewest(line: Line): void {
    this.#newest.push(line);
    // Half of the buffer at once: to shift it for each line would copy it each time.
    if (this.#newest.length < 2 * NEWEST) return;
    this.#newest = this.#newest.slice(-NEWEST);
    this.#dropped += NEWEST;
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const lines = this.#lines;
    this.#lines = [];
    if (lines.length === 0) return;
    // A failed write is told once, by `end`.
    this.#writing = this.#writing.then(() => this.#write(lines));
    this.#writing.catch(() => undefined);
  }

  async #write(lines: Line[]): Promise<void> {
    for (let from = 0; from < lines.length; from += LOG_LINES_PER_WRITE) {
      if (from > 0) await nextTurn();
      await this.deps.log.append(lines.slice(from, from + LOG_LINES_PER_WRITE));
    }
  }
}

/** Writes one line about a revision. */
export async function tell(
  { log, now }: { log: LogLines; now(): number },
  revision: Owner,
  kind: LineKind,
  message: string,
  level: LogLevel = "INFO",
): Promise<void> {
  const about = new RevisionLog({ log, now }, revision, kind);
  about.say(message, level);
  await about.end();
}

/** The last lines that a revision's instances wrote, oldest first; empty where there are none. */
export async function tailOf(log: LogLines, { id, deployment_id }: Owner, from: number): Promise<string> {
  const { lines } = await log.read({
    deploymentId: deployment_id,
    revisionId: id,
    kind: "deploy",
    order: "desc",
    limit: TAIL_LINES,
    from,
  });
  return lines
    .reverse()
    .map(({ message }: LogLine) => message)
    .join("\n");
}
