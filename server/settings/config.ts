import { betweenBerths } from "./between-berths.ts";
import { deployments } from "./deployments.ts";
import { logs } from "./logs.ts";
import { quotas } from "./quotas.ts";
import { runs } from "./runs.ts";
import {
  type DeclaredSetting,
  fileGiven,
  ownName,
  type Parse,
  type Read,
  type SettingsSource,
  sourcesOf,
  type Texts,
  textGiven,
} from "./setting.ts";
import { telemetry } from "./telemetry.ts";
import { tracesAndIssues } from "./traces-and-issues.ts";
import { webhooks } from "./webhooks.ts";
import { whatIsKept } from "./what-is-kept.ts";
import { whereItListens } from "./where-it-listens.ts";
import { whoMayCall } from "./who-may-call.ts";

export type { Texts } from "./setting.ts";

/** What the process was told, typed and checked. Durations are in the unit that their name says. */
export type Settings = ReturnType<typeof settingsBy>;

export type ControlPlaneSettings = Settings["control"];
export type TelemetrySettings = Settings["telemetry"];
export type BackupSettings = Settings["backup"];
/** How S3-like storage is reached. */
export type BucketAccess = Settings["bucket"];

/** Every setting, by the areas of `docs/configuration.md` in their order. */
function settingsBy(look: Look, isTerminal: boolean) {
  const reading = (area: string) => readBy(look, area);
  return Object.freeze({
    ...whereItListens(reading("Where it listens")),
    ...whoMayCall(reading("Who may call")),
    ...whatIsKept(reading("What is kept")),
    ...runs(reading("Runs")),
    ...deployments(reading("Deployments")),
    ...quotas(reading("Quotas of a workspace")),
    ...tracesAndIssues(reading("Traces and issues")),
    ...webhooks(reading("Webhooks")),
    ...telemetry(reading("Telemetry")),
    ...logs(reading("Logs"), isTerminal),
    ...betweenBerths(reading("For tests, and between a Berth and what it deploys")),
  });
}

/** Finds the value of a setting. */
type Look = <T, D>(setting: DeclaredSetting, parse: Parse<T>, fallback: D) => T | D;

const readBy =
  (look: Look, area: string): Read =>
  <T, D>(names: Parameters<Read>[0], parse: Parse<T>, fallback: D, meaning: Parameters<Read>[3]) => {
    const { takes = "", isSecret = false } = parse;
    return look({ area, names: [names].flat(), takes, isSecret, fallback, ...meaning }, parse, fallback);
  };

/** Every setting that there is, for documentation. */
export function everySetting(): DeclaredSetting[] {
  const all: DeclaredSetting[] = [];
  settingsBy((setting, _, fallback) => {
    all.push(setting);
    return fallback;
  }, false);
  return all;
}

/** How a setting was found: under which of its names, in which words, by whom; without them it is the default. */
export type FoundSetting = DeclaredSetting & {
  found: { name: string; given: string; from: SettingsSource["from"] } | null;
};

/** What the settings depend on beside their own text. */
type Surroundings = { isTerminal: boolean };

const usualSurroundings = (): Surroundings => ({ isTerminal: process.stdout.isTTY === true });

/**
 * Reads every setting: a flag beats the environment, which beats `.env` and `.dev.vars` of the folder in which Berth was
 * started (the latter wins, it is the more local one). Reads those two files, and those that a `NAME_FILE` of a secret
 * names.
 * @throws SettingError one line that names the setting
 */
export function readSettings(
  flags: Texts,
  environment: Texts,
  folder: string,
  surroundings?: Surroundings,
): Settings {
  return findSettings(sourcesOf(flags, environment, folder), surroundings).settings;
}

/** Reads every setting, and tells of each where it came from. Throws the first `SettingError` of several. */
export function findSettings(
  sources: readonly SettingsSource[],
  { isTerminal }: Surroundings = usualSurroundings(),
): { settings: Settings; found: FoundSetting[] } {
  const found: FoundSetting[] = [];
  const faults: unknown[] = [];
  const settings = settingsBy((setting, parse, fallback) => {
    try {
      const given = givenIn(sources, setting);
      found.push({ ...setting, found: given && { name: given.name, given: given.given, from: given.from } });
      return given ? parse(given.text, given.as) : fallback;
    } catch (fault) {
      faults.push(fault);
      return fallback;
    }
  }, isTerminal);
  if (faults.length > 0) throw faults[0];
  return { settings, found };
}

/** What somebody gave for a setting, the strongest; null where nobody did. */
function givenIn(sources: readonly SettingsSource[], { names, isSecret }: DeclaredSetting) {
  for (const { from, texts } of sources)
    for (const name of [...names.map(ownName), ...names]) {
      const given = (isSecret && fileGiven(texts, name)) || textGiven(texts, name);
      if (given) return { ...given, as: name, from };
    }
  return null;
}

/** The base of absolute addresses once the port is known. A wildcard host is no address to give away. */
export function publicUrlOf({ publicUrl, host }: Settings, port: number): string {
  if (publicUrl !== null) return publicUrl;
  const name = ["0.0.0.0", "::", "[::]", ""].includes(host) ? "127.0.0.1" : host;
  return `http://${name.includes(":") && !name.startsWith("[") ? `[${name}]` : name}:${port}`;
}
