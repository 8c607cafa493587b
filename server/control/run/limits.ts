import { availableParallelism } from "node:os";
import type { JsonObject } from "@berth/store";

/** What an instance may take of this machine; null: whatever there is. */
export type Limits = Readonly<{
  /** In MiB. */
  memoryMb: number | null;
  /** Processors, such as 0.5. */
  cpus: number | null;
}>;

export const UNLIMITED: Limits = { memoryMb: null, cpus: null };

/** Where no limit is given, so many times what was asked for. */
const TIMES = 2;
/** What a process needs to start and to serve a small graph; held to less, it would be ended again and again. */
const LEAST_PROCESS_MB = 256;

/**
 * What a `resource_spec` lets an instance take: its limits, else twice what it asks for, else what is usual here.
 * @param processors of this machine; engines refuse to promise more
 */
export function limitsOf(
  spec: JsonObject | null,
  usual: Limits = UNLIMITED,
  processors = availableParallelism(),
): Limits {
  const cpus = figure(spec, "cpu_limit") ?? twice(figure(spec, "cpu")) ?? usual.cpus;
  const memoryMb = figure(spec, "memory_limit_mb") ?? twice(figure(spec, "memory_mb")) ?? usual.memoryMb;
  return { memoryMb, cpus: cpus === null ? null : Math.min(cpus, processors) };
}

/** The same of an instance that is a process: see {@link LEAST_PROCESS_MB}. */
export function processLimits(spec: JsonObject | null, usual: Limits): Limits {
  const { memoryMb, cpus } = limitsOf(spec, usual);
  return { memoryMb: memoryMb === null ? null : Math.max(memoryMb, LEAST_PROCESS_MB), cpus };
}

/** A number of a `resource_spec`. */
export function figure(spec: JsonObject | null, name: string): number | undefined {
  const value = spec?.[name];
  return typeof value === "number" ? value : undefined;
}

const twice = (value: number | undefined) => (value === undefined ? undefined : value * TIMES);
