import type { Deployments, Instance, Instances, Revision, RevisionLogs, Revisions } from "@berth/store";
import { getLogger } from "@logtape/logtape";
import { BuildFailed, type BuildOrder, PrepareFailed } from "../../../server/control/build/order.ts";
import type { BuildWork, Parts, Probe } from "../../../server/control/reconcile/parts.ts";
import { type Driver, StartFailed } from "../../../server/control/run/driver.ts";
import type { Life } from "./life.ts";
import type { World } from "./world.ts";

export const DEPLOY_LIMIT_MS = 300_000;
export const SETTLE_MS = 2_000;
export const STOP_GRACE_MS = 180_000;
export const HANG_LIMIT_MS = 120_000;
export const BUILD_RETENTION_MS = 30 * 86_400_000;
export const MEMORY_LIMIT_MB = 512;

type Repositories = {
  deployments: Deployments;
  revisions: Revisions;
  instances: Instances;
  logs: RevisionLogs;
};

/** Everything the reconciler works with: the real store, and a world that a test can look at. */
export function partsOf(world: World, life: Life, repositories: Repositories): Parts {
  const { deployments, revisions, instances, logs } = repositories;
  const driver = processDriver(world, life, instances);
  return {
    lease: { isHeld: true },
    deployments,
    revisions,
    instances: slowlyRead(world, instances),
    log: logs,
    builders: builders(world, life),
    removeImage: async () => {},
    drivers: {
      process: driver,
      container: { ...driver, kind: "container", sweepOrphans: async () => {} },
      kubernetes: {
        ...{ ...driver, kind: "kubernetes", sweepOrphans: async () => {} },
        isAlive: (instance) => (world.clustersHang ? never() : driver.isAlive(instance)),
      },
    },
    probe: probe(world, life),
    traffic: {
      switched: () => {},
      inFlight: () => 0,
      until: (_id, deadline, abort) => (life.isDead ? never() : world.pause(deadline - world.now, abort)),
    },
    endGroup: ({ pid }) => life.effect("end group", () => void world.children.delete(pid)),
    endBuild: (id) =>
      life.effect("end build", () => {
        for (const [pid, revisionId] of world.children)
          if (id === "any" || id === revisionId) world.children.delete(pid);
      }),
    readLog: async () => {},
    removeFiles: ({ id }) => life.effect("remove files", () => void world.files.delete(id)),
    folderOf: (id) => `/builds/${id}`,
    buildFolders: () => life.look([...world.folders]),
    hasDeployed: () => true,
    countRestart: (reason) => void world.restarts.push(reason),
    countLoop: (wentBack) => void world.loops.push(wentBack),
    timing: {
      now: () => world.now,
      elapsed: () => world.now,
      pause: async (ms, signal) => life.look(world.pause(ms, signal)),
    },
    settings: {
      concurrency: 4,
      workspaceConcurrency: world.workspaceConcurrency,
      deployTimeoutMs: DEPLOY_LIMIT_MS,
      settleMs: SETTLE_MS,
      drainMs: 30_000,
      stopGraceMs: STOP_GRACE_MS,
      hangMs: HANG_LIMIT_MS,
      get sleepMs() {
        return world.sleepMs;
      },
      keptBuilds: 5,
      buildRetentionMs: BUILD_RETENTION_MS,
      limits: { memoryMb: MEMORY_LIMIT_MB, cpus: null },
    },
    logger: getLogger(["berth", "control"]),
  };
}

/** The rows are as old as a test wants them to be when somebody acts on them. */
function slowlyRead(world: World, instances: Instances): Instances {
  const live = async () => {
    const rows = await instances.live();
    const { betweenLookAndDeed } = world;
    world.betweenLookAndDeed = undefined;
    await betweenLookAndDeed?.();
    return rows;
  };
  return new Proxy(instances, {
    get: (target, name) => {
      if (name === "live") return live;
      const value = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

const never = () => new Promise<never>(() => {});

/** What a test called a revision: its branch or its image. */
const nameOf = ({ config }: Revision): string => config.repo_ref ?? config.image_uri ?? "";

function builders(world: World, life: Life): BuildWork {
  const withChild = async (order: BuildOrder, step: "prepare" | "build") => {
    const pid = world.nextPid();
    await life.effect("start child", () => void world.children.set(pid, order.revision.id));
    await order.onChild({ pid, started: "then" });
    await life.look(world.pause(1_000, order.signal));
    if (step === "build" && world.faults.get(nameOf(order.revision)) === "hang")
      await life.look(world.pause(Number.POSITIVE_INFINITY, order.signal));
    await life.effect("end child", () => void world.children.delete(pid));
    order.signal.throwIfAborted();
    if (step === "build" && world.faults.get(nameOf(order.revision)) === "full")
      throw Object.assign(new Error("no space left on device, write"), { code: "ENOSPC" });
    if (world.faults.get(nameOf(order.revision)) !== step) return;
    throw step === "build" ? new BuildFailed("it does not compile") : new PrepareFailed("it is not there");
  };
  return {
    isBuildable: (source) => source === "internal_source" || source === "github",
    prepare: async (order) => {
      await withChild(order, "prepare");
      return { config: {}, image: null };
    },
    build: async (order) => {
      await life.effect("make folder", () => void world.folders.add(order.revision.id));
      await withChild(order, "build");
      return { build: { dir: "app", config_path: "graph.json" }, image: null, commitSha: null };
    },
    remove: (id) => life.effect("remove folder", () => void world.folders.delete(id)),
  };
}

function processDriver(world: World, life: Life, instances: Instances): Driver {
  const isSame = (instance: Instance) => instance.pid !== null && world.processes.has(instance.pid);
  return {
    kind: "process",
    start: async ({ instance, revision, standby }) => {
      const name = nameOf(revision);
      await life.effect("make files", () => void world.files.add(instance.id));
      const running = await life.effect("start process", () => world.startProcess(instance, name, standby));
      await instances.set(instance.id, { pid: running.pid, pid_started: "then" });
      await life.look(world.pause(500));
      if (world.faults.get(name) === "start") world.processes.delete(running.pid);
      if (!world.processes.has(running.pid)) throw new StartFailed("It ended with 1");
      await instances.set(instance.id, { port: running.port });
    },
    isAlive: async (instance) => {
      if (world.isSilent) throw new Error("the engine does not answer");
      return life.look(isSame(instance));
    },
    stop: async ({ pid }, graceMs) => {
      if (pid === null) return;
      if (world.stubborn.has(pid)) await life.look(world.pause(graceMs));
      await life.effect("stop", () => void world.processes.delete(pid));
    },
    memoryBytes: async () => null,
    memoryAbove: ({ pid }, bytes) => {
      const taken = world.memory.get(pid ?? 0) ?? 0;
      return taken > bytes ? taken : undefined;
    },
    tookTooMuch: async ({ id }) => life.look(world.endedBySystem.has(id)),
    sweepOrphans: (known) =>
      life.effect("sweep orphans", () => {
        const pids = new Set(known.map(({ pid }) => pid));
        for (const { pid, driver } of world.processes.values())
          if (driver === "process" && !pids.has(pid)) world.processes.delete(pid);
      }),
    endStrays: async () => {},
    removeAll: async ({ id }) => {
      await life.effect("remove all", () => {
        for (const { pid } of world.of(id)) world.wrongs.push(`process ${pid} outlives its deployment`);
      });
    },
  };
}

function probe(world: World, life: Life): Probe {
  return {
    isReady: async ({ port }) => {
      const running = world.byPort(port);
      return life.look(running !== undefined && world.faults.get(running.name) !== "health");
    },
    answers: async ({ port }) => {
      const running = world.byPort(port);
      return life.look(running !== undefined && !world.hanging.has(running.pid));
    },
    rest: async () => life.look({ busy: world.sleepMs === 0, last_request_at: world.askedAt, next_at: null }),
    hasOwnAuth: async ({ port }) => life.look(world.byPort(port) === undefined ? undefined : false),
    claim: async ({ port }, claim) => {
      const running = world.byPort(port);
      if (!running) return life.look(false);
      return life.effect("claim", () => {
        world.claim(running, claim);
        return true;
      });
    },
  };
}
