import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";

const LONGEST_SHOWN = 80;
/** Behind the name of a secret: the file that holds it. */
export const IN_FILE = "_FILE";

/** A setting that cannot be used; its message is one line for the person who set it. */
export class SettingError extends Error {
  override name = "SettingError";

  constructor(setting: string, given: string, rule: string) {
    super(`${setting} ${rule}, not "${shown(setting, given).slice(0, LONGEST_SHOWN)}"`);
  }
}

/** Turns the text of a setting into its value, or throws `SettingError`; `takes` tells people what it may be. */
export type Parse<T> = ((given: string, name: string) => T) & {
  readonly takes?: string;
  /** Its text may be in a file that the setting of this name with `_FILE` behind it names. */
  readonly isSecret?: boolean;
};

/** `parse` with words on what it takes, in Markdown. */
export const taking = <T>(takes: string, parse: Parse<T>): Parse<T> =>
  Object.assign((given: string, name: string) => parse(given, name), { takes });

/** `parse` of what nobody else may read: it can be given in a file, so that it is in no environment. */
export const secret = <T>(parse: Parse<T>): Parse<T> =>
  Object.assign((given: string, name: string) => parse(given, name), {
    ...(parse.takes !== undefined && { takes: parse.takes }),
    isSecret: true,
  });

/** What a setting is for, in Markdown; `usual` where its default cannot be told from its value. */
type Meaning = Readonly<{ means: string; usual?: string }>;

/**
 * Declares a setting, and reads it: its name with its aliases behind it, what it may be, what it is without, and what
 * it is for.
 */
export type Read = {
  <T>(names: string | [string, ...string[]], parse: Parse<T>, fallback: null, meaning: Meaning): T | null;
  <T>(names: string | [string, ...string[]], parse: Parse<T>, fallback: NoInfer<T>, meaning: Meaning): T;
};

/** All that is known of a setting, under a heading of `docs/configuration.md`. */
export type DeclaredSetting = Meaning &
  Readonly<{ area: string; names: readonly string[]; takes: string; isSecret: boolean; fallback: unknown }>;

/** The text of a setting as it may be shown: secrets are in some, and logins in addresses. */
export function shown(setting: string, given: string): string {
  if (isSecretName(setting) && !setting.endsWith(IN_FILE)) return MASK;
  // Who can log in to a database is in its address.
  return given.replace(/:\/\/[^@/]*@/, `://${MASK}@`);
}

export const MASK = "***";

export const isSecretName = (name: string): boolean => /KEY|SECRET|TOKEN|PASSWORD|HEADERS/i.test(name);

/** Texts by setting name: `{ PORT: "8123" }`. */
export type Texts = Readonly<Record<string, string | undefined>>;

/** Where settings come from. */
export type SettingsSource = { from: "flag" | "environment" | ".dev.vars" | ".env"; texts: Texts };

/** In front of the name of a setting: the variable is Berth's, and never of a project. */
const PREFIX = "BERTH_";

/** The name of a setting that is Berth's only: `BERTH_PORT` of `PORT`. */
export const ownName = (name: string): string => (name.startsWith(PREFIX) ? name : PREFIX + name);

/** The text of a setting under its two names; Berth's own name wins. */
export const settingText = (texts: Texts, name: string): string | undefined =>
  texts[ownName(name)] || texts[name];

/** The texts whose names are Berth's only. */
export const ownTexts = (texts: Texts): Texts =>
  Object.fromEntries(Object.entries(texts).filter(([name]) => name.startsWith(PREFIX)));

/** A folder with one of these files is a project. */
export const PROJECT_FILES = ["graph.json", "langgraph.json"];

const isProject = (folder: string): boolean => PROJECT_FILES.some((name) => existsSync(join(folder, name)));

/**
 * Returns everything that settings are looked up in, the strongest first.
 * @param folder the folder in which Berth was started; null where no file counts. The files of a project are the
 *   project's: of these, only names with `BERTH_` set something.
 */
export const sourcesOf = (flags: Texts, environment: Texts, folder: string | null): SettingsSource[] => [
  { from: "flag", texts: flags },
  { from: "environment", texts: environment },
  ...FILES.map((from) => ({ from, texts: folder === null ? {} : settingsIn(folder, from) })),
];

const FILES = [".dev.vars", ".env"] as const;

function settingsIn(folder: string, name: string): Texts {
  const texts = fileTexts(folder, name);
  return isProject(folder) ? ownTexts(texts) : texts;
}

/** What the two files of a folder set, by the name of the file. */
export const folderTexts = (folder: string): { file: string; texts: Texts }[] =>
  FILES.map((file) => ({ file, texts: fileTexts(folder, file) }));

function fileTexts(folder: string, name: string): Texts {
  const path = join(folder, name);
  return existsSync(path) ? parseEnv(readFileSync(path, "utf8")) : {};
}

/** What somebody gave: under which name, in which words, and the text that is meant by them. */
type Given = { name: string; given: string; text: string };

/** A setting as it was set; undefined where it was not. */
export function textGiven(texts: Texts, name: string): Given | undefined {
  const given = texts[name]?.trim() ?? "";
  return given === "" ? undefined : { name, given, text: given };
}

/**
 * A secret as it is in the file that `NAME_FILE` names; undefined where none is named.
 * @throws SettingError the file cannot be read, or the secret is set as well
 */
export function fileGiven(texts: Texts, secret: string): Given | undefined {
  const found = textGiven(texts, secret + IN_FILE);
  if (!found) return undefined;
  const { name, given } = found;
  if (textGiven(texts, secret))
    throw new SettingError(name, given, `and ${secret} do not go together; leave out`);
  const text = textIn(given, name);
  if (text === "") throw new SettingError(name, given, "must name a file that is not empty");
  return { name, given, text };
}

function textIn(file: string, name: string): string {
  try {
    return readFileSync(file, "utf8").trim();
  } catch {
    throw new SettingError(name, file, "must name a file that can be read");
  }
}
