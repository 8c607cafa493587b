import { readFileSync } from "node:fs";
import type { Texts } from "../settings/index.ts";
import { UsageError } from "./arguments.ts";

/** The option that names the file. */
export const environmentFile = {
  type: "string",
  valueHint: "FILE",
  description: "File with settings of the service (EnvironmentFile of its unit), read as systemd reads it",
} as const;

/**
 * What a program is told whose `EnvironmentFile` this is (systemd.exec(5)): a value is taken as it is, also with a
 * `#` in it, unless it is quoted.
 * @throws UsageError it cannot be read
 */
export function readEnvironmentFile(path: string): Texts {
  try {
    return parseEnvironmentFile(readFileSync(path, "utf8"));
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === undefined) throw error;
    const advice = code === "EACCES" ? ": call it as the user who may, such as root" : "";
    throw new UsageError(`${path} cannot be read (${code})${advice}`);
  }
}

/** The environment that is judged: of what is called here only where programs are, once a file says the rest. */
export function judgedEnvironment(file: string | undefined, own: Texts): Texts {
  return file === undefined ? own : { PATH: own.PATH, ...readEnvironmentFile(file) };
}

const LINE = /^\s*([A-Za-z_]\w*)\s*=((?:"(?:\\[\s\S]|[^"\\])*"|'[^']*'|\\[\s\S]|[^\n"'\\])*)/;

export function parseEnvironmentFile(text: string): Record<string, string> {
  const found: Record<string, string> = {};
  let rest = text.replaceAll("\r\n", "\n");
  while (rest !== "") {
    const [line = "", name, value = ""] = LINE.exec(rest) ?? [];
    if (name !== undefined) found[name] = unquoted(value.trim());
    // Whatever is no assignment, a comment among others, counts as far as its line goes.
    const end = rest.indexOf("\n", line.length);
    rest = end === -1 ? "" : rest.slice(end + 1);
  }
  return found;
}

function unquoted(value: string): string {
  return value.replaceAll(
    /"((?:\\[\s\S]|[^"\\])*)"|'([^']*)'|\\([\s\S])/g,
    (_, double?: string, single?: string, escaped?: string) =>
      double?.replaceAll(/\\([\s\S])/g, (all, sign: string) =>
        sign === "\n" ? "" : '"\\`$'.includes(sign) ? sign : all,
      ) ??
      single ??
      (escaped === "\n" ? "" : (escaped ?? "")),
  );
}
