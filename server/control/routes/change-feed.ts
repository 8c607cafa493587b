import type { Change, Changes } from "@berth/store";

/** Tells those who watch when something became different, whichever process on this database did it. */
export class ChangeFeed {
  #newest = 0;
  readonly #waiting = new Set<() => void>();

  constructor(private readonly changes: Pick<Changes, "after" | "newest">) {}

  /** A job of the timer loop: one look for all who wait. */
  async once(): Promise<void> {
    if (this.#waiting.size === 0) return;
    this.#tell(await this.changes.newest());
  }

  /** The number of the last change. */
  newest(): Promise<number> {
    return this.changes.newest();
  }

  /** What came after `seq` in a workspace, oldest first; may be nothing. */
  after(workspaceId: string, seq: number, limit: number): Promise<Change[]> {
    return this.changes.after(workspaceId, seq, limit);
  }

  /**
   * Resolves when something may be new since `heard`, which an earlier call gave (-1 at first), or when `gone` says
   * that nobody waits any more.
   */
  async past(heard: number, gone: AbortSignal): Promise<number> {
    if (gone.aborted || this.#newest !== heard) return this.#newest;
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = () => resolve();
    this.#waiting.add(wake);
    gone.addEventListener("abort", wake, { once: true });
    await promise;
    this.#waiting.delete(wake);
    gone.removeEventListener("abort", wake);
    return this.#newest;
  }

  #tell(newest: number): void {
    if (newest === this.#newest) return;
    this.#newest = newest;
    for (const resolve of this.#waiting) resolve();
  }
}
