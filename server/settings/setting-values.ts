import { resolve } from "node:path";
import { blockList } from "../reach/index.ts";
import { type Parse, SettingError, taking } from "./setting.ts";

// What settings may be; each throws `SettingError`.

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
export const list = <T>(item: Parse<T>): Parse<readonly T[]> =>
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

/** A path as an absolute one. */
export const path: Parse<string> = (given) => resolve(given);

/** Addresses, or ranges of them. */
export const addressRange: Parse<string> = (given, name) => {
  try {
    blockList([given]);
    return given;
  } catch {
    throw new SettingError(name, given, "must be ranges of addresses such as 10.0.0.0/8");
  }
};

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // Not encoded at all, as people do.
    return text;
  }
}
