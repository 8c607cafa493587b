import { readdirSync, readFileSync, rmSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { join } from "node:path";
import type { Line, Row } from "./line.ts";
import { KEPT, ROOT } from "./options.ts";
import { judge, type Verdict } from "./report.ts";
import type { Outcome } from "./run.ts";

/** What figures of different runs have to share to be in one table. */
export type Machine = { cores: number; model: string; memoryGiB: number; bun: string; system: string };

/** When, of what, and whether the machine had nothing else to do. */
type Origin = { at: string; commit: string; quiet: boolean };

/** A line as it was measured; in parts, so that the page and a later run can read it again. */
export type KeptLine = Line &
  Row["values"] &
  Pick<Row, "spread" | "pairs"> &
  Omit<Verdict, "goal"> &
  Origin & { section: string };

/** The figures of a release. */
export type Kept = Origin & {
  version: string;
  machine: Machine;
  quick: boolean;
  /** Of the bench, in the last run. */
  seconds: number;
  failures: string[];
  versions: Record<string, unknown>;
  lines: KeptLine[];
};

export const rowOfKept = ({ berth, bare, peer, spread, pairs, ...line }: KeptLine): Row => ({
  ...{ line, values: { berth, bare, peer } },
  ...(spread && { spread }),
  ...(pairs && { pairs }),
});

export type Circumstances = { startedAt: Date; isQuiet: boolean; isQuick: boolean };

/** What a run found, as it is written down. */
export async function recordOf(outcome: Outcome, circumstances: Circumstances): Promise<Kept> {
  const { startedAt, isQuiet, isQuick } = circumstances;
  const origin = { at: startedAt.toISOString(), commit: await commitOf(), quiet: isQuiet };
  const { version } = await Bun.file(join(ROOT, "package.json")).json();
  return {
    ...{ version, ...origin, machine: machine(), quick: isQuick },
    seconds: Math.round((Date.now() - startedAt.getTime()) / 1000),
    failures: outcome.failures.map(withoutPaths),
    versions: outcome.versions,
    lines: outcome.rows.map(({ section, ...row }) => {
      const { goal: _, ...judged } = judge(row);
      return {
        ...{ ...row.line, section, ...row.values, ...judged, ...origin },
        ...(row.spread && { spread: row.spread }),
        ...(row.pairs && { pairs: row.pairs }),
      };
    }),
  };
}

/** The newest figures that are kept, or none. */
export function newestKept(folder = KEPT): Kept | undefined {
  const all = namesIn(folder).map((name): Kept => JSON.parse(readFileSync(join(folder, name), "utf8")));
  return all.toSorted((a, b) => a.at.localeCompare(b.at)).at(-1);
}

/**
 * Keeps a record as that of its release, in the place of an older one. A line that was not measured this time keeps
 * its figures and their date, if they are of this kind of machine.
 * @param ids of all lines that there are, in their order
 */
export async function keep(record: Kept, ids: string[], folder = KEPT): Promise<string> {
  const lines = mergedLines(record, newestKept(folder), ids);
  for (const name of namesIn(folder)) if (name.startsWith(`${record.version}-`)) rmSync(join(folder, name));
  const name = `${record.version}-${record.commit}-${record.at.slice(0, 10)}.json`;
  await Bun.write(join(folder, name), `${JSON.stringify({ ...record, lines }, null, 2)}\n`);
  return name;
}

function mergedLines(record: Kept, before: Kept | undefined, ids: string[]): KeptLine[] {
  const isSame = before && JSON.stringify(before.machine) === JSON.stringify(record.machine);
  const byId = new Map([...(isSame ? before.lines : []), ...record.lines].map((line) => [line.id, line]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

const namesIn = (folder: string) => readdirSync(folder).filter((name) => name.endsWith(".json"));

function machine(): Machine {
  const cores = cpus();
  return {
    ...{ cores: cores.length, model: cores[0]?.model.trim() ?? "unknown" },
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    ...{ bun: Bun.version, system: `${process.platform} ${process.arch}` },
  };
}

async function commitOf(): Promise<string> {
  const { stdout } = Bun.spawnSync(["git", "rev-parse", "--short=8", "HEAD"], { cwd: ROOT });
  return stdout.toString().trim() || "unknown";
}

/** What is kept is read elsewhere, where a path of this machine says nothing. */
const withoutPaths = (text: string) => text.replaceAll(/(?<![\w.:/])\/[\w.@-]+(\/[\w.@-]+)+/g, "…");
