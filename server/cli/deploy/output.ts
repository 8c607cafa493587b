import { styleText } from "node:util";
import { terminalText } from "../../log/index.ts";

/** How a deployment ended, as far as this command saw it. */
export type DeployOutcome = "succeeded" | "submitted" | "failed" | "timed_out" | "skipped" | "interrupted";

type Result = {
  status: DeployOutcome;
  message: string;
  /** Why it did not succeed, as the server or this command puts it. */
  reason?: string;
  deployment_id?: string;
  revision_id?: string;
  revision_status?: string;
  url?: string;
  status_url?: string;
};

/** Tells how a command gets on: as lines for a person, or as one JSON object per line for a program. */
export interface Output {
  /** The next step begins. */
  step(message: string): void;
  /** More about the step. */
  info(message: string): void;
  /** Something to know that is not about the step. */
  note(message: string): void;
  warn(message: string): void;
  error(message: string): void;
  /** Something goes on that takes a while; shown until the next line, where lines can be taken back. */
  waiting(message: string): void;
  /** The revision's state, at every look at it. */
  status(status: string, elapsedMs: number): void;
  /** The states are over: nothing more is shown as going on. */
  settled(): void;
  upload(sizeMb: string, percent: number): void;
  /** A line of a log. */
  log(line: string): void;
  /**
   * How it ended; nothing is told behind that.
   * @param more a line about what that means
   */
  result(result: Result, more?: string): void;
}

/** `4s`, and from one minute on `1m 05s`. */
export function elapsed(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  const minutes = Math.floor(seconds / 60);
  return minutes === 0 ? `${seconds}s` : `${minutes}m ${String(seconds % 60).padStart(2, "0")}s`;
}

type Style = Parameters<typeof styleText>[0];

const FRAMES = ["|", "/", "-", "\\"];
const FRAME_MS = 100;
/** Without a terminal a long wait shows a line this often, so that a CI job is not taken for dead. */
const TEXT_HEARTBEAT_MS = 30_000;

const GOOD = new Set(["succeeded", "submitted"]);

/** Lines for a person: what happens on stdout, what is wrong on stderr. */
export class TextOutput implements Output {
  readonly #isTerminal = process.stdout.isTTY === true;
  #steps = 0;
  #status: { name: string; elapsedMs: number; toldAt: number } | undefined;
  #shown = "";
  #frame = 0;
  #spinner: NodeJS.Timeout | undefined;

  step(message: string): void {
    this.#steps += 1;
    this.#print(styled("bold", `${this.#steps}. ${message}`));
  }

  info(message: string): void {
    this.#print(`   ${message}`);
  }

  note(message: string): void {
    this.#print(styled("dim", `Note: ${message}`));
  }

  warn(message: string): void {
    this.#complain("yellow", `Warning: ${message}`);
  }

  error(message: string): void {
    this.#complain("red", `Error: ${message}`);
  }

  waiting(message: string): void {
    if (!this.#isTerminal) return;
    this.#shown = `   ${message}`;
    this.#spinner ??= setInterval(() => this.#draw(), FRAME_MS);
    this.#draw();
  }

  status(status: string, elapsedMs: number): void {
    const last = this.#status;
    if (last && last.name !== status) this.#left(elapsedMs);
    const toldAt = last?.name === status ? last.toldAt : elapsedMs;
    this.#status = { name: status, elapsedMs, toldAt };
    if (!this.#isTerminal && elapsedMs - toldAt >= TEXT_HEARTBEAT_MS) {
      this.#print(`   ${status}... (${elapsed(elapsedMs)})`);
      this.#status.toldAt = elapsedMs;
    }
    this.waiting(`${status}... (${elapsed(elapsedMs)})`);
  }

  settled(): void {
    this.#rest();
    if (this.#status) this.#left(this.#status.elapsedMs);
    this.#status = undefined;
  }

  upload(sizeMb: string, percent: number): void {
    if (percent < 100) this.waiting(`Uploading (${sizeMb} MB)... ${percent}%`);
    else this.info(`Uploading (${sizeMb} MB)... 100%`);
  }

  log(line: string): void {
    this.#print(styled("dim", `   | ${terminalText(line)}`));
  }

  result({ status, message, url, status_url: statusUrl }: Result, more?: string): void {
    this.#print(`   ${styled(GOOD.has(status) ? "green" : "red", terminalText(message))}`);
    if (url) this.#print(`   URL: ${url}`);
    if (more) this.info(more);
    if (statusUrl) this.info(`View status: ${inConsole(statusUrl)}`);
  }

  #left(elapsedMs: number): void {
    this.#print(`   ${this.#status?.name}... (${elapsed(elapsedMs)})`);
  }

  #print(line: string): void {
    this.#rest();
    process.stdout.write(`${line}\n`);
  }

  #complain(style: Style, line: string): void {
    this.#rest();
    process.stderr.write(`${styled(style, terminalText(line), process.stderr)}\n`);
  }

  #draw(): void {
    this.#frame = (this.#frame + 1) % FRAMES.length;
    process.stdout.write(`\r\u001b[K${this.#shown} ${FRAMES[this.#frame]}`);
  }

  #rest(): void {
    if (this.#spinner === undefined) return;
    clearInterval(this.#spinner);
    this.#spinner = undefined;
    process.stdout.write("\r\u001b[K");
  }
}

/** People look at a revision in the console; what programs get is its address in the API. */
function inConsole(statusUrl: string): string {
  return statusUrl.replace(/(?:\/api-host)?\/v2(\/deployments\/[^/]+)\/revisions\/[^/]+$/, "/console$1");
}

/** Coloured where the stream is a terminal that wants it. */
export function styled(style: Style, line: string, stream: NodeJS.WriteStream = process.stdout): string {
  return styleText(style, line, { stream });
}

const HEARTBEAT_MS = 10_000;

/** One object per line on stdout, each with `event`. */
export class JsonOutput implements Output {
  #steps = 0;
  #status: string | undefined;
  #toldAt = 0;

  step(message: string): void {
    this.#steps += 1;
    this.#tell("step", { step: this.#steps, message });
  }

  info(message: string): void {
    this.#tell("info", { message });
  }

  note(message: string): void {
    this.#tell("note", { message });
  }

  warn(message: string): void {
    this.#tell("warn", { message });
  }

  error(message: string): void {
    this.#tell("error", { message });
  }

  waiting(): void {
    // Only for eyes.
  }

  status(status: string, elapsedMs: number): void {
    const seconds = Math.floor(elapsedMs / 1000);
    const message = `${status}... (${elapsed(elapsedMs)})`;
    if (status !== this.#status) this.#tell("status_change", { status, elapsed_seconds: seconds, message });
    else if (elapsedMs - this.#toldAt >= HEARTBEAT_MS)
      this.#tell("heartbeat", { status, elapsed_seconds: seconds, message });
    else return;
    this.#status = status;
    this.#toldAt = elapsedMs;
  }

  settled(): void {
    this.#status = undefined;
  }

  upload(sizeMb: string, percent: number): void {
    this.#tell("upload_progress", { size_mb: Number(sizeMb), pct: percent });
  }

  log(line: string): void {
    this.#tell("log", { message: line });
  }

  result(result: Result, more?: string): void {
    if (more) this.info(more);
    if (result.status_url) this.#tell("status_url", { url: result.status_url });
    // A program that reads the last line has read how it ended.
    this.#tell("result", result);
  }

  #tell(event: string, fields: object): void {
    process.stdout.write(`${JSON.stringify({ event, ...fields })}\n`);
  }
}

/** Rows under their heads, two blanks between columns and dashes under the heads. */
export function table(heads: string[], rows: string[][]): string {
  const widths = heads.map((head, column) =>
    Math.max(head.length, ...rows.map((row) => (row[column] ?? "").length)),
  );
  const line = (cells: string[]) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd();
  return [line(heads), line(widths.map((width) => "-".repeat(width))), ...rows.map(line)]
    .map((text) => `${text}\n`)
    .join("");
}

/** `2026-11-22 02:30:00`, in UTC. */
export function clockTime(at: string | number): string {
  const time = new Date(at);
  return Number.isNaN(time.getTime()) ? String(at) : time.toISOString().slice(0, 19).replace("T", " ");
}

/** Prints things for a program: one JSON object per line. */
export function printJson(things: readonly object[]): void {
  process.stdout.write(things.map((thing) => `${JSON.stringify(thing)}\n`).join(""));
}
