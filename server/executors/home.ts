import type { LogSettings } from "../log/index.ts";

/** Where the process of an executor listens. */
export type OwnAddress = {
  url: string;
  port: number;
  /** What requests of its own graphs bring, where only the gateway is let in. */
  ownToken: string | undefined;
};

/** What an executor is told of the process that it belongs to. */
export type ExecutorHome = OwnAddress & {
  /** Nothing else of the settings: a project's code runs there. */
  log: LogSettings;
  /** Values that are in no line of its log. */
  secrets: readonly string[];
};

/** The process that executors belong to, which may know later than they start where it listens. */
export class Home {
  readonly #hearers = new Set<(address: OwnAddress) => void>();
  readonly #known = Promise.withResolvers<void>();

  constructor(
    private readonly log: LogSettings,
    private readonly secrets: readonly string[],
    private address: OwnAddress,
  ) {}

  /** Resolves when executors may be told, and begin. */
  get known(): Promise<void> {
    return this.#known.promise;
  }

  begin(): void {
    this.#known.resolve();
  }

  get now(): ExecutorHome {
    return { ...this.address, log: this.log, secrets: this.secrets };
  }

  listensAt(address: OwnAddress): void {
    this.address = address;
    for (const hear of this.#hearers) hear(address);
  }

  /** @returns forgets who hears */
  follow(hear: (address: OwnAddress) => void): () => void {
    this.#hearers.add(hear);
    return () => this.#hearers.delete(hear);
  }
}
