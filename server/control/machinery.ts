import type {
  Clock,
  Instance,
  InstancePatch,
  Instances,
  Integrations,
  Listeners,
  RevisionLogs,
  Revisions,
  Uploads,
} from "@berth/store";
import type { Logger } from "@logtape/logtape";
import {
  dataMark,
  Folders,
  isRunning,
  prepareIsolation,
  type RunProgram,
  signalGroup,
} from "../machine/index.ts";
import type { Reach } from "../reach/index.ts";
import type { Settings, Texts } from "../settings/index.ts";
import { type BuildChild, Builders, endStrays } from "./build/index.ts";
import type { Archives } from "./files/index.ts";
import type { Parts } from "./reconcile/index.ts";
import type { ImageRegistry } from "./registry/index.ts";
import {
  Cgroups,
  type Clusters,
  createContainers,
  createKubernetes,
  type Driver,
  fencedDriver,
  type HandedOn,
  handOn,
  LogTail,
  ProcessDriver,
} from "./run/index.ts";

type MachineryDeps = {
  settings: Pick<Settings, "dataDir" | "databaseFile" | "control" | "shutdownGraceSeconds"> & HandedOn;
  /** Berth's own environment. */
  environment: Texts;
  publicUrl: () => string;
  /** The same on this machine. */
  ownUrl: () => string;
  instances: Instances;
  /** Whether an instance is one of this machine: the files of others are not to be read here. */
  isHere: (instance: Instance) => boolean;
  revisions: Revisions;
  uploads: Uploads;
  /** Where what was uploaded is. */
  archives: Archives;
  /** Where images are that were pushed. */
  registry: ImageRegistry;
  integrations: Integrations;
  logs: RevisionLogs;
  listeners: Pick<Listeners, "open">;
  clusters: Clusters;
  /** Whether this process is the one of all on its database that reconciles. */
  leads: () => boolean;
  /** Called before each effect on what runs here. @throws LeadershipLost */
  assertLeads: () => void;
  clock: Clock;
  /** Where sources may come from. */
  sources: Reach;
  logger: Logger;
  /** What instances and builds run. */
  program: RunProgram;
};

/** What builds and runs revisions on this machine: everything that is more than rows. */
export type Machinery = Pick<
  Parts,
  "builders" | "removeImage" | "drivers" | "endGroup" | "endBuild" | "readLog" | "removeFiles"
> & {
  hasImage(image: string): Promise<boolean>;
  /** A job of the timer loop: takes over what instances have printed. */
  readLogs(): Promise<void>;
  /** The same of those in containers, which an engine has to be asked for. */
  readContainerLogs(): Promise<void>;
  /** The same of those in clusters. */
  readPodLogs(): Promise<void>;
  /** Tells the pods of an instance whether to start runs; answers whether all know. */
  claimPods(instance: Instance, claim: boolean): Promise<boolean>;
  memoryOf(instance: Instance): Promise<number | null>;
};

/**
 * Puts the builders and drivers together. To be made when there is something to deploy and not before: it closes the
 * data folder to others, and tries out what their users may run.
 */
export function createMachinery(deps: MachineryDeps): Machinery {
  const { settings, logger, environment, assertLeads } = deps;
  const { dataDir } = settings;
  const { users, executable, warning } = prepareIsolation(settings, deps.program);
  deps.program.removeOthers?.();
  if (warning !== null) logger.warn("deployments.together", { reason: warning });
  const folders = new Folders(dataDir, users);
  const { limits } = settings.control;
  const given = { ...deps, dataDir, users, folders, limits, handOn: handOn(settings) };
  const cgroups = new Cgroups((reason) => logger.warn("limits.watched", { reason: `${reason}: ${WATCHED}` }));
  const startLimitMs = settings.control.deployTimeoutSeconds * 1_000;
  const process = new ProcessDriver({ ...given, executable, machine: environment, startLimitMs, cgroups });
  const { containerEngine: engine, containerNetwork: network, imagePull: pull } = settings.control;
  const instances = ofThisMachine(deps);
  const containers = createContainers({ ...given, instances, engine, network, pull });
  const { images } = containers;
  const kubernetes = createKubernetes({
    ...given,
    say: async ({ deployment_id, revision_id }, message) => {
      const line = { deployment_id, revision_id, kind: "deploy" as const, at: deps.clock.now(), message };
      await deps.logs.append([{ ...line, level: "ERROR" }]);
    },
    noteRemote: (revisionId, isChanged) => deps.revisions.noteRemote(revisionId, isChanged),
    stopGraceSeconds: settings.shutdownGraceSeconds,
  });
  // In this order a deployment is removed: what containers wrote is not always ours to remove.
  const drivers: Record<Instance["driver"], Driver> = {
    container: fencedDriver(containers.driver, assertLeads),
    kubernetes: fencedDriver(kubernetes.driver, assertLeads),
    process,
  };
  const tail = new LogTail({ ...deps, instances, folders, clock: { now: Date.now } });
  const logs = { container: containers.logs, kubernetes: kubernetes.logs, process: tail };
  const fenced = fencedBy(assertLeads);
  return {
    builders: new Builders({ ...deps, dataDir, users, executable, images }),
    hasImage: (image) => images.has(image),
    removeImage: fenced((image) => images.remove(image)),
    drivers,
    endGroup: fenced(endGroup),
    endBuild: fenced((revisionId) => endStrays(dataMark(dataDir), revisionId)),
    readLog: (instance) => logs[instance.driver].drain(instance),
    removeFiles: fenced((instance) => folders.removeInstance(instance)),
    readLogs: () => tail.once(),
    readContainerLogs: () => containers.logs.once(),
    readPodLogs: () => kubernetes.logs.once(),
    claimPods: (instance, claim) => kubernetes.driver.claim(instance, claim),
    memoryOf: (instance) => drivers[instance.driver].memoryBytes(instance),
  };
}

/** Returns what refuses an effect unless this process leads. */
const fencedBy =
  (assertLeads: () => void) =>
  <Given>(effect: (given: Given) => unknown) =>
  async (given: Given): Promise<void> => {
    assertLeads();
    await effect(given);
  };

/** Instances whose logs are looked for: those that run here. */
const ofThisMachine = ({ instances, isHere }: Pick<MachineryDeps, "instances" | "isHere">) => ({
  live: async () => (await instances.live()).filter(isHere),
  get: (id: string) => instances.get(id),
  set: (id: string, patch: InstancePatch) => instances.set(id, patch),
});

const WATCHED =
  "Berth itself looks at the memory of deployed processes each second, and nothing limits their processors";

function endGroup({ pid, started }: BuildChild): void {
  if (isRunning(pid, started)) signalGroup(pid, "SIGKILL");
}
