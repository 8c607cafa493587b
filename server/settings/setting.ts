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

export const text: Parse<string> = (given) => given;

export const integer = (least: number, most: number): Parse<number> =>
  taking(`${least.toLocaleString("en")} to ${most.toLocaleString("en")}`, (given, name) => {
    const value = /^\d+$/.test(given) ? Number(given) : Number.NaN;
    if (value >= least && value <= most) return value;
    throw new SettingError(name, given, `must be a whole number from ${least} to ${most}`);
  });

export const boolean: Parse<boolean> = taking("`true` or `false`", (given, name) => {
  if (/^(?:true|1|yes|on)$/i.test(given)) return true;
  if (/^(?:false|0|no|off)$/i.test(given)) return false;
  throw new SettingError(name, given, "must be true or false");
});

export const oneOf = <const T extends string>(words: readonly T[]): Parse<T> =>
  taking(words.map((word) => `\`${word}\``).join(", "), (given, name) => {
    const word = words.find((known) => known === given.toLowerCase());
    if (word === undefined) throw new SettingError(name, given, `must be one of ${words.join(", ")}`);
    return word;
  });

/** Comma-separated; empty parts are dropped. */
export const list = <T>(item: Parse<T>): Parse<T[]> =>
  taking(`${item.takes ?? "values"}; several with commas`, (given, name) =>
    given
      .split(",")
      .map((part) => part.trim())
      .filter((part) => part !== "")
      .map((part) => item(part, name)),
  );

/** `name=value`, several by commas; what is special in a value is percent-encoded. */
export const pairs: Parse<Readonly<Record<string, string>>> = taking(
  "`name=value`; several with commas",
  (given, name) => {
    const parts = given.split(",").filter((part) => part.trim() !== "");
    return Object.fromEntries(
      parts.map((part) => {
        const at = part.indexOf("=");
        if (at < 1)
          throw new SettingError(name, given, "must be name=value, several with commas between them");
        return [part.slice(0, at).trim(), decoded(part.slice(at + 1).trim())];
      }),
    );
  },
);

/** A share of all, from 0 to 1. */
export const share: Parse<number> = taking("0 to 1", (given, name) => {
  const value = /^(?:\d+(?:\.\d*)?|\.\d+)$/.test(given) ? Number(given) : Number.NaN;
  if (value >= 0 && value <= 1) return value;
  throw new SettingError(name, given, "must be a number from 0 to 1");
});

/** A number that need not be whole, such as 0.5; 0 for none. */
export const amount = (least: number, most: number): Parse<number> =>
  taking(`0, or ${least} to ${most.toLocaleString("en")}`, (given, name) => {
    const value = /^(?:\d+(?:\.\d*)?|\.\d+)$/.test(given) ? Number(given) : Number.NaN;
    if (value === 0 || (value >= least && value <= most)) return value;
    throw new SettingError(name, given, `must be 0 or a number from ${least} to ${most}`);
  });

const IN_MB: Readonly<Record<string, number>> = { M: 1, G: 1_024, T: 1_048_576 };

/** An amount of memory with its unit, in MiB; 0 for none. A bare number would be bytes to one and MiB to another. */
export const megabytes = (least: number, most: number): Parse<number> =>
  taking(`0, or a size from \`${least}M\` such as \`1.5G\``, (given, name) => {
    if (given === "0") return 0;
    const [, number = "", unit = ""] = /^(\d+(?:\.\d+)?)([MGT])(?:iB)?$/i.exec(given) ?? [];
    const value = Math.floor(Number(number) * (IN_MB[unit.toUpperCase()] ?? Number.NaN));
    if (value >= least && value <= most) return value;
    throw new SettingError(name, given, `must be 0 or a size such as 512M or 1.5G, ${least}M at least`);
  });

/** An http(s) address without a slash at its end. */
export const url: Parse<string> = taking("an http(s) address", (given, name) => {
  if (!/^https?:\/\//i.test(given) || !URL.canParse(given))
    throw new SettingError(name, given, "must be an http:// or https:// address");
  return given.replace(/\/+$/, "");
});

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // Not encoded at all, as people do.
    return text;
  }
}

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
