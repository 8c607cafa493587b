import type { JsonObject } from "@berth/store";
import { OOM_SCORE } from "../../../machine/index.ts";
import { figure, type Limits, limitsOf } from "../limits.ts";

/** What one processor is in the engines' weights. */
const SHARES = 1_024;

/**
 * The engine's options for a `resource_spec`: requests become weights and reservations, limits are held. What is
 * neither asked for nor usual is not limited.
 * @param processors of this machine; engines refuse to promise more
 */
export function limitOptions(spec: JsonObject | null, usual?: Limits, processors?: number): string[] {
  const { cpus, memoryMb } = limitsOf(spec, usual, processors);
  const cpu = figure(spec, "cpu");
  const memory = figure(spec, "memory_mb");
  const reserved = memory !== undefined && memoryMb !== null ? Math.min(memory, memoryMb) : null;
  return [
    ...option("--cpu-shares", cpu === undefined ? null : Math.round(cpu * SHARES)),
    ...option("--cpus", cpus),
    ...option("--memory-reservation", reserved, "m"),
    ...option("--memory", memoryMb, "m"),
    ...option("--oom-score-adj", OOM_SCORE),
  ];
}

const option = (name: string, value: number | null, unit = "") =>
  value === null ? [] : [`${name}=${value}${unit}`];
