import { type ServerMoment, serverVersion } from "@berth/store";
import { BackupError } from "./manifest.ts";

/** How a backup comes from a Postgres server, and back to it. */
const DUMP = "pg_dump";
const RESTORE = "pg_restore";

/** Of everything, in the form that `pg_restore` takes; who owns it is whoever restores it. */
const DUMP_OPTIONS = ["--format=custom", "--no-owner", "--no-privileges", "--no-password"];
const RESTORE_OPTIONS = ["--no-owner", "--no-privileges", "--no-password", "--exit-on-error"];

/**
 * Says before anything is done what is missing.
 * @throws BackupError a program is not there, or too old for the server
 */
export async function requireServerPrograms(url: string): Promise<void> {
  const version = await serverVersion(url);
  for (const program of [DUMP, RESTORE]) {
    if (Bun.which(program) === null)
      throw new BackupError(
        `${program} is not on the PATH, and a database on a server is backed up and restored with it: install the client programs of PostgreSQL ${version} or later (Debian: postgresql-client-${version}), or use the backups of whoever runs the server, with a copy of the data folder beside it`,
      );
    const own = await versionOf(program);
    if (own < version)
      throw new BackupError(
        `${program} is of version ${own}, and the server of ${version}: install the client programs of PostgreSQL ${version} or later`,
      );
  }
}

async function versionOf(program: string): Promise<number> {
  const text = await answerOf([program, "--version"], {});
  return Number(/\(PostgreSQL\) (\d+)/.exec(text)?.[1] ?? 0);
}

/** Writes a dump of one moment of a database, and reads it through. @throws BackupError */
export async function dumpServer(url: string, { snapshot }: ServerMoment, to: string): Promise<void> {
  const { address, env } = withoutPassword(url);
  await answerOf([DUMP, ...DUMP_OPTIONS, `--snapshot=${snapshot}`, `--file=${to}`, address], env);
  await readDump(to);
}

/** Reads a dump from its first byte to its last. @throws BackupError it is damaged */
export async function readDump(file: string): Promise<void> {
  await answerOf([RESTORE, "--file=/dev/null", file], {});
}

/** Brings a dump into an empty database, whole or not at all. @throws BackupError */
export async function restoreServer(url: string, file: string): Promise<void> {
  const { address, env } = withoutPassword(url);
  await answerOf([RESTORE, ...RESTORE_OPTIONS, "--single-transaction", `--dbname=${address}`, file], env);
}

/** The list of processes shows what a program is called with, to everybody. */
function withoutPassword(url: string): { address: string; env: Record<string, string> } {
  const address = new URL(url);
  const password = decodeURIComponent(address.password);
  address.password = "";
  return { address: address.href, env: password === "" ? {} : { PGPASSWORD: password } };
}

/** What a program prints. @throws BackupError with the last line that it says about a failure */
async function answerOf(command: string[], env: Record<string, string>): Promise<string> {
  const child = Bun.spawn(command, {
    env: { ...process.env, LC_ALL: "C", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [text, words] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  if ((await child.exited) === 0) return text;
  const said =
    words
      .trim()
      .split("\n")
      .find((line) => /error|fatal/i.test(line)) ?? words.trim();
  throw new BackupError(said || `${command[0]} ended without a reason`);
}
