import { styleText } from "node:util";
import { elapsed } from "./duration.ts";
import type { Output, Result } from "./output.ts";

type Style = Parameters<typeof styleText>[0];

const FRAMES = ["|", "/", "-", "\\"];
const FRAME_MS = 100;
/** Without a terminal a long wait shows a line this often, so that a CI job is not taken for dead. */
const HEARTBEAT_MS = 30_000;

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
    if (!this.#isTerminal && elapsedMs - toldAt >= HEARTBEAT_MS) {
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
    this.#print(styled("dim", `   | ${line}`));
  }

  result({ status, message, url, status_url: statusUrl }: Result, more?: string): void {
    this.#print(`   ${styled(GOOD.has(status) ? "green" : "red", message)}`);
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
    process.stderr.write(`${styled(style, line, process.stderr)}\n`);
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
