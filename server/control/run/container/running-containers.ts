import type { ContainerEngine } from "../../../machine/index.ts";

/** For so long nobody asks an engine again: it costs a process each time, and each instance is looked at. */
const FRESH_MS = 1_000;

type Look = { at: number; ids: Promise<ReadonlySet<string>> };

/** Which containers run, asked for all at once. */
export class RunningContainers {
  readonly #filter: string;
  readonly #looks = new Map<ContainerEngine, Look>();

  /** @param label that all of them carry */
  constructor(label: string) {
    this.#filter = `label=${label}`;
  }

  /** @throws EngineFailed nobody can tell */
  async has(engine: ContainerEngine, id: string): Promise<boolean> {
    const known = this.#looks.get(engine);
    if (known && performance.now() - known.at < FRESH_MS && (await known.ids).has(id)) return true;
    // It may have been started since.
    return (await this.#look(engine)).has(id);
  }

  #look(engine: ContainerEngine): Promise<ReadonlySet<string>> {
    const ids = engine
      .run(["ps", "--quiet", "--no-trunc", "--filter", this.#filter])
      .then((text) => new Set(text.split("\n")));
    const look = { at: performance.now(), ids };
    this.#looks.set(engine, look);
    ids.catch(() => {
      if (this.#looks.get(engine) === look) this.#looks.delete(engine);
    });
    return ids;
  }
}
