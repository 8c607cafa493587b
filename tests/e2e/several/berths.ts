import { dropDatabase, newDatabase } from "../../postgres/server.ts";
import { type BerthProcess, type StartOptions, start } from "../berth-process.ts";

/** Any text does, as long as it is the same for all. */
const SECRETS_KEY = "one key for several Berths of the tests";

/** Several Berths on one Postgres, each with a data folder of its own. */
export class Berths {
  readonly all: BerthProcess[] = [];

  private constructor(
    readonly database: string,
    private readonly removes: boolean,
  ) {}

  /** @param database one that is there, on a server that the test has for itself; without it a new one */
  static async on(database?: string): Promise<Berths> {
    return new Berths(database ?? (await newDatabase()), database === undefined);
  }

  /** Starts one more. */
  async start(options: StartOptions = {}): Promise<BerthProcess> {
    const env = { DATABASE_URL: this.database, SECRETS_KEY, EXECUTORS: "1", ...options.env };
    const berth = await start({ ...options, env });
    this.all.push(berth);
    return berth;
  }

  async stop(): Promise<void> {
    await Promise.all(this.all.splice(0).map((berth) => berth.stop()));
    if (this.removes) await dropDatabase(this.database);
  }
}
