import { join } from "node:path";
import { parseArgs } from "node:util";
import type { TargetName } from "./line.ts";

export const ROOT = join(import.meta.dir, "../..");
export const PROJECT = join(import.meta.dir, "project");
/** Where the figures of releases are kept. */
export const KEPT = join(ROOT, "docs/benchmarks");

export type Options = {
  /** Shorter measures, for a look rather than for the record. */
  quick: boolean;
  berth: boolean;
  peer: boolean;
  /** Prefixes of line ids; empty for all. */
  only: string[];
  /** Whether the lines that take minutes are measured, instead of the others. */
  long: boolean;
  /** Whether the figures go to docs/benchmarks, and into the page. */
  keep: boolean;
  /** A commit to compare with. */
  against: string | undefined;
  /** Whether profiles are made, and nothing is measured. */
  profile: boolean;
  /** Where the figures are written. */
  json: string;
};

export const USAGE = `bun run bench [--quick] [--long] [--only echo,tokens] [--no-peer] [--no-berth] [--[no-]keep] [--json FILE]
bun run bench --against COMMIT [--quick] [--long] [--only echo,tokens]
bun run bench --profile [--against COMMIT] [--only warm-stateless]

Measures Berth, the in-memory peer and the bare limit side by side; tests/bench/README.md says how to read it.
--only takes prefixes of line names, which the first column of the table shows. --long measures what takes minutes,
instead of the rest. A run of all lines keeps its figures under docs/benchmarks and makes docs/benchmarks.md from
them; --keep does so after a part, too. --against compares with the Berth of another commit, in pairs.
--profile writes what takes the time into docs/benchmarks/profiles.`;

/** Reads the flags; throws with a message about the first that is wrong. */
export function readOptions(argv: string[]): Options | "help" {
  const { values } = parseArgs({
    args: argv,
    allowNegative: true,
    options: {
      quick: { type: "boolean", default: false },
      peer: { type: "boolean", default: true },
      berth: { type: "boolean", default: true },
      only: { type: "string", default: "" },
      long: { type: "boolean", default: false },
      keep: { type: "boolean" },
      against: { type: "string" },
      profile: { type: "boolean", default: false },
      json: { type: "string", default: join(ROOT, "data/bench.json") },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) return "help";
  const { quick, berth, peer, long, json, against, profile } = values;
  const only = values.only.split(",").filter(Boolean);
  if (against !== undefined && values.keep) throw new Error("--against compares, and keeps nothing");
  const isWhole = !quick && berth && peer && only.length === 0 && against === undefined;
  return { quick, berth, peer, long, json, only, against, profile, keep: values.keep ?? isWhole };
}

/** Those of the targets that are measured. */
export function chosen(options: Options, names: readonly TargetName[]): TargetName[] {
  const { berth, peer, against } = options;
  if (against !== undefined) return names.filter((name) => name === "berth" || name === "before");
  return names.filter(
    (name) => name !== "before" && (name !== "berth" || berth) && (name !== "peer" || peer),
  );
}

/** Whether one of the lines is asked for; those of the long part are, when they are named. */
export function isWanted({ only, long }: Options, lines: { id: string }[], isLong = false): boolean {
  if (only.length === 0) return isLong === long;
  return lines.some(({ id }) => only.some((prefix) => id.startsWith(prefix)));
}
