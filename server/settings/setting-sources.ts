import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { IN_FILE, SettingError } from "./setting.ts";

/** Texts by setting name: `{ PORT: "8123" }`. */
export type Texts = Readonly<Record<string, string | undefined>>;

/** Where settings come from. */
export type SettingsSource = { from: "flag" | "environment" | ".dev.vars" | ".env"; texts: Texts };

/** Everything that settings are looked for in, the strongest first. Of files it reads these two of the project. */
export const sourcesOf = (flags: Texts, environment: Texts, projectDir: string): SettingsSource[] => [
  { from: "flag", texts: flags },
  { from: "environment", texts: environment },
  { from: ".dev.vars", texts: fileTexts(projectDir, ".dev.vars") },
  { from: ".env", texts: fileTexts(projectDir, ".env") },
];

function fileTexts(projectDir: string, name: string): Texts {
  const path = join(projectDir, name);
  return existsSync(path) ? parseEnv(readFileSync(path, "utf8")) : {};
}

/** What somebody gave: under which name, in which words, and the text that is meant by them. */
export type Given = { name: string; given: string; text: string };

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
