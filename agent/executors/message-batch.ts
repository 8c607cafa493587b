import type { Port } from "./protocol.ts";

/** Sends what comes in one turn together: each message across threads costs as much as a few hundred frames of text. */
export class MessageBatch<Sent> {
  #waiting: Sent[] = [];

  constructor(private readonly port: Pick<Port<Sent, never>, "send">) {}

  put(message: Sent): void {
    if (this.#waiting.push(message) === 1) setImmediate(() => this.#send());
  }

  /** The newest message that waits, for who can add to it. */
  get last(): Sent | undefined {
    return this.#waiting.at(-1);
  }

  #send(): void {
    const messages = this.#waiting;
    this.#waiting = [];
    this.port.send(messages);
  }
}
