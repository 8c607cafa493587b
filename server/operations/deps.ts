import type { Agent, Clock } from "@berth/agent";
import type { Database, Outbox } from "@berth/store";
import type { Job } from "../clock/index.ts";
import type { Program } from "../machine/index.ts";
import type { Settings, Texts } from "../settings/index.ts";

/** What the routes that look after a whole Berth work with. */
export type OperationsDeps = {
  db: Database;
  clock: Clock;
  settings: Settings;
  agent: Pick<Agent, "owner" | "expireNow"> & {
    queue: Pick<Agent["queue"], "running" | "places" | "waiting">;
  };
  /** Berth's own environment. */
  environment: Texts;
  /** The one that runs right now: another version may be in the place of its file. */
  program: Program;
  /** The base of the addresses that are given away. */
  publicUrl(): string;
  /** Where it listens. */
  port(): number;
  /** What the timer loop of this process does. */
  jobs(): readonly Job[];
  outbox: Outbox;
  /** Whether this process does the work that only one process of a database may do. */
  leads(): boolean;
};
