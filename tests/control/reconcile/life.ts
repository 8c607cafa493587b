import type { Database } from "@berth/store";

/** Where a life ends: at so many effects, before the last of them or behind it. */
export type Crash = { at: number; after: boolean };

const NEVER = new Promise<never>(() => {});

/**
 * One life of a Berth process, which may end at any effect it has on the world: a write to the database, a process
 * it starts or ends, a folder. Whatever it still has in mind then never happens.
 */
export class Life {
  effects = 0;
  readonly names: string[] = [];
  readonly died: Promise<void>;
  #isDead = false;
  #isDying = false;
  readonly #die: () => void;
  readonly #underWay = new Set<Promise<unknown>>();

  constructor(private readonly crash?: Crash) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.died = promise;
    this.#die = resolve;
  }

  get isDead(): boolean {
    return this.#isDead;
  }

  /** Ends it from outside, as a power cut would. */
  end(): void {
    this.#isDead = true;
    this.#die();
  }

  /** Has an effect, or dies at it. */
  async effect<T>(name: string, effect: () => T | Promise<T>): Promise<T> {
    if (this.#isDead || this.#isDying) return NEVER;
    this.effects += 1;
    this.names.push(name);
    if (this.effects !== this.crash?.at) {
      const done = await this.#had(effect);
      return this.#isDead ? NEVER : done;
    }
    this.#isDying = true;
    if (this.crash.after) await this.#had(effect);
    this.end();
    return NEVER;
  }

  /** Resolves when the effects that it was at are there: nothing of a dead process comes later. */
  async gone(): Promise<void> {
    await Promise.allSettled(this.#underWay);
  }

  async #had<T>(effect: () => T | Promise<T>): Promise<T> {
    const had = Promise.resolve(effect());
    this.#underWay.add(had);
    try {
      return await had;
    } finally {
      this.#underWay.delete(had);
    }
  }

  /** What only looks ends with the life, too. */
  async look<T>(value: T | Promise<T>): Promise<T> {
    const seen = await value;
    return this.#isDead ? NEVER : seen;
  }

  /** The database as this life writes to it. */
  writing(db: Database): Database {
    return { ...db, read: db.read, write: (work) => this.effect("write", () => db.write(work)) };
  }
}
