import { join } from "node:path";
import { parseArgs } from "node:util";

export const ROOT = join(import.meta.dir, "../..");
export const PROJECT = join(import.meta.dir, "project");

export type Options = {
  /** Shorter measures, for a look rather than for the record. */
  quick: boolean;
  berth: boolean;
  peer: boolean;
  /** Prefixes of line ids; empty for all. */
  only: string[];
  /** Where the figures are written. */
  json: string;
};

export const USAGE = `bun run bench [--quick] [--only echo,tokens] [--no-peer] [--no-berth] [--json FILE]

Measures Berth, the in-memory peer and the bare limit side by side; tests/bench/README.md says how to read it.
--only takes prefixes of line names, which the first column of the table shows.`;

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
      json: { type: "string", default: join(ROOT, "data/bench.json") },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) return "help";
  const { quick, berth, peer, json } = values;
  return { quick, berth, peer, json, only: values.only.split(",").filter(Boolean) };
}
