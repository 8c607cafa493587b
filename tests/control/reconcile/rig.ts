import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type Database,
  DEFAULT_WORKSPACE,
  type Deployment,
  Deployments,
  Instances,
  isFinal,
  lacksInputs,
  openDatabase,
  openSecretBox,
  type Revision,
  RevisionLogs,
  Revisions,
  type SecretBox,
} from "@berth/store";
import { Reconciler } from "../../../server/control/reconcile/reconciler.ts";
import { databaseUrl } from "../../postgres/for-data.ts";
import { type Crash, Life } from "./life.ts";
import { partsOf } from "./parts.ts";
import { World } from "./world.ts";

const WORKSPACE = DEFAULT_WORKSPACE.id;
/** What the reconciler's timer does. */
const TURN_MS = 250;
/** More than the longest limit takes: DEPLOYING's. */
const MOST_TURNS = 2_000;

/** Several lives of a Berth, one after the other, in one world and on one database. */
export class Rig {
  readonly world = new World();
  readonly owner: ReturnType<typeof repositories>;
  #life = new Life();
  #reconciler: Reconciler | undefined;

  private constructor(
    readonly db: Database,
    private readonly box: SecretBox,
    private readonly folder: string,
  ) {
    this.owner = repositories(db, this.world, box);
  }

  static async open(): Promise<Rig> {
    const folder = mkdtempSync(join(tmpdir(), "berth-reconcile-"));
    copyFileSync(await emptyFile(), join(folder, "berth.db"));
    const db = await openDatabase(await databaseUrl(join(folder, "berth.db")));
    return new Rig(db, await openSecretBox(db, { dataDir: folder, secretsKey: "test" }), folder);
  }

  async close(): Promise<void> {
    this.#life.end();
    await this.db.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  get life(): Life {
    return this.#life;
  }

  /** A process starts that reconciles; the one before is dead. */
  async begin(crash?: Crash): Promise<void> {
    this.#life.end();
    await this.#life.gone();
    const life = new Life(crash);
    const parts = partsOf(this.world, life, repositories(life.writing(this.db), this.world, this.box));
    this.#life = life;
    this.#reconciler = new Reconciler(parts);
    await this.#orDead(this.#reconciler.begin());
  }

  /** It is told to stop, and does, or dies over it. */
  async stop(): Promise<void> {
    const stopping = this.#reconciler?.stop();
    let done = false;
    void stopping?.then(() => {
      done = true;
    });
    for (let turn = 0; turn < MOST_TURNS && !done && !this.#life.isDead; turn += 1) await this.#turnTime();
    if (!done && !this.#life.isDead) throw new Error("it does not stop");
    this.#life.end();
  }

  /** One turn of the timer, and a quarter of a second. */
  async turn(): Promise<void> {
    await this.#orDead(this.#reconciler?.once());
    await this.#orDead(this.#reconciler?.supervise());
    await this.#turnTime();
  }

  /** What a timer does besides: removes the folders that nobody needs. */
  async tidy(): Promise<void> {
    await this.#orDead(this.#reconciler?.tidy());
  }

  /** Turns until nothing is left to do, or the life ends. */
  async settle(): Promise<void> {
    await this.until("everything to settle", () => this.isQuiet());
    // What comes after the last status: folders that go.
    for (let turn = 0; turn < 2 && !this.#life.isDead; turn += 1) await this.turn();
  }

  /** Turns until something holds, or the life ends. */
  async until(what: string, holds: () => Promise<boolean>): Promise<void> {
    for (let turn = 0; turn < MOST_TURNS; turn += 1) {
      if (this.#life.isDead || (await holds())) return;
      await this.turn();
    }
    throw new Error(`${what}: not after ${MOST_TURNS} turns`);
  }

  /** Time goes on, without another look of the reconciler, until something holds. */
  async whileLooking(what: string, holds: () => Promise<boolean>): Promise<void> {
    for (let turn = 0; turn < MOST_TURNS; turn += 1) {
      await this.#turnTime();
      if (await holds()) return this.#turnTime();
    }
    throw new Error(`${what}: not after ${MOST_TURNS} turns`);
  }

  async isQuiet(): Promise<boolean> {
    const { revisions, instances, deployments } = this.owner;
    if ((await deployments.awaitingDelete()).length > 0) return false;
    const waiting = await revisions.inFlight();
    if (waiting.some(({ source, config }) => !lacksInputs(source, config))) return false;
    return (await instances.live()).every(
      ({ state, pid }) => state === "serving" && pid !== null && this.world.processes.get(pid)?.claims,
    );
  }

  async create(name: string, branch: string): Promise<{ deployment: Deployment; revision: Revision }> {
    return this.owner.deployments.create(WORKSPACE, {
      name,
      source: "github",
      source_config: { repo_url: "https://example.com/repo.git", deployment_type: "dev" },
      config: { repo_ref: branch, langgraph_config_path: "graph.json" },
      secrets: [],
    });
  }

  /** Creates a deployment that runs an image. */
  async createImage(name: string, image: string): Promise<{ deployment: Deployment; revision: Revision }> {
    const config = { image_uri: image };
    const source = "external_docker";
    return this.owner.deployments.create(WORKSPACE, { name, source, source_config: {}, config, secrets: [] });
  }

  /** Asks for another revision. */
  async push(deploymentId: string, branch: string): Promise<Revision> {
    const patch = { config: { repo_ref: branch } };
    const { revision } = await this.owner.deployments.patch(WORKSPACE, deploymentId, patch);
    if (!revision) throw new Error("no revision was made");
    return revision;
  }

  redeploy({ deployment_id, id }: Revision): Promise<Deployment> {
    return this.owner.revisions.redeploy(WORKSPACE, deployment_id, id);
  }

  interrupt({ deployment_id, id }: Revision): Promise<Revision> {
    return this.owner.revisions.requestInterrupt(WORKSPACE, deployment_id, id);
  }

  delete(deploymentId: string): Promise<void> {
    return this.owner.deployments.markDeleted(WORKSPACE, deploymentId);
  }

  async revision(id: string): Promise<Revision | undefined> {
    return this.owner.revisions.find(id);
  }

  async status(id: string): Promise<string | undefined> {
    return (await this.revision(id))?.status;
  }

  /** What serves a deployment, by the name of its revision; undefined where nothing does. */
  async serving(deploymentId: string): Promise<string | undefined> {
    const instances = await this.owner.instances.ofDeployment(deploymentId);
    const pid = instances.find(({ state }) => state === "serving")?.pid;
    return pid === null || pid === undefined ? undefined : this.world.processes.get(pid)?.name;
  }

  /** Everything that must hold once nothing is left to do. */
  async wrongs(): Promise<string[]> {
    const { instances, deployments } = this.owner;
    const wrongs = [...this.world.wrongs];
    const live = await instances.live();
    const known = new Set(live.map(({ pid }) => pid));
    for (const { pid } of this.world.processes.values())
      if (!known.has(pid)) wrongs.push(`orphan process ${pid}`);
    for (const child of this.world.children.keys()) wrongs.push(`orphan child ${child}`);
    const ids = new Set(live.map(({ id }) => id));
    for (const id of this.world.files) if (!ids.has(id)) wrongs.push(`orphan files of instance ${id}`);
    for (const id of this.world.folders) {
      const revision = await this.revision(id);
      if (!revision?.build_kept) wrongs.push(`orphan folder of ${revision?.status ?? "nothing"}`);
      else if (!isFinal(revision.status)) wrongs.push(`${revision.status} is left`);
    }
    for (const { deployment_id, revision_id } of live) {
      const deployment = await deployments.find(deployment_id);
      if (deployment?.active_revision_id !== revision_id) wrongs.push("what serves is not active");
    }
    return wrongs;
  }

  async #turnTime(): Promise<void> {
    await settled();
    this.world.turn(TURN_MS);
    await settled();
  }

  /** A dead process answers nobody. */
  async #orDead(work: Promise<unknown> | undefined): Promise<void> {
    await Promise.race([work, this.#life.died]);
  }
}

/** Everything that needs no time has happened. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

function repositories(db: Database, clock: { now: number }, box: SecretBox) {
  const time = { now: () => clock.now };
  return {
    deployments: new Deployments(db, time, box),
    revisions: new Revisions(db, time, box),
    instances: new Instances(db, time, box),
    logs: new RevisionLogs(db, time),
  };
}

let empty: Promise<string> | undefined;

/** A migrated database to copy: migrating takes longer than most tests here. */
function emptyFile(): Promise<string> {
  empty ??= (async () => {
    const folder = mkdtempSync(join(tmpdir(), "berth-reconcile-"));
    process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, "berth.db");
    await (await openDatabase(await databaseUrl(file))).close();
    return file;
  })();
  return empty;
}
