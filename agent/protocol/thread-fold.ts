import type { ThreadFrame } from "../events/index.ts";
import type { ThreadEvent } from "./event.ts";
import { RunFold } from "./run-fold.ts";

/** A thread's frames as protocol events: one fold for each run. It has to see every run from its first frame. */
export class ThreadFold {
  readonly #runs = new Map<string, RunFold>();

  add(frame: ThreadFrame): ThreadEvent[] {
    const run = this.#runs.get(frame.run_id) ?? new RunFold();
    const events = run.add(frame);
    if (run.ended) this.#runs.delete(frame.run_id);
    else this.#runs.set(frame.run_id, run);
    return events;
  }
}
