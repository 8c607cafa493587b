import { chmodSync, chownSync, cpSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { SQL } from "bun";
import { freePort } from "../free-port.ts";
import { postgresPrograms } from "./programs.ts";

/** The address of a server that was started before, with a user who may make databases. */
export const SERVER_URL = "BERTH_TEST_POSTGRES";

const NO_SERVER = "no Postgres server is here";

/** Why the tests of Postgres do not run here; undefined where they do, and with `CI` set, where they fail instead. */
export const withoutPostgres = (): string | undefined =>
  process.env[SERVER_URL] || postgresPrograms() || process.env.CI ? undefined : NO_SERVER;

/** Postgres does not run as root: there it runs as somebody who owns nothing. */
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;

/**
 * Stops a server and removes its folder once nobody holds the other end of its input: `bun test` calls nobody when it
 * ends, and what is killed cannot.
 */
const WATCH = `trap "" INT TERM HUP
read -r _
pid=$(head -n 1 "$1/data/postmaster.pid" 2>/dev/null) && kill -INT "$pid" 2>/dev/null
while [ -n "$pid" ] && kill -0 "$pid" 2>/dev/null; do sleep 0.1; done
rm -rf "$1"`;

/** A Postgres server of the tests: real, on loopback, with nothing in it. */
export class PostgresServer {
  readonly port = freePort();
  readonly #folder = mkdtempSync(join(tmpdir(), "berth-postgres-"));
  readonly #programs: string;
  readonly #watch: Bun.Subprocess<"pipe", "ignore", "ignore">;
  #server: Bun.Subprocess | undefined;

  private constructor(programs: string) {
    chmodSync(this.#folder, 0o755);
    this.#programs = runsAsNobody(programs) ? programs : copied(programs, this.#folder);
    this.#watch = Bun.spawn(["sh", "-c", WATCH, "sh", this.#folder], {
      stdio: ["pipe", "ignore", "ignore"],
    });
    this.#watch.unref();
  }

  /** @param settings more of the server's settings, as `name=value` */
  static async start(settings: string[] = []): Promise<PostgresServer> {
    const programs = postgresPrograms();
    if (!programs) throw new Error(NO_SERVER);
    const server = new PostgresServer(programs);
    try {
      server.#initialize();
      await server.start(settings);
    } catch (error) {
      await server.remove();
      throw error;
    }
    return server;
  }

  /** The address of a database on it. */
  url(database = "postgres"): string {
    return `postgres://berth:berth@127.0.0.1:${this.port}/${database}`;
  }

  async start(settings: string[] = []): Promise<void> {
    const given = [`port=${this.port}`, "fsync=off", "max_connections=300", ...settings];
    this.#server = Bun.spawn(
      as(
        join(this.#programs, "postgres"),
        ...["-D", this.#data, "-k", this.#folder, "-h", "127.0.0.1"],
        ...given.flatMap((setting) => ["-c", setting]),
      ),
      { stdio: ["ignore", Bun.file(join(this.#folder, "log")), Bun.file(join(this.#folder, "log"))] },
    );
    await this.#answers();
  }

  /**
   * Stops it as an administrator does who cannot wait: connections break, what is committed stays.
   * @param how `immediate`: as a crash would; it has to recover at its next start
   */
  async stop(how: "fast" | "immediate" = "fast"): Promise<void> {
    this.#server?.kill(how === "fast" ? "SIGINT" : "SIGQUIT");
    await this.#server?.exited;
  }

  /** Stops it and removes all that it had. */
  async remove(): Promise<void> {
    await this.stop();
    this.#watch.stdin.end();
    await this.#watch.exited;
  }

  /** Of the process that all others of the server belong to. */
  get pid(): number {
    if (!this.#server) throw new Error("the server is not running");
    return this.#server.pid;
  }

  get #data(): string {
    return join(this.#folder, "data");
  }

  #initialize(): void {
    if (isRoot) chownSync(this.#folder, NOBODY, NOBODY);
    const command = as(
      join(this.#programs, "initdb"),
      ...["-D", this.#data, "-U", "berth", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync"],
    );
    const { exitCode, stdout, stderr } = Bun.spawnSync(command, { env: { PATH: process.env.PATH } });
    if (exitCode !== 0) throw new Error(`initdb: ${stdout}${stderr}`);
  }

  async #answers(): Promise<void> {
    for (;;) {
      if (this.#server?.exitCode !== null)
        throw new Error(`Postgres ended: ${await Bun.file(join(this.#folder, "log")).text()}`);
      const sql = new SQL(this.url(), { max: 1, connectionTimeout: 1 });
      const isThere = await sql.unsafe("select 1").then(
        () => true,
        () => false,
      );
      await sql.close();
      if (isThere) return;
      await Bun.sleep(20);
    }
  }
}

function as(...command: string[]): string[] {
  if (!isRoot) return command;
  return ["setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups", ...command];
}

/** Whether the user of the server may run these programs: a folder of root's own may be closed to others. */
const runsAsNobody = (programs: string): boolean =>
  Bun.spawnSync(as(join(programs, "postgres"), "--version"), { stderr: "ignore" }).exitCode === 0;

/** Puts a server's programs, with all that they look for beside them, into a folder that everybody may read. */
function copied(programs: string, folder: string): string {
  cpSync(dirname(programs), join(folder, "native"), { recursive: true, verbatimSymlinks: true });
  return join(folder, "native", "bin");
}

/** One for all test files of a worker, which takes it along when it ends. */
let shared: Promise<string> | undefined;

/** The address of a new, empty database, on the server of the test run or on one of this worker's own. */
export async function newDatabase(): Promise<string> {
  const server = await serverUrl();
  const name = `berth_${crypto.randomUUID().replaceAll("-", "")}`;
  await execute(server, `create database ${name}`);
  return databaseOn(server, name);
}

/** The address of another database of a server. */
export function databaseOn(server: string, name: string): string {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

/** The server of the test run, or one of this worker's own, which ends with it. */
export function serverUrl(): Promise<string> {
  shared ??= startedServer();
  return shared;
}

async function startedServer(): Promise<string> {
  const given = process.env[SERVER_URL];
  if (given) return given;
  const server = await PostgresServer.start();
  return server.url();
}

/** Runs a statement on a connection of its own. */
export async function execute(
  url: string,
  statement: string,
  values?: unknown[],
): Promise<Record<string, unknown>[]> {
  const sql = new SQL(url, { max: 1, bigint: true });
  try {
    const rows: Record<string, unknown>[] = await sql.unsafe(statement, values);
    return rows.map((row) =>
      Object.fromEntries(Object.entries(row).map(([key, value]) => [key, plain(value)])),
    );
  } finally {
    await sql.close();
  }
}

/** Counts and times of the tests are no wider than a number. */
const plain = (value: unknown) => (typeof value === "bigint" ? Number(value) : value);

/** Removes a database, whoever is still connected. */
export async function dropDatabase(url: string): Promise<void> {
  const at = new URL(url);
  const name = at.pathname.slice(1);
  at.pathname = "/postgres";
  await execute(at.href, `drop database if exists ${name} with (force)`);
}
