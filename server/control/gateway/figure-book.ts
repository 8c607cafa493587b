import type { Clock } from "@berth/agent";
import type { FigureRow, Figures, Instance, Instances } from "@berth/store";

// Eight steps to a doubling, from an eighth of a millisecond on: a percentile is right to within a tenth.
const STEPS = 8;
const LEAST_MS = 0.125;
const BUCKETS = 160;

/** What one deployment did in one minute. */
class Tally {
  #requests = 0;
  #errors = 0;
  #open = 0;
  #mostOpen = 0;
  readonly #latencies = new Uint32Array(BUCKETS);

  /** @param open streams that the minute before left open */
  constructor(open = 0) {
    this.#open = open;
    this.#mostOpen = open;
  }

  get open(): number {
    return this.#open;
  }

  answered(status: number, ms: number): void {
    this.#requests += 1;
    if (status >= 500) this.#errors += 1;
    const bucket = Math.ceil(STEPS * Math.log2(Math.max(ms, LEAST_MS) / LEAST_MS));
    const at = Math.min(BUCKETS - 1, bucket);
    this.#latencies[at] = (this.#latencies[at] ?? 0) + 1;
  }

  opened(): void {
    this.#open += 1;
    this.#mostOpen = Math.max(this.#mostOpen, this.#open);
  }

  closed(): void {
    this.#open -= 1;
  }

  get isQuiet(): boolean {
    return this.#requests === 0 && this.#mostOpen === 0;
  }

  row(deployment_id: string, minute: number, memory_bytes: number | null): FigureRow {
    return {
      deployment_id,
      minute,
      requests: this.#requests,
      errors: this.#errors,
      p50_ms: this.#percentile(0.5),
      p95_ms: this.#percentile(0.95),
      open_streams: this.#mostOpen,
      memory_bytes,
    };
  }

  /** The upper end of the bucket that holds it. */
  #percentile(part: number): number | null {
    if (this.#requests === 0) return null;
    let left = Math.ceil(this.#requests * part);
    for (const [at, count] of this.#latencies.entries()) {
      left -= count;
      if (left <= 0) return Math.round(LEAST_MS * 2 ** (at / STEPS) * 100) / 100;
    }
    return null;
  }
}

const MINUTE_MS = 60_000;

type FigureBookDeps = {
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
    const sums = new Map<string, number>();
    for (const [id, known] of bytes) if (known !== null) sums.set(id, (sums.get(id) ?? 0) + known);
    return sums;
  }
}

const minuteOf = (at: number): number => at - (at % MINUTE_MS);
