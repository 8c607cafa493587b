import { elapsed } from "./duration.ts";
import type { Output, Result } from "./output.ts";

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
