import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { type Clock, type DeploymentDatabases, durationsOf, Signal } from "@berth/store";
import type { Logger } from "@logtape/logtape";
import type { Counts } from "../readings/index.ts";
import type { Settings } from "../settings/index.ts";
import { databaseParts } from "./databases.ts";
import type { Gateway } from "./gateway/index.ts";
import type { Machinery } from "./machinery.ts";
import { httpProbe, type Machines, type Parts, type Probe } from "./reconcile/index.ts";
import { reconcileSettings } from "./reconcile-settings.ts";
import type { Stores } from "./stores.ts";

export type Lazy<T> = { (): T; readonly made: T | undefined };

export type ReconcileWorks = {
  stores: Stores;
  machinery: Lazy<Machinery>;
  gateway: Gateway;
  clock: Clock;
  restarts: Counts<"reason">;
  loops: Counts<"outcome">;
  machines: Machines | undefined;
  databases: DeploymentDatabases | undefined;
  isHeld: () => boolean;
  onBuildEnd: (workspaceId: string) => void;
  logger: Logger;
};

/** What the reconciler works with; the machinery is made when it is first asked for. */
export function reconcileParts(settings: Settings, works: ReconcileWorks): Parts {
  const { stores, machinery, gateway, clock, restarts, loops, machines, databases, isHeld, logger } = works;
  const builds = join(settings.dataDir, "builds");
  return {
    ...stores,
    lease: {
      get isHeld() {
        return isHeld();
      },
    },
    machines,
    ...databaseParts(databases),
    log: stores.logs,
    get builders() {
      return machinery().builders;
    },
    get drivers() {
      return machinery().drivers;
    },
    onBuildEnd: works.onBuildEnd,
    removeImage: (image) => machinery().removeImage(image),
    endGroup: (child) => machinery().endGroup(child),
    endBuild: (revisionId) => machinery().endBuild(revisionId),
    readLog: (instance) => machinery().readLog(instance),
    removeFiles: (instance) => machinery().removeFiles(instance),
    folderOf: (revisionId) => join(builds, revisionId),
    buildFolders: () => foldersIn(builds),
    hasDeployed: () => existsSync(join(settings.dataDir, "deployments")),
    probe: probeOf(machinery),
    traffic: gateway,
    countRestart: (reason) => restarts.add({ reason }),
    countLoop: (wentBack) => loops.add({ outcome: wentBack ? "went_back" : "goes_on" }),
    timing: {
      now: () => clock.now(),
      elapsed: () => durationsOf(clock).now(),
      pause: (limitMs, abort) => new Signal().wait({ limitMs, abort }),
    },
    settings: reconcileSettings(settings),
    logger,
  };
}

/** Pods are told apart from each other only through their cluster. */
const probeOf = (machinery: Lazy<Machinery>): Probe => ({
  ...httpProbe,
  claim: (instance, claim) =>
    (instance.driver === "kubernetes" ? machinery().claimPods : httpProbe.claim)(instance, claim),
});

const ID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

async function foldersIn(path: string): Promise<string[]> {
  try {
    return (await readdir(path)).filter((name) => ID.test(name));
  } catch {
    // Nothing was built here yet.
    return [];
  }
}
