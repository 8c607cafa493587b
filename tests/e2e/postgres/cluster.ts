import { join } from "node:path";
import { SQL } from "bun";
import { databaseOn, PostgresServer } from "../../postgres/server.ts";
import { type BerthProcess, start } from "../berth-process.ts";
import { CRASH_PROJECT } from "../crash-round.ts";
import { type Balancer, balancer } from "./balancer.ts";

export const LEASE_MS = 3_000;
/** How far ahead the clock of each of them is, in turn: the last one's is ahead, the one before it behind. */
const AHEAD_MS = [0, -5_000, 5_000];

const BERTHS = 3;
/** What each caller has to have. */
export const KEY = "the key of the Berths of the tests only";
const SECRETS_KEY = "a key for the secrets of the tests only";

type Row = Record<string, unknown>;

/**
 * Several Berths on one Postgres server behind a load balancer, which brings their key along. The clocks of two of
 * their machines are 5 s off, one ahead and one behind.
 */
export class Cluster {
  /** What those printed that were killed. */
  readonly #lastWords: string[] = [];

  private constructor(
    readonly postgres: PostgresServer,
    readonly berths: BerthProcess[],
    readonly balancer: Balancer,
  ) {}

  static async start(env: Record<string, string> = {}, berths = BERTHS): Promise<Cluster> {
    const postgres = await PostgresServer.start();
    const started: BerthProcess[] = [];
    const between = await balancer(() => started.map(({ url }) => url), [`x-api-key: ${KEY}`]);
    const cluster = new Cluster(postgres, started, between);
    try {
      await ask(postgres.url(), "create database chaos");
      const url = databaseOn(postgres.url(), "chaos");
      const keys = { SECRETS_KEY, SERVICE_API_KEY: KEY };
      const settings = {
        DATABASE_URL: url,
        ...keys,
        RUN_LEASE_MS: String(LEASE_MS),
        LOG_LEVEL: "info",
        ...env,
      };
      for (let at = 0; at < berths; at += 1) {
        const off = aheadBy(AHEAD_MS[at % AHEAD_MS.length] ?? 0);
        started.push(await start({ project: CRASH_PROJECT, sources: true, env: { ...settings, ...off } }));
      }
      return cluster;
    } catch (error) {
      await cluster.stop();
      throw error;
    }
  }

  get url(): string {
    return this.balancer.url;
  }

  /** Asks the database beside everybody. */
  query(statement: string): Promise<Row[]> {
    return ask(databaseOn(this.postgres.url(), "chaos"), statement);
  }

  /** Kills one of them as a power cut would. */
  async kill9(at: number): Promise<BerthProcess> {
    const berth = this.berths[at];
    if (!berth) throw new Error("there is no such Berth");
    await berth.kill9();
    this.#lastWords.push(berth.output());
    return berth;
  }

  /** Attempts whose lease was over before their end, as those say who took the runs back: `RUN ATTEMPT`. */
  lapsed(): Set<string> {
    const printed = [...this.#lastWords, ...this.berths.map((berth) => berth.output())].join("\n");
    const lines = printed
      .split("\n")
      .filter((line) => line.includes('"message":"run.lapsed"') && line.endsWith("}"));
    return new Set(
      lines.map((line) => {
        const { run_id, attempt } = JSON.parse(line) as { run_id: string; attempt: number };
        return `${run_id} ${attempt}`;
      }),
    );
  }

  async stop(): Promise<void> {
    await this.balancer.stop();
    await Promise.all(this.berths.map((berth) => berth.stop()));
    await this.postgres.remove();
  }
}

/** The settings of a process whose machine has another time. */
function aheadBy(ms: number): Record<string, string> {
  if (ms === 0) return {};
  return { BUN_OPTIONS: `--preload ${join(import.meta.dir, "clock-ahead.ts")}`, CLOCK_AHEAD_MS: String(ms) };
}

async function ask(url: string, statement: string): Promise<Row[]> {
  const sql = new SQL(url, { max: 1 });
  try {
    return await sql.unsafe(statement);
  } finally {
    await sql.close();
  }
}
