import type { Instance } from "@berth/store";
import { ContainerEngine, ENGINE_NAMES, type EngineName, firstThatAnswers } from "../../../machine/index.ts";
import type { Texts } from "../../../settings/index.ts";

/** There is nothing here that runs images; the message is one line for whoever wanted that. */
export class NoEngine extends Error {
  override name = "NoEngine";
}

/** The container engines of this machine. */
export class Engines {
  readonly #wanted: readonly EngineName[];
  readonly #known: ReadonlyMap<string, ContainerEngine>;
  #current: Promise<ContainerEngine> | undefined;

  /** @param wanted the one to use; `auto` for the first that answers */
  constructor(wanted: "auto" | EngineName, environment: Texts) {
    this.#wanted = wanted === "auto" ? ENGINE_NAMES : [wanted];
    this.#known = new Map(ENGINE_NAMES.map((name) => [name, new ContainerEngine(name, environment)]));
  }

  /**
   * The engine that new containers are run by; the same for as long as this process lives.
   * @throws NoEngine
   */
  current(): Promise<ContainerEngine> {
    this.#current ??= this.#find();
    // It may be there, or be started, the next time that somebody asks.
    this.#current.catch(() => {
      this.#current = undefined;
    });
    return this.#current;
  }

  /** Where a container is, by what its row says: an engine and the container's id there. */
  placeOf({ container }: Pick<Instance, "container">): { engine: ContainerEngine; id: string } | undefined {
    const [name = "", id] = (container ?? "").split(":");
    const engine = this.#known.get(name);
    return engine && id ? { engine, id } : undefined;
  }

  /** Those that may hold containers of ours: whoever was the current one before may not be it now. */
  installed(): ContainerEngine[] {
    return [...this.#known.values()].filter(({ isInstalled }) => isInstalled);
  }

  async #find(): Promise<ContainerEngine> {
    const { engine, reasons } = await firstThatAnswers(
      this.#wanted.flatMap((name) => this.#known.get(name) ?? []),
    );
    if (engine) return engine;
    const missing = `${this.#wanted.join(" or ")} is not installed`;
    throw new NoEngine(`Images need a container engine on this machine: ${reasons.join("; ") || missing}`);
  }
}

/** How a container is found again. */
export const placeText = (engine: ContainerEngine, id: string): string => `${engine.name}:${id}`;

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
