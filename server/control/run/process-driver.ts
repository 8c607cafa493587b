import { closeSync, existsSync, fstatSync, openSync, readSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Deployment, Instance, Instances } from "@berth/store";
import { maskOf } from "@berth/store";
import { shipmentPath } from "../../langsmith/index.ts";
import {
  BYTES_IN_MB,
  type Child,
  DATA_MARK,
  DEPLOYMENT_MARK,
  dataMark,
  type Executable,
  type Folders,
  INSTANCE_MARK,
  type InstanceFiles,
  isGone,
  isRunning,
  memoryAbove,
  memoryOf,
  processesOf,
  processesWith,
  readReady,
  signalGroup,
  startTimeOf,
  type Users,
} from "../../machine/index.ts";
import type { Texts } from "../../settings/index.ts";
import type { Cgroups } from "./cgroups.ts";
import { type Driver, type Launch, StartFailed } from "./driver.ts";
import { environmentOf, type HandOn, secretsOf } from "./environment.ts";
import { type Limits, processLimits } from "./limits.ts";
import { readLine } from "./log-tail.ts";

type ProcessDriverDeps = {
  dataDir: string;
  users: Users;
  folders: Folders;
  executable: Executable;
  instances: Pick<Instances, "set">;
  /** Our own address, as others reach it. */
  publicUrl: () => string;
  /** The same on this machine. */
  ownUrl: () => string;
  /** `PATH`, `LANG`, `TZ` of this machine. */
  machine: Texts;
  /** What Berth was told for all deployments. */
  handOn: HandOn;
  /** How long a process may take until it is ready, also when it is started again. */
  startLimitMs: number;
  /** What an instance may take that asks for nothing. */
  limits: Limits;
  cgroups: Cgroups;
  /** Called directly before each effect on processes. @throws LeadershipLost */
  assertLeads: () => void;
};

const LOOK_EVERY_MS = 20;
/** Between two looks at the memory of one that starts. */
const WEIGH_EVERY_MS = 1_000;
/** What a killed process needs to be gone. */
const KILL_LIMIT_MS = 10_000;
const TAIL = { lines: 20, bytes: 16_384 };

/** Runs revisions as `berth serve` on this machine. They go on when Berth is killed, and are found again. */
export class ProcessDriver implements Driver {
  readonly kind = "process";
  readonly #mark: string;
  /** What this process started, by instance: a look at the machine may see it before its row says so. */
  readonly #ours = new Map<string, Child | null>();

  constructor(private readonly deps: ProcessDriverDeps) {
    this.#mark = dataMark(deps.dataDir);
  }

  /** @throws StartFailed */
  async start(launch: Launch): Promise<void> {
    const { id } = launch.instance;
    this.#ours.set(id, null);
    let child: Child | null = null;
    const forget = () => {
      // The same instance may have been started again since.
      if (this.#ours.get(id) === child) this.#ours.delete(id);
    };
    try {
      const files = await this.deps.folders.prepareInstance(launch.deployment, launch.instance);
      child = await this.#spawn(launch, files);
      this.#ours.set(id, child);
      this.deps.cgroups.hold(id, child.pid, this.#limitsOf(launch));
      void child.exited.finally(forget);
      await this.#untilReady(child, launch, files);
    } catch (error) {
      child?.kill("SIGKILL");
      await child?.exited;
      this.deps.cgroups.release(id);
      forget();
      throw error;
    }
  }

  async #untilReady(child: Child, launch: Launch, { ready, log }: InstanceFiles): Promise<void> {
    const { instances, startLimitMs, cgroups } = this.deps;
    const { instance } = launch;
    let exitCode: number | undefined;
    void child.exited.then((code) => {
      exitCode = code;
    });
    const failed = (reason: string) => {
      const mask = maskOf(secretsOf(launch));
      return new StartFailed(mask([reason, ...lastLines(log)].join("\n")));
    };
    await instances.set(instance.id, { pid: child.pid, pid_started: child.started });
    const limit = performance.now() + startLimitMs;
    const { memoryMb } = this.#limitsOf(launch);
    let weighAt = 0;
    for (;;) {
      const port = readReady(ready, child.pid);
      if (port !== undefined) return instances.set(instance.id, { port });
      if (memoryMb !== null) {
        const ended = exitCode !== undefined && cgroups.wasEnded(instance.id);
        const weighs = exitCode === undefined && performance.now() >= weighAt;
        if (ended || (weighs && memoryAbove(child.pid, memoryMb * BYTES_IN_MB) !== undefined))
          throw failed(
            `The process took more than ${memoryMb} MiB of memory before it was ready and was ended`,
          );
        if (weighs) weighAt = performance.now() + WEIGH_EVERY_MS;
      }
      if (exitCode !== undefined)
        throw failed(`The process ended with exit code ${exitCode} before it was ready`);
      if (performance.now() > limit)
        throw failed(`The process was not ready after ${startLimitMs / 1_000} seconds`);
      await Bun.sleep(LOOK_EVERY_MS);
    }
  }

  #limitsOf({ revision }: Launch): Limits {
    return processLimits(revision.settings.resource_spec, this.deps.limits);
  }

  async #spawn(launch: Launch, files: InstanceFiles): Promise<Child> {
    const { users, folders, executable, machine, handOn } = this.deps;
    const { deployment } = launch;
    const own = await folders.prepare(deployment);
    const served = await this.#served(launch);
    const { command, env } = executable.berth(["serve", ...served.args]);
    this.deps.assertLeads();
    if (!existsSync(served.cwd ?? own.data)) throw new StartFailed("The files of this revision are gone");
    const publicUrl = launch.revision.settings.custom_url ?? `${this.deps.publicUrl()}/d/${deployment.id}`;
    const tracesUrl = this.deps.ownUrl() + shipmentPath(launch.instance.id);
    const { ready } = files;
    const of = { machine, handOn, publicUrl, tracesUrl };
    const surroundings = { ...of, folders: own, ready, dataMark: this.#mark };
    try {
      return users.spawnAs({
        command,
        env: { ...environmentOf(launch, surroundings), ...env },
        cwd: served.cwd ?? own.data,
        uid: users.uidOf(deployment),
        stdout: { file: files.log },
        stderr: { file: files.log },
      });
    } catch (error) {
      throw new StartFailed(`The process cannot be started: ${reasonOf(error)}`, { cause: error });
    }
  }

  /** What `berth serve` is told to serve, and where it stands while it does. */
  async #served({ deployment, revision }: Launch): Promise<{ args: string[]; cwd: string | null }> {
    const { build, settings } = revision;
    if (build === null) {
      if (settings.template === null) throw new StartFailed("The files of this revision are gone");
      return { args: ["--template", settings.template], cwd: null };
    }
    const root = await this.deps.folders.prepareBuild(deployment, revision, build.dir);
    const config = join(root, build.config_path);
    return { args: ["--project", config], cwd: dirname(config) };
  }

  async isAlive({ pid, pid_started }: Instance): Promise<boolean> {
    return isRunning(pid, pid_started);
  }

  async stop({ id, pid, pid_started }: Instance, graceMs: number): Promise<void> {
    const { assertLeads } = this.deps;
    assertLeads();
    if (pid !== null && isRunning(pid, pid_started)) {
      signal(pid, "SIGTERM");
      await ended(pid, pid_started, graceMs);
      assertLeads();
      // Also what it started and left behind.
      signalGroup(pid, "SIGKILL");
      await ended(pid, pid_started, KILL_LIMIT_MS);
    }
    await this.#endMarked((marks) => marks[INSTANCE_MARK] === id);
    this.deps.cgroups.release(id);
  }

  async memoryBytes({ pid, pid_started }: Instance): Promise<number | null> {
    return pid !== null && isRunning(pid, pid_started) ? memoryOf(pid) : null;
  }

  memoryAbove({ pid, pid_started }: Instance, bytes: number): number | undefined {
    return pid !== null && isRunning(pid, pid_started) ? memoryAbove(pid, bytes) : undefined;
  }

  async tookTooMuch({ id }: Instance): Promise<boolean> {
    return this.deps.cgroups.wasEnded(id);
  }

  async sweepOrphans(known: readonly Instance[]): Promise<void> {
    const alive = new Set(
      known.filter(({ pid, pid_started }) => isRunning(pid, pid_started)).map(({ id }) => id),
    );
    await this.#endMarked(({ [INSTANCE_MARK]: id = "" }) => !alive.has(id) && !this.#ours.has(id));
    this.deps.cgroups.sweep(new Set([...alive, ...this.#ours.keys()]));
  }

  async endStrays(mayRunHere: () => Promise<readonly Instance[]>): Promise<void> {
    const found = this.#allMarked().map(({ pid, marks }) => ({
      pid,
      marks,
      started: startTimeOf(pid) ?? "",
    }));
    if (found.length === 0) return;
    const kept = new Set((await mayRunHere()).map(({ id }) => id));
    const strays = found.filter(({ marks }) => !kept.has(marks[INSTANCE_MARK] ?? ""));
    for (const { pid, started } of strays) if (isRunning(pid, started)) signal(pid, "SIGKILL");
  }

  /** As long as this process leads: the next leader may have started the same instance again. */
  #endMarked(isMeant: (marks: Record<string, string>) => boolean): Promise<void> {
    return endAll(() => {
      this.deps.assertLeads();
      return this.#marked(isMeant);
    });
  }

  /** Whatever the instances of this data folder started is marked, in whichever group or session it is. */
  #marked(isMeant: (marks: Record<string, string>) => boolean): number[] {
    return this.#allMarked()
      .filter(({ marks }) => isMeant(marks))
      .map(({ pid }) => pid);
  }

  #allMarked() {
    return processesWith(INSTANCE_MARK, DATA_MARK, DEPLOYMENT_MARK).filter(
      ({ marks }) => marks[DATA_MARK] === this.#mark,
    );
  }

  #nobodyElses(pids: number[]): number[] {
    const theirs = new Set(
      processesWith(DATA_MARK)
        .filter(({ marks }) => marks[DATA_MARK] !== this.#mark)
        .map(({ pid }) => pid),
    );
    return pids.filter((pid) => !theirs.has(pid));
  }

  async removeAll(deployment: Deployment): Promise<void> {
    await this.#endMarked((marks) => marks[DEPLOYMENT_MARK] === deployment.id);
    const uid = this.deps.users.uidOf(deployment);
    // What took off its marks is the deployment's, too; what bears another Berth's is that one's, which happens to
    // have a deployment of the same user.
    if (uid !== null) await endAll(() => this.#nobodyElses(processesOf(uid)));
    await this.deps.folders.removeDeployment(deployment);
  }
}

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** Ends processes, and what they have started a moment before their end. */
async function endAll(find: () => number[]): Promise<void> {
  const limit = performance.now() + KILL_LIMIT_MS;
  for (;;) {
    const left = find();
    if (left.length === 0) return;
    if (performance.now() > limit) throw new Error(`processes ${left.join(", ")} do not end`);
    for (const pid of left) signal(pid, "SIGKILL");
    await Bun.sleep(LOOK_EVERY_MS);
  }
}

async function ended(pid: number, started: string | null, limitMs: number): Promise<void> {
  const limit = performance.now() + limitMs;
  while (isRunning(pid, started) && performance.now() < limit) await Bun.sleep(LOOK_EVERY_MS);
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}

/** The end of what an instance printed. */
function lastLines(path: string): string[] {
  const file = openSync(path, "r");
  try {
    const { size } = fstatSync(file);
    const bytes = Buffer.alloc(Math.min(size, TAIL.bytes));
    readSync(file, bytes, 0, bytes.length, size - bytes.length);
    const lines = bytes.toString("utf8").trimEnd().split("\n").slice(-TAIL.lines);
    return lines.map((line) => readLine(line, 0).message);
  } finally {
    closeSync(file);
  }
}
