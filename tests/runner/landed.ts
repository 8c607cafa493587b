import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./run.ts";

const FOLDER = join(ROOT, "store", "migrations");
export const LANDED = join(FOLDER, "landed.json");
/** Every migration by its name, as the program imports them. */
export const LIST = join(FOLDER, "list.ts");

/** The database of a migration's time, as SQL. */
export const databaseOf = (migration: string) => join(ROOT, "tests", "store", "landed", `${migration}.sql`);

/** Migration name → SHA-256 of its file when it landed. */
export function readLanded(): Record<string, string> {
  return existsSync(LANDED) ? JSON.parse(readFileSync(LANDED, "utf8")) : {};
}

/** What of that is committed, and so final; without Git, all of it. */
export function readCommitted(): Record<string, string> {
  const git = ["git", "show", "HEAD:store/migrations/landed.json"];
  const { success, stdout } = Bun.spawnSync(git, { cwd: ROOT, stderr: "ignore" });
  return success ? JSON.parse(stdout.toString()) : readLanded();
}

export function hashOf(migration: string): string {
  return new Bun.CryptoHasher("sha256").update(readFileSync(join(FOLDER, `${migration}.ts`))).digest("hex");
}

/** The names of the migrations that have a file, in their order. */
export function migrationFiles(): string[] {
  const files = readdirSync(FOLDER).filter((file) => /^\d{4}-.+\.ts$/.test(file));
  return files.map((file) => file.slice(0, -".ts".length)).sort();
}

/** The text of `LIST`. An executable has no folder to look into, so it imports each migration by its name. */
export function listText(): string {
  const all = migrationFiles().map((name) => ({ name, as: camelCased(name.slice("0000-".length)) }));
  return `// Made by \`bun run land\` from the files of this folder. Edits here are lost.
import type { Migration } from "kysely/migration";
${all.map(({ name, as }) => `import { up as ${as} } from "./${name}.ts";`).join("\n")}

/** Every schema change in order. A landed one is final: later ones may only be added behind it. */
export const migrations: Record<string, Migration> = {
${all.map(({ name, as }) => `  "${name}": { up: ${as} },`).join("\n")}
};
`;
}

const camelCased = (words: string) => words.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());
