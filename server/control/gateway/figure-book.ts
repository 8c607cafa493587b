import type { Clock } from "@berth/agent";
import type { FigureRow, Figures, Instance, Instances } from "@berth/store";
import { Tally } from "./tally.ts";

const MINUTE_MS = 60_000;

export type FigureBookDeps = {
  figures: Pick<Figures, "add">;
  instances: Pick<Instances, "live">;
  clock: Clock;
  /** What an instance takes of the machine's memory; null where nobody can say. */
  memoryOf?: ((instance: Instance) => Promise<number | null>) | undefined;
};

/** What the deployments do: counted in memory, written down when a minute is over. */
export class FigureBook {
  readonly #deps: FigureBookDeps;
  #minute: number;
  #tallies = new Map<string, Tally>();
  #memoryBytes = 0;

  constructor(deps: FigureBookDeps) {
    this.#deps = deps;
    this.#minute = minuteOf(deps.clock.now());
  }

  /** What all of them took when it was last looked at. */
  get memoryBytes(): number {
    return this.#memoryBytes;
  }

  /** A request was answered, so many milliseconds after it came. */
  answered(deploymentId: string, status: number, ms: number): void {
    this.#of(deploymentId).answered(status, ms);
  }

  /** A stream or socket begins; the function that it gives notes its end. */
  opened(deploymentId: string): () => void {
    this.#of(deploymentId).opened();
    return () => this.#of(deploymentId).closed();
  }

  /** Writes the minute down if it is over. */
  async once(now: number): Promise<void> {
    if (minuteOf(now) > this.#minute) await this.write(now);
  }

  /** Writes down what there is, and begins anew. */
  async write(now: number): Promise<void> {
    const minute = this.#minute;
    const tallies = this.#tallies;
    this.#minute = minuteOf(now);
    this.#tallies = new Map(
      [...tallies].filter(([, { open }]) => open > 0).map(([id, { open }]) => [id, new Tally(open)]),
    );
    const memory = await this.#memory();
    this.#memoryBytes = [...memory.values()].reduce((sum, bytes) => sum + bytes, 0);
    const ids = new Set([...tallies.keys(), ...memory.keys()]);
    const rows = [...ids].flatMap((id): FigureRow[] => {
      const tally = tallies.get(id) ?? new Tally();
      const bytes = memory.get(id) ?? null;
      return tally.isQuiet && bytes === null ? [] : [tally.row(id, minute, bytes)];
    });
    if (rows.length > 0) await this.#deps.figures.add(rows);
  }

  #of(deploymentId: string): Tally {
    const tally = this.#tallies.get(deploymentId) ?? new Tally();
    this.#tallies.set(deploymentId, tally);
    return tally;
  }

  async #memory(): Promise<Map<string, number>> {
    const { memoryOf, instances } = this.#deps;
    if (!memoryOf) return new Map();
    const serving = (await instances.live()).filter(({ state }) => state === "serving");
    const bytes = await Promise.all(
      serving.map(async (instance) => [instance.deployment_id, await memoryOf(instance)] as const),
    );
    return new Map(bytes.flatMap(([id, known]): [string, number][] => (known === null ? [] : [[id, known]])));
  }
}

const minuteOf = (at: number): number => at - (at % MINUTE_MS);
