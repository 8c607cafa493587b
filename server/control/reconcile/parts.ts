import type { Clock, Deployments, Instance, Instances, Revision, Revisions } from "@berth/store";
import type { Logger } from "@logtape/logtape";
import type { BuildChild, BuildOrder, Built, Prepared } from "../build/index.ts";
import type { Driver, Launch, Limits } from "../run/index.ts";
import type { Leadership } from "./leadership.ts";
import type { LogLines } from "./revision-log.ts";

/** Time as the reconciler sees it: tests turn it. */
type Timing = Clock & {
  /** Measures durations: monotonic. */
  elapsed(): number;
  /** Resolves after so many milliseconds, or as soon as `signal` is aborted. */
  pause(ms: number, signal?: AbortSignal): Promise<void>;
};

/** What makes a revision's files or image out of its source. */
export type BuildWork = {
  prepare(order: BuildOrder): Promise<Prepared>;
  build(order: BuildOrder): Promise<Built>;
  isBuildable(source: Revision["source"]): boolean;
  /** Removes the folder of a revision; fine where there is none. */
  remove(revisionId: string): Promise<void>;
};

/** Talks to a running instance over its own port. */
export type Probe = {
  /** Whether it answers `/ok`. */
  isReady(instance: Instance): Promise<boolean>;
  /** Whether it answers within that time, whatever it says. */
  answers(instance: Instance, limitMs: number): Promise<boolean>;
  /** Tells it whether to start runs; answers whether it understood. */
  claim(instance: Instance, claim: boolean): Promise<boolean>;
  /** Whether its project says itself who may call; undefined when it does not answer. */
  hasOwnAuth(instance: Instance): Promise<boolean | undefined>;
  /** What it has to do; undefined when it does not say. */
  rest(instance: Instance): Promise<InstanceRest | undefined>;
};

/** What an instance has to do, in ms since 1970. */
export type InstanceRest = {
  /** Something is under way or due. */
  busy: boolean;
  /** When the next thing is due that waits for its time. */
  next_at: number | null;
  last_request_at: number;
  /** How long ago that was (ms), by a clock that nobody sets; an instance of an older Berth does not say it. */
  idle_ms?: number;
};

/** Who sends requests to instances. */
export type Traffic = {
  /** Another instance serves this deployment from now on, or the same one at another port. */
  switched(deploymentId: string): void;
  /** Requests that are open at an instance. */
  inFlight(instanceId: string): number;
  /** Resolves when no request is open at this instance any more, at the latest at `deadline` (ms since 1970). */
  until(instanceId: string, deadline: number, abort: AbortSignal): Promise<void>;
};

type ReconcileSettings = {
  /** Builds, and starts, at once. */
  concurrency: number;
  /** How many of these one workspace may have. */
  workspaceConcurrency: number;
  deployTimeoutMs: number;
  /** How long a new revision has to stay up before it serves. */
  settleMs: number;
  /** How long open requests may hold up an instance that was replaced. */
  drainMs: number;
  /** How long a process that was told to stop may take for its runs. */
  stopGraceMs: number;
  /** How long what serves may answer nobody before it is started again; 0: for ever. */
  hangMs: number;
  /** How long nobody may have asked for an instance that then sleeps; 0: for ever. */
  sleepMs: number;
  /** So many deployed revisions of a deployment can be gone back to, and so long after they were replaced. */
  keptBuilds: number;
  buildRetentionMs: number;
  /** What an instance may take that asks for nothing. */
  limits: Limits;
};

/** Why something that served had to be started again. */
export type RestartReason = "memory" | "hang" | "ended" | "not_started";

/** What has to be known where several machines share a database, and any of them may lead. */
export type Machines = {
  /** The place of this one. */
  here: string;
  /** Whether the pids of a place mean the same here. */
  seesPids(place: string): boolean;
  /** Whether a revision was built on this machine, to the end. */
  hasBuilt(revisionId: string): boolean;
  /** Whether the engine of this machine has an image. */
  hasImage(image: string): Promise<boolean>;
  /** Keeps what runs of a deployment elsewhere from its database. */
  fence(deploymentId: string): Promise<void>;
};

/** Everything that the reconciler works with. Its stores and its effects on the machine reject without the lease. */
export type Parts = {
  /** Whether this process is certainly the leader. */
  lease: Pick<Leadership, "isHeld">;
  /** Undefined where one machine has it all. */
  machines?: Machines | undefined;
  /** The database that a deployment has on a server; null where it has a file. @throws StartFailed */
  databaseOf?: ((deploymentId: string) => Promise<Launch["database"]>) | undefined;
  /** Removes that again, for good; fine where there is none. */
  removeDatabase?: ((deploymentId: string) => Promise<void>) | undefined;
  deployments: Pick<Deployments, "find" | "awaitingDelete" | "erase">;
  revisions: Pick<
    Revisions,
    | "find"
    | "inFlight"
    | "move"
    | "note"
    | "activate"
    | "restarted"
    | "keepsEnding"
    | "secretsOf"
    | "keptBuilds"
    | "buildGone"
    | "idsOf"
  >;
  instances: Pick<
    Instances,
    "create" | "addReplica" | "set" | "renewToken" | "get" | "live" | "ofDeployment"
  >;
  log: LogLines;
  builders: BuildWork;
  /** Called after each build of a workspace, which may use more disk now. */
  onBuildEnd?: ((workspaceId: string) => void) | undefined;
  /** Removes an image that came as an archive; fine where there is none. */
  removeImage(image: string): Promise<void>;
  drivers: Readonly<Record<Instance["driver"], Driver>>;
  probe: Probe;
  traffic: Traffic;
  /** Ends a process group that a killed Berth left behind, if it is still the one that is meant. */
  endGroup(child: BuildChild): Promise<void>;
  /** Ends whatever still runs for a revision's build, or for any, in whichever group or session it is. */
  endBuild(revisionId: string | "any"): Promise<void>;
  /** Reads what an instance wrote to its log since the last look. */
  readLog(instance: Instance): Promise<void>;
  /** Removes what belongs to one instance only; fine where there is nothing. */
  removeFiles(instance: Instance): Promise<void>;
  /** Absolute folder of a revision's build. */
  folderOf(revisionId: string): string;
  /** Names of the folders in which builds lie. */
  buildFolders(): Promise<string[]>;
  /** Whether anything was ever run for this data folder. */
  hasDeployed(): boolean;
  /** Counts an instance that has to be started again. */
  countRestart(reason: RestartReason): void;
  /** Counts a revision that ended again and again, and whether an earlier one takes its place. */
  countLoop(wentBack: boolean): void;
  timing: Timing;
  settings: ReconcileSettings;
  logger: Logger;
};

export const driverFor = (
  { drivers }: Pick<Parts, "drivers">,
  { driver }: Pick<Instance, "driver">,
): Driver => drivers[driver];

/** How a revision runs. */
export function driverKind({
  source,
  in_cluster,
}: Pick<Revision, "source" | "in_cluster">): Instance["driver"] {
  if (in_cluster) return "kubernetes";
  return source === "internal_docker" || source === "external_docker" ? "container" : "process";
}

/** What an instance is called in a log. */
export const DRIVER_WORDS: Readonly<Record<Instance["driver"], string>> = {
  process: "the process",
  container: "the container",
  kubernetes: "the pods",
};
