import type { Clock } from "@berth/agent";
import { Denied, type Fault, Signals, Unauthenticated } from "@berth/store";

/** A request that an instance has not finished answering, or a socket that is open. */
export type Exchange = {
  workspaceId: string;
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
  /** How many are open at the deployments of each workspace. */
  readonly #ofWorkspaces = new Map<string, number>();
  /** By instance: nothing is open there any more. */
  readonly #idle = new Signals();

  constructor(private readonly clock: Clock) {}

  /** Counts an exchange until the function that it gives is called. */
  begin(exchange: Exchange): () => void {
    const { instanceId, workspaceId } = exchange;
    const open = { ...exchange, since: this.clock.now() };
    const ofInstance = this.#open.get(instanceId) ?? new Set();
    this.#open.set(instanceId, ofInstance.add(open));
    this.#ofWorkspaces.set(workspaceId, this.ofWorkspace(workspaceId) + 1);
    return () => {
      if (!ofInstance.delete(open)) return;
      const left = this.ofWorkspace(workspaceId) - 1;
      if (left > 0) this.#ofWorkspaces.set(workspaceId, left);
      else this.#ofWorkspaces.delete(workspaceId);
      if (ofInstance.size > 0) return;
      this.#open.delete(instanceId);
      this.#idle.give(instanceId);
    };
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
