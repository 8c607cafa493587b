import {
  type Changed,
  type Clock,
  ControlLease,
  createWorkspace,
  type Database,
  type DeploymentDatabases,
  type Deployments,
  DiskQuota,
  deleteWorkspace,
  getWorkspace,
  type LeaseHolder,
  listWorkspaces,
  monotonicClock,
  newUlid,
  type Outbox,
  pidsHere,
  renameWorkspace,
  type SecretBox,
  systemClock,
  Tail,
} from "@berth/store";
import type { Job } from "../clock/index.ts";
import { Hops, type Operation } from "../http/index.ts";
import { langsmithRoutes } from "../langsmith/index.ts";
import { logger } from "../log/index.ts";
import { isKnownOver, type RunProgram } from "../machine/index.ts";
import type { Reach } from "../reach/index.ts";
import { Counts, type Reading } from "../readings/index.ts";
import type { Settings, Texts } from "../settings/index.ts";
import { isPythonHere } from "./build/index.ts";
import { openDatabases } from "./databases.ts";
import { DiskUse } from "./disk-use.ts";
import { Gateway } from "./gateway/index.ts";
import { createMachinery, type Machinery } from "./machinery.ts";
import { addressFor, hasBuilt, isOf, placeHere, seesPids } from "./machines.ts";
import { Quotas } from "./quotas.ts";
import { Leadership, leaderJobs, type Machines, RENEW_MS, Reconciler } from "./reconcile/index.ts";
import { type Lazy, reconcileParts } from "./reconcile-parts.ts";
import { createRegistry } from "./registry/index.ts";
import { controlRoutes, type NumberedFrame } from "./routes/index.ts";
import { Clusters } from "./run/index.ts";
import { type DeploymentsAtStop, stopControl, stopLeft } from "./stop.ts";
import { openStores, type Stores } from "./stores.ts";
import { tidy } from "./tidy.ts";

/** The control plane of a process. */
export type Control = {
  routes: Operation[];
  /** Where images are pushed to, and engines pull them. */
  registry: Operation[];
  /** Where traces are sent to. */
  langsmith: Operation[];
  gateway: Gateway;
  jobs: Job[];
  /** What `/metrics` shows of it. */
  readings: Reading[];
  /** What other Berths of the database prove, where they pass requests on; undefined where there can be none. */
  hops: Hops | undefined;
  /** Whether this process is the one of all on its database that reconciles, sweeps and scans. */
  leads(): boolean;
  /** Begins to reconcile, unless another process on this database does. */
  start(): void;
  /** Another process of the database has committed something. */
  hear(changed: Changed): void;
  /** Leads no longer. Stops the deployed instances, which run again when Berth does, or leaves them to the next start. */
  stop(graceSeconds: number, deployments: DeploymentsAtStop): Promise<void>;
  /** For a process that does nothing else: stops the instances that earlier processes left running here. */
  stopLeft(): Promise<void>;
};

export type ControlDeps = {
  db: Database;
  settings: Settings;
  publicUrl: () => string;
  /** Where this machine reaches us. */
  ownUrl: () => string;
  /** Berth's own environment. */
  environment: Texts;
  /** What the secrets are sealed with. */
  box: SecretBox;
  /** Where subscribers hear how deployments go. */
  outbox: Outbox;
  /** The one that runs right now, for what is started later. */
  program: RunProgram;
  /** Where the sources of deployments may come from. */
  sources: Reach;
  clock?: Clock;
  /** False where this process leaves it to others to lead the database. */
  mayLead: boolean;
};

const TAILS_MS = 250;
const LOGS_MS = 500;
const STRAYS_MS = 5_000;
/** What others commit in so short a time is looked at once. */
const HEARD_MS = 25;
const CLUSTERS_MS = 30_000;
const TIDY_MS = 600_000;

/** Puts the control plane together: its API, the gateway, and whoever brings deployments about. */
export function createControl(deps: ControlDeps): Control {
  const { db, settings, publicUrl, program, mayLead, clock = systemClock } = deps;
  const here = placeHere(db, settings);
  const isHere = isOf(here);
  const disk = new DiskQuota(db, settings.quotas.disk, (workspaceId) => diskUse.changed(workspaceId));
  const diskUse = new DiskUse({
    quota: disk,
    dataDir: settings.dataDir,
    environment: deps.environment,
    logger: log,
  });
  const stores = openStores({ ...deps, disk }, clock, here);
  const lease = new ControlLease(db, clock);
  const holder = holderOf(deps, here);
  // Of the leader: what it writes is refused once another process leads.
  const led = openStores({ ...deps, disk, db: lease.fence(holder) }, clock, here);
  const clusters = new Clusters({ ...deps, ...stores, reach: deps.sources, logger: log });
  const registry = createRegistry({ ...deps, ...stores, clock });
  const machinery = lazily(() =>
    createMachinery({
      ...{ ...deps, ...led, clock, clusters, registry, isHere },
      leads: () => reconciler.leads,
      assertLeads: () => leadership.assertHeld(),
      logger: log,
    }),
  );
  const hops = here === null ? undefined : new Hops(deps.box.keyFor("hops"), clock);
  const quotas = new Quotas();
  const gateway = new Gateway({
    ...stores,
    clock,
    publicUrl,
    maxBodyBytes: settings.maxBodyBytes,
    isHere,
    elsewhere: hops && { leads: () => reconciler.leads, lease, holder: holder.id, hops },
    isOver: ({ pid, pid_started }) => isKnownOver(pid, pid_started),
    memoryOf: async (instance) => (isHere(instance) ? machinery().memoryOf(instance) : null),
    quota: { max: settings.quotas.requests, refused: () => quotas.refused("requests") },
    look: () => void reconciler.supervise().catch((error) => log.error("supervise.failed", { error })),
  });
  const counts = {
    restarts: new Counts("berth_deployment_restarts_total", RESTARTS, ["reason"]),
    loops: new Counts("berth_deployment_restart_loops_total", LOOPS, ["outcome"]),
  };
  const databases = openDatabases({ ...deps, clock });
  const machines = here === null ? undefined : machinesOf({ ...deps, here, databases, machinery });
  const isHeld = () => leadership.isHeld;
  const onBuildEnd = (workspaceId: string) => diskUse.changed(workspaceId);
  const made = { stores: led, machinery, gateway, machines, databases, onBuildEnd };
  const reconciler = new Reconciler(
    reconcileParts(settings, { ...made, clock, ...counts, isHeld, logger: log }),
  );
  const leadership = new Leadership(lease, holder, reconciler, log, monotonicClock, RENEW_MS);
  const toStop = { db, here, leadership, reconciler, gateway };
  const wakeSoon = soon(() => reconciler.leads && reconciler.wake());
  const tails = { changeTail: new Tail<NumberedFrame>(), logTail: new Tail<NumberedFrame>() };
  const routes = controlRoutes({
    ...stores,
    ...{ ...tails, isHere },
    quotas,
    registry,
    workspaces: workspacesOf(db, clock),
    environment: deps.environment,
    settings: {
      ...settings.control,
      ...{
        maxBodyBytes: settings.maxBodyBytes,
        hasPython: isPythonHere(deps.environment),
      },
      publicUrl,
    },
    wake: () => reconciler.wake(),
    forget: (id) => gateway.switched(id),
  });
  return {
    routes,
    registry: registry.routes,
    langsmith: langsmithRoutes({
      ...{ db, clock, maxBodyBytes: settings.maxBodyBytes },
      instances: stores.instances,
      deploymentOf: (id) => stores.deployments.find(id),
    }),
    gateway,
    hops,
    // What names a scope is of a thread or a run.
    hear: (changed) => changed === "anything" && wakeSoon(),
    jobs: [
      ...(mayLead ? leaderJobs(leadership, reconciler) : []),
      ...(here === null
        ? []
        : [{ name: "control.strays", everyMs: STRAYS_MS, once: () => reconciler.endStrays() }]),
      ...tailJobs(tails, stores),
      ...logJobs(() => (reconciler.leads ? machinery.made : undefined)),
      { name: "control.clusters", everyMs: CLUSTERS_MS, once: () => clusters.watch(reconciler.leads) },
      {
        name: "control.tidy",
        everyMs: TIDY_MS,
        once: (now) => tidy(now, { ...settings, reconciler, stores, registry }),
      },
      { name: "control.programs", everyMs: TIDY_MS, once: async () => program.removeOthers?.() },
      ...gateway.jobs(),
      ...diskUse.jobs,
    ],
    readings: [
      deploymentCounts(stores.deployments),
      ...Object.values(counts),
      ...gateway.readings(),
      ...quotas.readings({
        ...stores,
        disk,
        limits: settings.quotas,
        requests: () => gateway.mostOfAWorkspace,
      }),
    ],
    // What fails now is tried again by its job.
    leads: () => leadership.leads,
    start: () => {
      if (!mayLead) return;
      leadership.once().catch((error) => log.error("control.not_started", { error }));
    },
    stop: (graceSeconds, deployments) => {
      diskUse.stop();
      return stopControl(toStop, graceSeconds, deployments);
    },
    stopLeft: () => stopLeft(toStop),
  };
}

const RESTARTS = "Instances that served and had to be started again, by reason";
const LOOPS = "Revisions that served and ended again and again: whether an earlier one took their place";

/** Another process on this database tells nobody what it wrote. */
const tailJobs = (
  { changeTail, logTail }: Record<"changeTail" | "logTail", Tail<NumberedFrame>>,
  stores: Stores,
): Job[] => [
  {
    name: "control.changes",
    everyMs: TAILS_MS,
    once: () => changeTail.look(() => stores.changes.newest()),
    rests: true,
  },
  {
    name: "control.lines",
    everyMs: TAILS_MS,
    once: () => logTail.look(() => stores.logs.newest()),
    rests: true,
  },
];

/** A job of the leader for each kind of instance: an engine that does not answer delays no other kind. */
const logJobs = (machinery: () => Machinery | undefined): Job[] => [
  { name: "control.logs", everyMs: LOGS_MS, once: async () => machinery()?.readLogs() },
  { name: "control.containers", everyMs: LOGS_MS, once: async () => machinery()?.readContainerLogs() },
  { name: "control.pods", everyMs: LOGS_MS, once: async () => machinery()?.readPodLogs() },
];

const deploymentCounts = (deployments: Deployments): Reading => ({
  name: "berth_deployments",
  help: "Deployments, by their status and that of their latest revision",
  type: "gauge",
  labels: ["status", "revision"],
  samples: async () => (await deployments.tally()).map(({ total, ...labels }) => ({ labels, value: total })),
});

const log = logger("control");

const workspacesOf = (db: Database, clock: Clock) => ({
  list: () => listWorkspaces(db),
  get: (id: string) => getWorkspace(db, id),
  create: (name: string) => createWorkspace(db, clock, name),
  rename: (id: string, name: string) => renameWorkspace(db, id, name),
  delete: (id: string) => deleteWorkspace(db, id),
});

/** Of this process; where it listens is known later. */
function holderOf({ db, settings, ownUrl }: ControlDeps, here: string | null): LeaseHolder {
  return {
    ...{ id: newUlid(), host: pidsHere(db), pid: process.pid },
    get address() {
      return here === null ? null : addressFor(settings, ownUrl());
    },
  };
}

type MachinesDeps = Pick<ControlDeps, "db" | "settings"> & {
  here: string;
  databases: DeploymentDatabases | undefined;
  machinery: Lazy<Machinery>;
};

const machinesOf = ({ db, settings, here, databases, machinery }: MachinesDeps): Machines => ({
  here,
  seesPids: (place) => seesPids(db, place),
  hasBuilt: (revisionId) => hasBuilt(settings.dataDir, revisionId),
  hasImage: (image) => machinery().hasImage(image),
  fence: async (deploymentId) => databases?.fence(deploymentId),
});

/** Does something a moment after the first of many calls. */
function soon(work: () => unknown): () => void {
  let isDue = false;
  return () => {
    if (isDue) return;
    isDue = true;
    setTimeout(() => {
      isDue = false;
      work();
    }, HEARD_MS).unref();
  };
}

function lazily<T>(make: () => T): Lazy<T> {
  let made: T | undefined;
  const lazy = () => {
    made ??= make();
    return made;
  };
  return Object.defineProperty(lazy, "made", { get: () => made }) as Lazy<T>;
}
