import { WAIT_LIMIT_MS } from "../../limits.ts";
import { dropDatabase, execute, newDatabase } from "../../postgres/server.ts";
import { type BerthProcess, type StartOptions, start } from "../berth-process.ts";
import { until } from "../condition.ts";
import { DeploymentApi } from "../deployment-api.ts";

export const KEY = "a-key-for-both-machines";

/** Two Berths, each with a data folder of its own as on two machines, on one database. */
export class TwoBerths {
  private constructor(
    readonly database: string,
    /** Runs the deployments. */
    public leader: BerthProcess,
    public other: BerthProcess,
  ) {}

  static async start(env: Record<string, string> = {}, database?: string): Promise<TwoBerths> {
    const url = database ?? (await newDatabase());
    const options: StartOptions = { env: { ...settingsFor(url), ...env } };
    const leader = await start(options);
    await until(
      "the first to lead",
      () => leaderOf(url),
      (address) => address === leader.url,
    );
    return new TwoBerths(url, leader, await start(options));
  }

  /** The control plane at the one that does not lead. */
  get api(): DeploymentApi {
    return new DeploymentApi(() => this.other.url, KEY);
  }

  get apiOfLeader(): DeploymentApi {
    return new DeploymentApi(() => this.leader.url, KEY);
  }

  query(statement: string): Promise<Record<string, unknown>[]> {
    return execute(this.database, statement);
  }

  async stop(): Promise<void> {
    await Promise.all([this.leader.stop(), this.other.stop()]);
    await dropDatabase(this.database);
  }
}

export const settingsFor = (url: string): Record<string, string> => ({
  DATABASE_URL: url,
  SECRETS_KEY: "a key for the secrets of both machines",
  SERVICE_API_KEY: KEY,
  DEPLOY_SETTLE_SECONDS: "0",
});

/** Where the Berth is reached that runs the deployments. */
export async function leaderOf(url: string): Promise<unknown> {
  const [row] = await execute(url, "select address from control_lease");
  return row?.address;
}

/** Longer than a lease. */
export const TAKEN_OVER_MS = WAIT_LIMIT_MS;
