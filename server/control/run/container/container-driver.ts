import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import type { Deployment, Instance, Instances } from "@berth/store";
import { maskOf } from "@berth/store";
import {
  BUILD_MARK,
  type ContainerEngine,
  DATA_MARK,
  dataMark,
  EngineFailed,
  type Folders,
  isUnknown,
} from "../../../machine/index.ts";
import { isLoopbackHost } from "../../../reach/index.ts";
import { type Driver, type Launch, StartFailed } from "../driver.ts";
import { type HandOn, secretsOf } from "../environment.ts";
import type { Limits } from "../limits.ts";
import { type ContainerLogs, lastWords } from "./container-logs.ts";
import { type Engines, NoEngine, placeText, RunningContainers } from "./engines.ts";
import { containerEnvironment, DATA_FOLDER, givenEnvironment } from "./environment.ts";
import { limitOptions } from "./limits.ts";
import { keptNames } from "./reference.ts";

export type ContainerDriverDeps = {
  dataDir: string;
  folders: Folders;
  engines: Engines;
  logs: Pick<ContainerLogs, "drain">;
  instances: Pick<Instances, "set">;
  /** Our own address, as others reach it. */
  publicUrl: () => string;
  /** The same on this machine. */
  ownUrl: () => string;
  /** `host`: containers listen on this machine's loopback themselves, where the engine cannot publish ports. */
  network: "default" | "host";
  /** What Berth was told for all deployments. */
  handOn: HandOn;
  /** What a container may take whose revision asks for nothing. */
  limits: Limits;
};

const INSTANCE_LABEL = "berth.instance";
const DEPLOYMENT_LABEL = "berth.deployment";
const REVISION_LABEL = "berth.revision";
const DATA_LABEL = "berth.data";

/** Where containers listen when they have a network of their own. */
const PORT = 8_000;
const LOG_LIMIT = "8m";
const TAIL_LINES = 20;
/** What an engine takes to end a container beyond the time that it is given. */
const STOP_EXTRA_MS = 30_000;

/** Runs revisions as containers. They belong to the engine, and so go on when Berth is killed. */
export class ContainerDriver implements Driver {
  readonly kind = "container";
  readonly #deps: ContainerDriverDeps;
  readonly #mark: string;
  readonly #running: RunningContainers;
  /** Instances that are being started: the engine may have their containers before their rows say so. */
  readonly #starting = new Set<string>();

  constructor(deps: ContainerDriverDeps) {
    this.#deps = deps;
    this.#mark = dataMark(deps.dataDir);
    this.#running = new RunningContainers(`${DATA_LABEL}=${this.#mark}`);
  }

  /** @throws StartFailed */
  async start(launch: Launch): Promise<void> {
    const { id } = launch.instance;
    this.#starting.add(id);
    try {
      await this.#start(launch);
    } catch (error) {
      const isTold = error instanceof NoEngine || error instanceof EngineFailed;
      if (!isTold) throw error;
      const mask = maskOf(secretsOf(launch));
      throw new StartFailed(mask(`The container cannot be started: ${error.message}`), { cause: error });
    } finally {
      this.#starting.delete(id);
    }
  }

  async #start(launch: Launch): Promise<void> {
    const { engines, instances, network } = this.#deps;
    const { instance } = launch;
    const engine = await engines.current();
    // What an earlier start of this instance left would have its name.
    for (const left of await this.#containersOf(engine, instance.id)) await remove(engine, left);
    const port = network === "host" ? await freePort() : null;
    const container = await this.#create(engine, launch, port);
    await instances.set(instance.id, { container: placeText(engine, container) });
    await engine.run(["start", container]);
    const published = await this.#portOf(engine, launch, container);
    await instances.set(instance.id, { port: port ?? published });
  }

  async #create(engine: ContainerEngine, launch: Launch, hostPort: number | null): Promise<string> {
    const { deployment, revision, instance } = launch;
    const { image, settings } = revision;
    if (image === null) throw new StartFailed("There is no image of this revision");
    if (hostPort === null) refuseLoopback(launch);
    const publicUrl = settings.custom_url ?? `${this.#deps.publicUrl()}/d/${deployment.id}`;
    const where = hostPort === null ? { host: "0.0.0.0", port: PORT } : { host: "127.0.0.1", port: hostPort };
    const berthUrl = this.#berthUrl(hostPort !== null);
    const { handOn } = this.#deps;
    const environment = containerEnvironment(launch, { ...where, handOn, publicUrl, berthUrl });
    const { file, variables } = givenEnvironment(environment);
    const { data, environmentFile } = this.#layOut(deployment, instance);
    writeFileSync(environmentFile, file, { mode: 0o600 });
    try {
      const options = [
        ...["--name", `berth-${instance.id}`, "--pull", "never", "--restart", "no"],
        ...this.#labels(launch),
        ...["--cap-drop", "all", "--security-opt", "no-new-privileges"],
        ...limitOptions(settings.resource_spec, this.#deps.limits),
        ...(hostPort === null ? ["--publish", `127.0.0.1::${PORT}`] : ["--network", "host"]),
        ...["--volume", `${data}:${DATA_FOLDER}:z`],
        ...["--env-file", environmentFile],
        ...Object.keys(variables).flatMap((name) => ["--env", name]),
        ...(await logOptions(engine)),
      ];
      // A Berth that is killed meanwhile has no row of it: the next one ends the command, then the container.
      const marks = { [BUILD_MARK]: revision.id, [DATA_MARK]: this.#mark };
      const id = await engine.run(["create", ...options, image], { env: { ...variables, ...marks } });
      return id.split("\n").at(-1) ?? "";
    } finally {
      rmSync(environmentFile, { force: true });
    }
  }

  /** A container with a network of its own does not reach this machine's loopback. */
  #berthUrl(isOnHost: boolean): string | null {
    const base = isOnHost ? this.#deps.ownUrl() : this.#deps.publicUrl();
    if (!isOnHost && isLoopbackHost(new URL(base).host)) return null;
    return base;
  }

  #labels({ deployment, revision, instance }: Launch): string[] {
    const labels = {
      [INSTANCE_LABEL]: instance.id,
      [DEPLOYMENT_LABEL]: deployment.id,
      [REVISION_LABEL]: revision.id,
      [DATA_LABEL]: this.#mark,
    };
    return Object.entries(labels).flatMap(([name, value]) => ["--label", `${name}=${value}`]);
  }

  #layOut(deployment: Deployment, instance: Instance): { data: string; environmentFile: string } {
    const { folders } = this.#deps;
    folders.prepareRoots();
    const { folder } = folders.filesOf(instance);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const { data } = folders.of(deployment);
    mkdirSync(data, { recursive: true });
    // Its image says as whom it runs, and root without capabilities is nobody here either. Nobody else on this machine
    // gets through the folders around it.
    chmodSync(data, 0o777);
    return { data, environmentFile: join(folder, "environment") };
  }

  /** The port at which a container is published, if it is; it has to run for that. */
  async #portOf(engine: ContainerEngine, launch: Launch, container: string): Promise<number> {
    const format = "{{.State.Running}} {{.State.ExitCode}} {{json .NetworkSettings.Ports}}";
    const text = await engine.run(["container", "inspect", "--format", format, container]);
    const [isRunning, exitCode, ...rest] = text.split(" ");
    if (isRunning !== "true") {
      const tail = await lastWords(engine, container, TAIL_LINES);
      const reason = `The container ended with exit code ${exitCode} before it was ready`;
      throw new StartFailed(maskOf(secretsOf(launch))([reason, tail].join("\n").trim()));
    }
    const port = Number(/"HostPort":\s*"(\d+)"/.exec(rest.join(" "))?.[1]);
    if (this.#deps.network === "default" && !port)
      throw new StartFailed(`${engine.name} does not publish ports here: set CONTAINER_NETWORK=host`);
    return port;
  }

  async isAlive(instance: Instance): Promise<boolean> {
    const place = this.#deps.engines.placeOf(instance);
    return place !== undefined && this.#running.has(place.engine, place.id);
  }

  async stop(instance: Instance, graceMs: number): Promise<void> {
    const { engines, logs } = this.#deps;
    const place = engines.placeOf(instance);
    // Where no row tells of a container, one may have been made and never noted.
    for (const engine of place ? [place.engine] : engines.installed()) {
      // Whoever took the engine away took its containers with it.
      if (!engine.isInstalled) continue;
      const found = await this.#containersOf(engine, instance.id).catch((error) => {
        if (place || !(error instanceof EngineFailed)) throw error;
        return [];
      });
      for (const container of found) {
        await end(engine, container, graceMs);
        // With the container its log goes.
        if (container === place?.id) await logs.drain(instance);
        await remove(engine, container);
      }
    }
  }

  /** By the engine's own account: what all of the container's processes take. */
  async memoryBytes(instance: Instance): Promise<number | null> {
    const place = this.#deps.engines.placeOf(instance);
    if (!place) return null;
    try {
      const used = await place.engine.run(["stats", "--no-stream", "--format", "{{.MemUsage}}", place.id]);
      return bytesOf(used);
    } catch (error) {
      if (error instanceof EngineFailed) return null;
      throw error;
    }
  }

  /** The engine holds it to that. */
  memoryAbove(): undefined {}

  async tookTooMuch(instance: Instance): Promise<boolean> {
    const place = this.#deps.engines.placeOf(instance);
    if (!place) return false;
    const said = await place.engine
      .run(["container", "inspect", "--format", "{{.State.OOMKilled}}", place.id])
      .catch(() => "");
    return said.trim() === "true";
  }

  async sweepOrphans(known: readonly Instance[]): Promise<void> {
    // A container is removed before its row says that it is gone: without rows there are none.
    if (known.length === 0) return;
    const { engines } = this.#deps;
    const ids = new Set(known.map((instance) => engines.placeOf(instance)?.id));
    for (const engine of engines.installed())
      for (const container of await listed(engine, `${DATA_LABEL}=${this.#mark}`).catch(() => []))
        if (!ids.has(container) && !(await this.#isStarting(engine, container)))
          await remove(engine, container);
  }

  async endStrays(mayRunHere: () => Promise<readonly Instance[]>): Promise<void> {
    const known = (await mayRunHere()).filter(({ driver }) => driver === this.kind);
    // A container is made before its row names it: this can wait until none is being started.
    if (known.every(({ container }) => container !== null)) await this.sweepOrphans(known);
  }

  async #isStarting(engine: ContainerEngine, container: string): Promise<boolean> {
    for (const id of this.#starting)
      if ((await this.#containersOf(engine, id)).includes(container)) return true;
    return false;
  }

  async removeAll(deployment: Deployment): Promise<void> {
    if (deployment.source !== "internal_docker" && deployment.source !== "external_docker") return;
    for (const engine of this.#deps.engines.installed()) {
      // One that does not answer has none: each container that a row knew of was stopped before.
      const left = await listed(engine, `${DEPLOYMENT_LABEL}=${deployment.id}`).catch(() => []);
      for (const container of left) await remove(engine, container);
      const filter = ["--filter", `reference=${keptNames(deployment.id)}`];
      const images = await engine
        .run(["images", ...filter, "--format", "{{.Repository}}:{{.Tag}}"])
        .catch(() => "");
      for (const image of images.split("\n").filter(Boolean))
        await engine.run(["image", "rm", image]).catch(ignoreUnknown);
      await this.#removeData(engine, deployment);
    }
  }

  /** Files that a container wrote as another user are not ours to remove, where we are not root. */
  async #removeData(engine: ContainerEngine, deployment: Deployment): Promise<void> {
    if (process.getuid?.() === 0 || !(await engine.isPodman().catch(() => false))) return;
    const { data } = this.#deps.folders.of(deployment);
    await engine.run(["unshare", "rm", "-rf", "--", data]).catch(() => "");
  }

  #containersOf(engine: ContainerEngine, instanceId: string): Promise<string[]> {
    return listed(engine, `${INSTANCE_LABEL}=${instanceId}`);
  }
}

/** A container with a network of its own does not reach this machine's loopback. */
function refuseLoopback({ database }: Launch): void {
  if (database && isLoopbackHost(new URL(database.url).hostname))
    throw new StartFailed(
      "A container does not reach the database at this machine's loopback: name the server by another address in DATABASE_URL, or set CONTAINER_NETWORK=host",
    );
}

/** Ids of the containers that carry a label, also of those that have ended. */
async function listed(engine: ContainerEngine, label: string): Promise<string[]> {
  const ids = await engine.run(["ps", "--all", "--quiet", "--no-trunc", "--filter", `label=${label}`]);
  return ids.split("\n").filter(Boolean);
}

async function end(engine: ContainerEngine, container: string, graceMs: number): Promise<void> {
  const seconds = Math.ceil(graceMs / 1_000);
  try {
    await engine.run(["stop", "-t", String(seconds), container], { limitMs: graceMs + STOP_EXTRA_MS });
  } catch (error) {
    // Engines also say so of one that ended at that very moment. What still runs is removed by force.
    if (!(error instanceof EngineFailed)) throw error;
  }
}

async function remove(engine: ContainerEngine, container: string): Promise<void> {
  await engine.run(["rm", "--force", "--volumes", container]).catch(ignoreUnknown);
}

function ignoreUnknown(error: unknown): void {
  if (!isUnknown(error)) throw error;
}

/** A log that `logs` can read and that does not grow for ever; proxies of ours are none of a container's business. */
async function logOptions(engine: ContainerEngine): Promise<string[]> {
  return (await engine.isPodman())
    ? ["--log-driver", "k8s-file", "--log-opt", `max-size=${LOG_LIMIT}`, "--http-proxy=false"]
    : ["--log-driver", "json-file", "--log-opt", `max-size=${LOG_LIMIT}`, "--log-opt", "max-file=2"];
}

const UNITS: Record<string, number> = {
  b: 1,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  kib: 2 ** 10,
  mib: 2 ** 20,
  gib: 2 ** 30,
};

/** Reads `12.3MiB / 1GiB`, of which the first is what is used. */
function bytesOf(text: string): number | null {
  const [, number, unit = ""] = /^([\d.]+)\s*([a-z]+)/i.exec(text) ?? [];
  const factor = UNITS[unit.toLowerCase()];
  return number === undefined || factor === undefined ? null : Math.round(Number(number) * factor);
}

/** Below what systems give to whoever asks for any port, so that nobody gets it by chance meanwhile. */
const FIRST = 20_000;
const LAST = 32_767;
const MOST_TRIES = 50;

/** A port on loopback at which nobody listens. */
async function freePort(): Promise<number> {
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const port = FIRST + Math.floor(Math.random() * (LAST - FIRST + 1));
    if (await isFree(port)) return port;
  }
  throw new Error("no free port was found");
}

function isFree(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const server = createServer();
  server.once("error", () => resolve(false));
  server.listen({ port, host: "127.0.0.1", exclusive: true }, () => server.close(() => resolve(true)));
  return promise;
}
