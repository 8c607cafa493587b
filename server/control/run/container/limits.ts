import { availableParallelism } from "node:os";
import type { JsonObject } from "@berth/store";

/** Where no limit is given, so many times what was asked for. */
const LIMIT = 2;
/** What one processor is in the engines' weights. */
const SHARES = 1_024;

/**
 * The engine's options for a `resource_spec`: requests become weights and reservations, limits are held. What is not
 * asked for is not limited.
 * @param processors of this machine; engines refuse to promise more
 */
export function limitOptions(spec: JsonObject | null, processors = availableParallelism()): string[] {
  const given = (name: string) => {
    const value = spec?.[name];
    return typeof value === "number" ? value : undefined;
  };
  const cpu = given("cpu");
  const cpus = given("cpu_limit") ?? times(cpu);
  const memory = given("memory_mb");
  const most = given("memory_limit_mb") ?? times(memory);
  const reserved = memory !== undefined && most !== undefined ? Math.min(memory, most) : undefined;
  return [
    ...option("--cpu-shares", cpu === undefined ? undefined : Math.round(cpu * SHARES)),
    ...option("--cpus", cpus === undefined ? undefined : Math.min(cpus, processors)),
    ...option("--memory-reservation", reserved, "m"),
    ...option("--memory", most, "m"),
  ];
}

const times = (value: number | undefined) => (value === undefined ? undefined : value * LIMIT);

const option = (name: string, value: number | undefined, unit = "") =>
  value === undefined ? [] : [`${name}=${value}${unit}`];
