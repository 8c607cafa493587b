import type { NewRun, Run } from "@berth/store";
import type { RunResult } from "./execution.ts";

/** More than this wait in the database's queue, where they cost no memory. */
const SEATS = 256;

type Ticket = { run: Run; wanted: NewRun; resolve(result: RunResult | Promise<RunResult>): void };

/** What one who waits is told when the run went to the database's queue: look for it there. */
const ELSEWHERE: RunResult = {
  status: "handed back",
  values: undefined,
  interrupts: undefined,
  error: undefined,
};

/**
 * Where unannounced runs wait for a place, for the few milliseconds that one takes to become free: nobody was
 * told of them yet, so they need not be in the database's queue.
 */
export class WaitingRoom {
  readonly #tickets = new Map<string, Ticket>();

  get isFull(): boolean {
    return this.#tickets.size >= SEATS;
  }

  /** The result to come, once somebody takes the run. */
  enter(run: Run, wanted: NewRun): Promise<RunResult> {
    return new Promise((resolve) => {
      this.#tickets.set(run.run_id, { run, wanted, resolve });
    });
  }

  /** Who came first. The taker resolves the ticket with the run's result. */
  next(): Ticket | undefined {
    for (const [id, ticket] of this.#tickets) {
      this.#tickets.delete(id);
      return ticket;
    }
    return undefined;
  }

  /** Takes a run out because it has to be written down; its waiter will look for it in the database. */
  async leave(runId: string, submit: (wanted: NewRun) => Promise<unknown>): Promise<void> {
    const ticket = this.#tickets.get(runId);
    if (!ticket) return;
    this.#tickets.delete(runId);
    await submit(ticket.wanted);
    ticket.resolve(ELSEWHERE);
  }

  async leaveAll(submit: (wanted: NewRun) => Promise<unknown>): Promise<void> {
    await Promise.all([...this.#tickets.keys()].map((runId) => this.leave(runId, submit)));
  }
}
