import { Unavailable } from "@berth/store";

/** The process ends: what begins now is for another one, or for its next start (503). */
export class ProcessEnding extends Unavailable {
  override name = "ProcessEnding";
  readonly retryAfterSeconds = 5;

  constructor() {
    super("The server is stopping: try again");
  }
}

/** Whether the process has been told to end. What it is at goes on, reads and cancels are answered, no run begins. */
export class Draining {
  #began = false;

  begin(): void {
    this.#began = true;
  }

  /** @throws Ending */
  refuse(): void {
    if (this.#began) throw new ProcessEnding();
  }
}
