import type { Clock } from "@berth/agent";
import { Denied, type Fault, Signals, Unauthenticated } from "@berth/store";

/** A request in the quota of its workspace: counted while anything holds it. */
export type QuotaSlot = {
  /** Returns the function that releases it. */
  hold(): () => void;
};

/** A request that an instance has not finished answering, or a socket that is open. */
export type Exchange = {
  /** Of the request that opened it. */
  slot: QuotaSlot;
  instanceId: string;
  /** Throws once the caller may not be here any more: a key is revoked, a sign-in over. */
  admit: () => unknown;
  /** Ends it for its caller. */
  cut(refusal: Fault): void;
};

type Open = Exchange & { since: number };

const ADMIT_AGAIN_MS = 30_000;
const LOOK_EVERY_MS = 20;

/** What is open at every instance, so that one that was replaced is stopped when it is done, and not before. */
export class Exchanges {
  readonly #open = new Map<string, Set<Open>>();
  /** Requests of each workspace, those that wait for a deployment among them. */
  readonly #ofWorkspaces = new Map<string, number>();
  /** By instance: nothing is open there any more. */
  readonly #idle = new Signals();

  constructor(private readonly clock: Clock) {}

  /** Counts an exchange until the function that it gives is called. */
  begin(exchange: Exchange): () => void {
    const { instanceId, slot } = exchange;
    const release = slot.hold();
    const open = { ...exchange, since: this.clock.now() };
    const ofInstance = this.#open.get(instanceId) ?? new Set();
    this.#open.set(instanceId, ofInstance.add(open));
    return () => {
      if (!ofInstance.delete(open)) return;
      release();
      if (ofInstance.size > 0) return;
      this.#open.delete(instanceId);
      this.#idle.give(instanceId);
    };
  }

  /** Creates the slot of a request, which counts from the first hold until every holder has released it. */
  slotOf(workspaceId: string): QuotaSlot {
    let holders = 0;
    return {
      hold: () => {
        if (holders === 0) this.#count(workspaceId, 1);
        holders += 1;
        let isHeld = true;
        return () => {
          if (!isHeld) return;
          isHeld = false;
          holders -= 1;
          if (holders === 0) this.#count(workspaceId, -1);
        };
      },
    };
  }

  #count(workspaceId: string, change: 1 | -1): void {
    const count = this.ofWorkspace(workspaceId) + change;
    if (count > 0) this.#ofWorkspaces.set(workspaceId, count);
    else this.#ofWorkspaces.delete(workspaceId);
  }

  /** How many there are at all instances together. */
  get open(): number {
    return this.#all().length;
  }

  ofWorkspace(workspaceId: string): number {
    return this.#ofWorkspaces.get(workspaceId) ?? 0;
  }

  /** How many the workspace with the most has. */
  get mostOfAWorkspace(): number {
    return Math.max(0, ...this.#ofWorkspaces.values());
  }

  inFlight(instanceId: string): number {
    return this.#open.get(instanceId)?.size ?? 0;
  }

  /** Resolves when nothing is open at an instance any more, at the latest at `deadline` (ms since 1970) or at the abort. */
  async until(instanceId: string, deadline: number, abort?: AbortSignal): Promise<void> {
    if (this.inFlight(instanceId) === 0) return;
    await this.#idle.wait(instanceId, { abort, limitMs: deadline - this.clock.now() });
  }

  /** Ends what has been open for a while for callers who could not open it any more. */
  async admitAgain(now: number): Promise<void> {
    // Also when the clock was set back.
    const due = this.#all().filter(({ since }) => Math.abs(now - since) >= ADMIT_AGAIN_MS);
    await Promise.all(due.map(admitted));
  }

  /** Gives what is open `settleMs` to end by itself, then cuts everything. */
  async end(refusal: Fault, settleMs: number): Promise<void> {
    const open = this.#all();
    const isOpen = (one: Open) => this.#open.get(one.instanceId)?.has(one) === true;
    const until = performance.now() + settleMs;
    while (open.some(isOpen) && performance.now() < until) await Bun.sleep(LOOK_EVERY_MS);
    for (const one of this.#all()) one.cut(refusal);
  }

  #all(): Open[] {
    return [...this.#open.values()].flatMap((ofInstance) => [...ofInstance]);
  }
}

async function admitted({ admit, cut }: Open): Promise<void> {
  try {
    await admit();
  } catch (error) {
    // Anything else says nothing of the caller: the database may be busy.
    if (error instanceof Unauthenticated || error instanceof Denied) cut(error);
  }
}
