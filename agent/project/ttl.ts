import { isRecord } from "../record.ts";
import type { ProjectConfig } from "./config.ts";
import { ProjectError } from "./project-error.ts";

/** A `ttl` of the configuration file, checked; times are minutes. */
export type TtlSettings = {
  strategy: "delete" | "keep_latest";
  /** Of what does not say itself how long it stays; undefined for as long as nobody deletes it. */
  defaultMinutes: number | undefined;
  refreshOnRead: boolean;
  sweepMinutes: number;
  /** How many are swept in one go. */
  sweepLimit: number;
};

const STRATEGIES = ["delete", "keep_latest"] as const;
const SWEEP_LIMIT = 1_000;

/**
 * What the configuration file says of how long items (`store`) and threads (`checkpointer`) stay.
 * @throws ProjectError
 */
export function ttlSettings(
  config: ProjectConfig,
  part: "store" | "checkpointer",
  defaults: { sweepMinutes: number },
): TtlSettings {
  const ttl: unknown = config[part]?.ttl ?? {};
  const where = `${part}.ttl`;
  if (!isRecord(ttl)) throw new ProjectError(`${where}: must be an object`);
  const strategy = STRATEGIES.find((known) => known === (ttl.strategy ?? "delete"));
  if (!strategy) throw new ProjectError(`${where}.strategy: must be ${STRATEGIES.join(" or ")}`);
  const minutes = (name: string) => positive(`${where}.${name}`, ttl[name]);
  return {
    strategy,
    defaultMinutes: minutes("default_ttl"),
    refreshOnRead: ttl.refresh_on_read !== false,
    sweepMinutes: minutes("sweep_interval_minutes") ?? defaults.sweepMinutes,
    sweepLimit: Math.ceil(minutes("sweep_limit") ?? SWEEP_LIMIT),
  };
}

function positive(where: string, value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "number" && value > 0 && Number.isFinite(value)) return value;
  throw new ProjectError(`${where}: must be a number above 0, not ${JSON.stringify(value)}`);
}
