import { join } from "node:path";
import { SQL } from "bun";
import { databaseOn, PostgresServer } from "../../postgres/server.ts";
import { type BerthProcess, start } from "../berth-process.ts";
import { CRASH_PROJECT } from "../crash-round.ts";
import { type Balancer, balancer } from "./balancer.ts";

export const LEASE_MS = 3_000;
/** How far ahead the clock of one of them is. */
const AHEAD_MS = 5_000;

const BERTHS = 3;
const SECRETS_KEY = "a key for the secrets of the tests only";

type Row = Record<string, unknown>;

/**
 * Several Berths on one Postgres server behind a load balancer. The machine of the last one has a clock that is 5 s
 * ahead.
 */
export class Cluster {
  private constructor(
    readonly postgres: PostgresServer,
    readonly berths: BerthProcess[],
    readonly balancer: Balancer,
  ) {}

  static async start(env: Record<string, string> = {}, berths = BERTHS): Promise<Cluster> {
    const postgres = await PostgresServer.start();
    const started: BerthProcess[] = [];
    const cluster = new Cluster(postgres, started, await balancer(() => started.map(({ url }) => url)));
    try {
      await ask(postgres.url(), "create database chaos");
      const url = databaseOn(postgres.url(), "chaos");
      const settings = { DATABASE_URL: url, SECRETS_KEY, RUN_LEASE_MS: String(LEASE_MS), ...env };
      for (let at = 0; at < berths; at += 1) {
        const off = at === berths - 1 ? aheadBy(AHEAD_MS) : {};
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

  async stop(): Promise<void> {
    await this.balancer.stop();
    await Promise.all(this.berths.map((berth) => berth.stop()));
    await this.postgres.remove();
  }
}

/** The settings of a process whose machine has another time. */
function aheadBy(ms: number): Record<string, string> {
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
