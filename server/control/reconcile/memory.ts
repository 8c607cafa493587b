import type { Instance } from "@berth/store";
import { BYTES_IN_MB, MEMORY_LOOK_MS } from "../../machine/index.ts";
import { limitsOf, processLimits } from "../run/index.ts";
import { driverFor, type Parts } from "./parts.ts";

/** Beyond so many times its limit there is no time left to ask. */
const FAR = 1.5;
const STOP_MS = 2_000;

/** An instance takes more than it may. */
export type Excess = {
  words: string;
  /** What it can be given to end by itself. */
  graceMs: number;
};

/**
 * Looks whether instances take more memory than they may. Where the kernel or an engine holds them to their limit, this
 * finds nothing, and tells afterwards why they ended.
 */
export class MemoryWatch {
  readonly #limits = new Map<string, number | null>();
  readonly #looked = new Map<string, number>();

  constructor(private readonly parts: Pick<Parts, "revisions" | "drivers" | "timing" | "settings">) {}

  /** Forgets all but these instances. */
  keep(ids: ReadonlySet<string>): void {
    for (const known of [this.#limits, this.#looked])
      for (const id of known.keys()) if (!ids.has(id)) known.delete(id);
  }

  /** Looks once a second at most; undefined while an instance takes no more than it may. */
  async excessOf(instance: Instance): Promise<Excess | undefined> {
    const now = this.parts.timing.now();
    if (Math.abs(now - (this.#looked.get(instance.id) ?? 0)) < MEMORY_LOOK_MS) return undefined;
    this.#looked.set(instance.id, now);
    const limitMb = await this.#limitOf(instance);
    if (limitMb === null) return undefined;
    const limit = limitMb * BYTES_IN_MB;
    const bytes = driverFor(this.parts, instance).memoryAbove(instance, limit);
    if (bytes === undefined) return undefined;
    const taken = Math.round(bytes / BYTES_IN_MB);
    return {
      words: `It took ${taken} MiB of memory, more than its limit of ${limitMb} MiB, and was ended`,
      graceMs: bytes > FAR * limit ? 0 : STOP_MS,
    };
  }

  /** Why an instance that has ended did so, where that was its memory. */
  async whyEnded(instance: Instance): Promise<string | undefined> {
    if (!(await driverFor(this.parts, instance).tookTooMuch(instance))) return undefined;
    const limit = await this.#limitOf(instance);
    const what = limit === null ? "too much memory" : `more than its limit of ${limit} MiB of memory`;
    return `It took ${what}, and the system ended it`;
  }

  /** In MiB. */
  async #limitOf({ id, revision_id, driver }: Instance): Promise<number | null> {
    const known = this.#limits.get(id);
    if (known !== undefined) return known;
    const spec = (await this.parts.revisions.find(revision_id))?.settings.resource_spec ?? null;
    const { limits } = this.parts.settings;
    const { memoryMb } = driver === "process" ? processLimits(spec, limits) : limitsOf(spec, limits);
    this.#limits.set(id, memoryMb);
    return memoryMb;
  }
}
