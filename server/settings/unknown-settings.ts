import type { Logger } from "@logtape/logtape";
import { everySetting } from "./config.ts";
import { isReservedName } from "./reserved-names.ts";
import { type DeclaredSetting, IN_FILE, ownName, type Texts } from "./setting.ts";

/** A name in the environment that is no setting. */
type UnknownSetting = {
  name: string;
  /** The setting that somebody may have meant; null where the name only begins as some do. */
  meant: string | null;
};

/** Names by which something else is told, of those that look like ours. */
const OF_OTHERS = new Set(["BERTH_DEV_WATCHED", "BERTH_E2E", "BERTH_LONG"]);
/** Begins of names that the AWS SDKs and container tools read; a name that resembles a setting of ours still counts. */
const PREFIXES_OF_OTHERS = ["AWS_", "CONTAINER_"];
/** What Kubernetes sets for a service that is called `berth`. */
const SERVICE_LINK = /_SERVICE_(?:HOST|PORT)(?:_|$)|_PORT_\d+_(?:TCP|UDP)(?:_|$)/;
const LINK_ADDRESS = /^(?:tcp|udp):\/\//;
/** From this length on, two letters may differ. */
const LONG_NAME = 8;
const SHORTEST = 4;

/**
 * What was set and does nothing: names that resemble a setting, and names that begin as settings do. The former are
 * mistakes, the latter may be somebody else's.
 */
export function unknownSettings(environment: Texts): UnknownSetting[] {
  const known = [...new Set(everySetting().flatMap(namesOf))];
  const both = new Set(known.flatMap((name) => [name, ownName(name)]));
  const spelled = known.map((one) => spelling(one));
  const prefixes = sharedPrefixes(known).filter((prefix) => !PREFIXES_OF_OTHERS.includes(prefix));
  return Object.entries(environment).flatMap(([name, value = ""]): UnknownSetting[] => {
    if (value === "" || both.has(name) || isOfOthers(name, value)) return [];
    const given = spelling(name, name.replace(/^BERTH_(?=.)/, ""));
    const meant = spelled.find((wanted) => resembles(given, wanted))?.name ?? null;
    return meant !== null || prefixes.some((prefix) => name.startsWith(prefix)) ? [{ name, meant }] : [];
  });
}

/** A secret may be in a file that is named in its place. */
const namesOf = ({ names, isSecret }: DeclaredSetting): readonly string[] =>
  isSecret ? names.flatMap((name) => [name, name + IN_FILE]) : names;

/** Names them in the log. */
export function tellUnknown(environment: Texts, log: Logger): void {
  const [mistaken, others] = partition(unknownSettings(environment));
  const nothing = "is set, and Berth has no setting of this name";
  for (const setting of mistaken) log.warn(`${unknownText(setting)} ${nothing}`);
  if (others.length > 0) log.info(`${others.map(unknownText).join(", ")} ${nothing}`);
}

/** Mistakes, and what may be of somebody else. */
export function partition(all: readonly UnknownSetting[]): [UnknownSetting[], UnknownSetting[]] {
  const isMistake = ({ name, meant }: UnknownSetting) => meant !== null || name.startsWith("BERTH_");
  return [all.filter(isMistake), all.filter((one) => !isMistake(one))];
}

/** In words: `ENGINE_INTERVALL (ENGINE_INTERVAL?)`. */
export const unknownText = ({ name, meant }: UnknownSetting): string =>
  meant === null ? name : `${name} (${meant}?)`;

function isOfOthers(name: string, value: string): boolean {
  if (OF_OTHERS.has(name) || SERVICE_LINK.test(name) || LINK_ADDRESS.test(value)) return true;
  return !name.startsWith("BERTH_") && isReservedName(name);
}

/** `ENGINE_` and the like: what several settings begin with. */
function sharedPrefixes(known: readonly string[]): string[] {
  const firsts = known
    .filter((name) => name.includes("_"))
    .map((name) => name.slice(0, name.indexOf("_") + 1));
  return [...new Set(firsts.filter((prefix, at) => firsts.indexOf(prefix) !== at)), "BERTH_"];
}

type Spelling = {
  name: string;
  /** Without what divides its words. */
  plain: string;
  /** A bit for each letter that it has. */
  letters: number;
};

function spelling(name: string, without = name): Spelling {
  const plain = without.toUpperCase().replaceAll(/[-_]/g, "");
  let letters = 0;
  for (let at = 0; at < plain.length; at += 1) letters |= 1 << (plain.charCodeAt(at) % 32);
  return { name, plain, letters };
}

function resembles(given: Spelling, wanted: Spelling): boolean {
  if (given.plain === wanted.plain) return true;
  const [name, known] = [given.name, wanted.name];
  // `WEBHOOK_BACKOFF_SECONDS`, for one that is called WEBHOOK_BACKOFF.
  if (known.includes("_") && (name.startsWith(`${known}_`) || known.startsWith(`${name}_`)))
    return name.includes("_");
  if (given.plain.length < SHORTEST || Math.abs(given.plain.length - wanted.plain.length) > 2) return false;
  const most = wanted.plain.length < LONG_NAME ? 1 : 2;
  // Each letter that one of them has nowhere takes a change; most names are told apart by that already.
  if (bits(given.letters & ~wanted.letters) > most || bits(wanted.letters & ~given.letters) > most)
    return false;
  return distance(given.plain, wanted.plain, most) <= most;
}

function bits(number: number): number {
  let count = 0;
  for (let left = number; left !== 0; left &= left - 1) count += 1;
  return count;
}

/**
 * How many letters have to be put in, left out, changed or swapped with their neighbour.
 * @param most it looks no further where there are more: some number above it then
 */
export function distance(from: string, to: string, most = Number.POSITIVE_INFINITY): number {
  const rows = [Array.from({ length: to.length + 1 }, (_, at) => at)];
  for (let i = 1; i <= from.length; i += 1) {
    const [above = [], before = []] = [rows[i - 1], rows[i - 2]];
    const row = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const changed = (above[j - 1] ?? 0) + Number(from[i - 1] !== to[j - 1]);
      const swapped =
        from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1] ? (before[j - 2] ?? changed) + 1 : changed;
      row.push(Math.min(changed, swapped, (above[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1));
    }
    rows.push(row);
    // Each way on leads through one of the two last rows.
    if (Math.min(...row, ...above) > most) return most + 1;
  }
  return rows[from.length]?.[to.length] ?? 0;
}
