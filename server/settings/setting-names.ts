import type { Logger } from "@logtape/logtape";
import { everySetting } from "./config.ts";
import { IN_FILE, ownName, ownTexts, type Texts } from "./setting.ts";

/** Names of other programs that Berth reads as well: code of a project may need them for its own calls. */
const OF_OTHER_PROGRAMS = /^AWS_/;

/** Settings that describe a project's own graphs, so that the project sets them. */
const OF_PROJECTS = new Set(["LANGGRAPH_CONFIG"]);

/** Every name that sets something, without those that begin with `BERTH_`. */
const plainNames = (): string[] =>
  everySetting().flatMap(({ names, isSecret }) =>
    isSecret ? names.flatMap((name) => [name, name + IN_FILE]) : names,
  );

/** Every name that sets something, in both forms. */
export const settingNames = (): ReadonlySet<string> =>
  new Set(plainNames().flatMap((name) => [name, ownName(name)]));

/**
 * What sets Berth in the environment of a process: everything, or only names with `BERTH_`.
 * @param isProjects whether all other names are the project's, as in a deployed process
 */
export function settingsIn(environment: Texts, isProjects: boolean): Texts {
  if (!isProjects) return environment;
  const described = Object.entries(environment).filter(([name]) => OF_PROJECTS.has(name));
  return { ...Object.fromEntries(described), ...ownTexts(environment) };
}

/** Removes Berth's settings from the environment that code of the project will see. */
export function hideSettings(environment: Record<string, string | undefined>, isProjects: boolean): void {
  for (const name of plainNames()) {
    delete environment[ownName(name)];
    if (!isProjects && !OF_OTHER_PROGRAMS.test(name)) delete environment[name];
  }
}

/** The texts without Berth's settings. */
export function withoutSettings(texts: Texts): Texts {
  const names = settingNames();
  return Object.fromEntries(Object.entries(texts).filter(([name]) => !names.has(name)));
}

/** Logs which variables of a project Berth 0.1.0 took for settings of its own. */
export function warnOfProjectNames(place: string, texts: Texts, log: Logger): void {
  const isTheirs = (name: string) => OF_PROJECTS.has(name) || OF_OTHER_PROGRAMS.test(name);
  // Where Berth's own name is set as well, the two were told apart already.
  const names = plainNames().filter((name) => texts[name] && !texts[ownName(name)] && !isTheirs(name));
  if (names.length === 0) return;
  const own = names.map(ownName).join(", ");
  log.warn(
    `${place} sets ${names.join(", ")} for the project only. Settings of Berth are flags, Berth's own environment, or ${own}`,
  );
}
