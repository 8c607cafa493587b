import { type ServerMoment, serverVersion } from "@berth/store";
import type { Texts } from "../settings/index.ts";
import { BackupError } from "./manifest.ts";

/** What a backup comes from a Postgres server with, and goes back. */
const DUMP = "pg_dump";
const RESTORE = "pg_restore";

/** Of everything, in the form that `pg_restore` takes; who owns it is whoever restores it. */
const DUMP_OPTIONS = ["--format=custom", "--no-owner", "--no-privileges", "--no-password"];
const RESTORE_OPTIONS = ["--no-owner", "--no-privileges", "--no-password", "--exit-on-error"];

/** The programs of a server, as they are called for one database. */
export class ServerPrograms {
  readonly #address: string;
  readonly #env: Texts;

  /** @param environment of this process: where programs and certificates are */
  constructor(
    private readonly url: string,
    environment: Texts,
  ) {
    const address = new URL(url);
    const password = decodeURIComponent(address.password);
    // The list of processes shows what a program is called with, to everybody.
    address.password = "";
    this.#address = address.href;
    this.#env = { ...environment, LC_ALL: "C", ...(password !== "" && { PGPASSWORD: password }) };
  }

  /**
   * Says before anything is done what is missing.
   * @throws BackupError a program is not there, or too old for the server
   */
  async require(): Promise<void> {
    const version = await serverVersion(this.url);
    for (const program of [DUMP, RESTORE]) {
      if (Bun.which(program, { PATH: this.#env.PATH ?? "" }) === null)
        throw new BackupError(
          `${program} is not on the PATH, and a database on a server is backed up and restored with it: install the client programs of PostgreSQL ${version} or later (Debian: postgresql-client-${version}), or use the backups of whoever runs the server, with a copy of the data folder beside it`,
        );
      const text = await this.#answer([program, "--version"]);
      const own = Number(/\(PostgreSQL\) (\d+)/.exec(text)?.[1] ?? 0);
      if (own < version)
        throw new BackupError(
          `${program} is of version ${own}, and the server of ${version}: install the client programs of PostgreSQL ${version} or later`,
        );
    }
  }

  /** Writes a dump of one moment of the database, and reads it through. @throws BackupError */
  async dump({ snapshot }: ServerMoment, to: string): Promise<void> {
    await this.#answer([DUMP, ...DUMP_OPTIONS, `--snapshot=${snapshot}`, `--file=${to}`, this.#address]);
    await this.read(to);
  }

  /** Reads a dump from its first byte to its last. @throws BackupError it is damaged */
  async read(file: string): Promise<void> {
    await this.#answer([RESTORE, "--file=/dev/null", file]);
  }

  /** Brings a dump into the database, which is empty: whole or not at all. @throws BackupError */
  async restore(file: string): Promise<void> {
    const into = ["--single-transaction", `--dbname=${this.#address}`];
    await this.#answer([RESTORE, ...RESTORE_OPTIONS, ...into, file]);
  }

  /** What a program prints. @throws BackupError with the line that it says about a failure */
  async #answer(command: string[]): Promise<string> {
    const child = Bun.spawn(command, { env: this.#env, stdio: ["ignore", "pipe", "pipe"] });
    const [text, words] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ]);
    if ((await child.exited) === 0) return text;
    const said = words
      .trim()
      .split("\n")
      .find((line) => /error|fatal/i.test(line));
    throw new BackupError(said ?? (words.trim() || `${command[0]} ended without a reason`));
  }
}
