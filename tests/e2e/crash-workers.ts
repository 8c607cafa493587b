/** Behind a failure that is survived. */
const PAUSE_MS = 50;

/** Those who do something again and again against a server, until they are told to stop or the server dies. */
export class Workers {
  #stopped = false;
  readonly #all: Promise<void>[] = [];

  /** @param survives whether a failure is one that they go on after; without it, it is the server's death */
  constructor(
    private readonly url: string,
    private readonly survives: (error: unknown) => boolean = () => false,
  ) {}

  /** Does `work` again and again; a failure that is not survived must be the server's death. */
  add(work: (turn: number) => Promise<void>): void {
    const ended = this.#repeat(work);
    // It is told by stop.
    ended.catch(() => undefined);
    this.#all.push(ended);
  }

  /** Begins nothing more, and waits until everybody has ended. @throws what nobody survived */
  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#all);
  }

  async #repeat(work: (turn: number) => Promise<void>): Promise<void> {
    for (let turn = 0; !this.#stopped; turn += 1) {
      try {
        await work(turn);
      } catch (error) {
        if (this.survives(error)) await Bun.sleep(PAUSE_MS);
        else return this.#died(error);
      }
    }
  }

  async #died(error: unknown): Promise<void> {
    const alive = await fetch(`${this.url}/ok`).then(
      () => true,
      () => false,
    );
    if (alive) throw error;
  }
}
