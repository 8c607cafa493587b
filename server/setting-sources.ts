import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";

/** Texts by setting name: `{ PORT: "8123" }`. */
export type Texts = Readonly<Record<string, string | undefined>>;

/** Where settings come from. */
export type Source = { from: "flag" | "environment" | ".dev.vars" | ".env"; texts: Texts };

/** Everything that settings are looked for in, the strongest first. Of files it reads these two of the project. */
export const sourcesOf = (flags: Texts, environment: Texts, projectDir: string): Source[] => [
  { from: "flag", texts: flags },
  { from: "environment", texts: environment },
  { from: ".dev.vars", texts: fileTexts(projectDir, ".dev.vars") },
  { from: ".env", texts: fileTexts(projectDir, ".env") },
];

function fileTexts(projectDir: string, name: string): Texts {
  const path = join(projectDir, name);
  return existsSync(path) ? parseEnv(readFileSync(path, "utf8")) : {};
}
