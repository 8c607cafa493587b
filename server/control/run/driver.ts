import type { Deployment, DeploymentDatabase, Instance, Revision, Secret } from "@berth/store";

/** One start of a revision. */
export type Launch = {
  deployment: Deployment;
  revision: Revision;
  instance: Instance;
  secrets: Secret[];
  /** Its own on a database server; without one it has a file. */
  database?: DeploymentDatabase | null | undefined;
  /** Whether it serves without claiming runs until it is told to. */
  standby: boolean;
};

/**
 * Runs instances of revisions: as processes of this machine, in containers, or in a cluster. What starts or ends
 * something rejects with `LeadershipLost` where another process leads by now; `endStrays` is for those that do not lead.
 */
export type Driver = {
  readonly kind: Instance["driver"];
  /**
   * Starts an instance and writes down how it is found again as soon as that is known; resolves when its port is.
   * The caller has written the instance down before and sets its state.
   * @throws StartFailed
   */
  start(launch: Launch): Promise<void>;
  /** Whether it still runs, whoever started it. */
  isAlive(instance: Instance): Promise<boolean>;
  /** Asks it to end, and ends it when `graceMs` are over; resolves when nothing of it is left. */
  stop(instance: Instance, graceMs: number): Promise<void>;
  memoryBytes(instance: Instance): Promise<number | null>;
  /** How many bytes it takes, with what it started, where that is more than `bytes`; undefined where an engine sees to that. */
  memoryAbove(instance: Instance, bytes: number): number | undefined;
  /** Whether the system ended it, or something of it, for the memory that it took; asked when it has ended, before `stop`. */
  tookTooMuch(instance: Instance): Promise<boolean>;
  /** Ends what carries the mark of this data folder and is none of `known`: a crash came before its id was kept. */
  sweepOrphans(known: readonly Instance[]): Promise<void>;
  /**
   * Ends what this machine ran when it led and another one runs now.
   * @param mayRunHere reads the instances that may run here, of all drivers; called after the look at the machine, so
   * that an instance that was started before is among them
   */
  endStrays(mayRunHere: () => Promise<readonly Instance[]>): Promise<void>;
  /** Removes what a deleted deployment had: its processes, containers and folders. */
  removeAll(deployment: Deployment): Promise<void>;
};

/** Returns a driver that calls `assertLeads` before whatever starts or ends something. */
export function fencedDriver(driver: Driver, assertLeads: () => void): Driver {
  return {
    kind: driver.kind,
    start: async (launch) => {
      assertLeads();
      await driver.start(launch);
    },
    stop: async (instance, graceMs) => {
      assertLeads();
      await driver.stop(instance, graceMs);
    },
    sweepOrphans: async (known) => {
      assertLeads();
      await driver.sweepOrphans(known);
    },
    removeAll: async (deployment) => {
      assertLeads();
      await driver.removeAll(deployment);
    },
    isAlive: (instance) => driver.isAlive(instance),
    endStrays: (mayRunHere) => driver.endStrays(mayRunHere),
    memoryBytes: (instance) => driver.memoryBytes(instance),
    memoryAbove: (instance, bytes) => driver.memoryAbove(instance, bytes),
    tookTooMuch: (instance) => driver.tookTooMuch(instance),
  };
}

/** An instance did not come up; the message says why, with the end of what it printed. */
export class StartFailed extends Error {
  override name = "StartFailed";
}
