import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
} from "node:fs";
import { join } from "node:path";
import type { Deployment, Instance, Revision } from "@berth/store";
import { Trash } from "./trash.ts";
import type { Users } from "./users.ts";

/** What a deployment has in the data folder. */
export type DeploymentFolders = {
  root: string;
  /** Its `DATA_DIR`: outlives its revisions. */
  data: string;
  home: string;
  cache: string;
  temporary: string;
};

/** Where an instance's output goes, and where it says how it is reached. */
export type InstanceFiles = { folder: string; log: string; ready: string };

const MOST_READY_BYTES = 1_024;

/**
 * The folders of deployments. What Berth itself writes or reads (logs, the folders around everything) is Berth's and
 * can at most be passed through by the deployment: a link that it put there would be followed with Berth's rights.
 */
export class Folders {
  readonly #trash: Trash;

  constructor(
    private readonly dataDir: string,
    private readonly users: Users,
  ) {
    this.#trash = new Trash(dataDir);
  }

  /** The root of all deployments' folders, and that of all builds. */
  prepareRoots(): void {
    for (const name of ["deployments", "builds"]) {
      const path = join(this.dataDir, name);
      mkdirSync(path, { recursive: true });
      // Others may pass, and list nothing; where nobody else runs anything, nobody else has to pass.
      chmodSync(path, this.users.isolated ? 0o711 : 0o700);
    }
  }

  of({ id }: Pick<Deployment, "id">): DeploymentFolders {
    const root = join(this.dataDir, "deployments", id);
    const inside = (name: string) => join(root, name);
    return {
      root,
      data: inside("data"),
      home: inside("home"),
      cache: inside("cache"),
      temporary: inside("tmp"),
    };
  }

  /** Makes the folders of a deployment, each its own user's. */
  async prepare(deployment: Pick<Deployment, "id" | "uid">): Promise<DeploymentFolders> {
    const folders = this.of(deployment);
    const uid = this.users.uidOf(deployment);
    this.prepareRoots();
    this.#passable(folders.root, uid);
    for (const path of [folders.data, folders.home, folders.cache, folders.temporary])
      await this.users.ownFolder(path, uid);
    return folders;
  }

  /** The folder of a build, for its deployment to read: whoever built it may have been another user. */
  async prepareBuild(
    deployment: Pick<Deployment, "uid">,
    revision: Pick<Revision, "id">,
    dir: string,
  ): Promise<string> {
    const uid = this.users.uidOf(deployment);
    const build = join(this.dataDir, "builds", revision.id);
    const path = join(build, dir);
    if (uid === null || !existsSync(path) || lstatSync(path).uid === uid) return path;
    chownSync(build, 0, 0);
    chmodSync(build, 0o711);
    await this.users.ownFolder(path, uid);
    return path;
  }

  filesOf({ id, deployment_id }: Pick<Instance, "id" | "deployment_id">): InstanceFiles {
    const folder = join(this.of({ id: deployment_id }).root, "instances", id);
    return { folder, log: join(folder, "log"), ready: join(folder, "ready", "instance.json") };
  }

  async prepareInstance(
    deployment: Pick<Deployment, "id" | "uid">,
    instance: Instance,
  ): Promise<InstanceFiles> {
    const uid = this.users.uidOf(deployment);
    const files = this.filesOf(instance);
    this.#passable(join(this.of(deployment).root, "instances"), uid);
    this.#passable(files.folder, uid);
    // What an earlier attempt left is not about this one.
    await this.#trash.remove(join(files.folder, "ready"));
    await this.users.ownFolder(join(files.folder, "ready"), uid);
    return files;
  }

  removeInstance(instance: Pick<Instance, "id" | "deployment_id">): Promise<void> {
    return this.#trash.remove(this.filesOf(instance).folder);
  }

  removeDeployment(deployment: Pick<Deployment, "id">): Promise<void> {
    return this.#trash.remove(this.of(deployment).root);
  }

  /** A folder of ours that the user can pass through, and do nothing else with. */
  #passable(path: string, uid: number | null): void {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    if (uid === null) return;
    chownSync(path, 0, uid);
    chmodSync(path, 0o710);
  }
}

/**
 * The port that an instance says it listens at; undefined until it does. It may have written anything, or put anything
 * in the file's place: what is no small plain file about this very process is taken for nothing.
 */
export function readReady(path: string, pid: number): number | undefined {
  const text = smallFile(path);
  if (text === undefined) return undefined;
  try {
    const said = JSON.parse(text) as { pid?: unknown; port?: unknown };
    const { port } = said;
    if (said.pid !== pid || typeof port !== "number" || !Number.isInteger(port)) return undefined;
    return port > 0 && port < 65_536 ? port : undefined;
  } catch {
    return undefined;
  }
}

function smallFile(path: string): string | undefined {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
  try {
    if (!fstatSync(file).isFile()) return undefined;
    // No more than that, whatever its size was a moment ago: it may be growing.
    const bytes = Buffer.alloc(MOST_READY_BYTES + 1);
    const length = readSync(file, bytes, 0, bytes.length, 0);
    return length <= MOST_READY_BYTES ? bytes.toString("utf8", 0, length) : undefined;
  } finally {
    closeSync(file);
  }
}
