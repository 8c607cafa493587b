import {
  Changes,
  type Database,
  DEFAULT_WORKSPACE,
  Deployments,
  Instances,
  type NewDeployment,
  type Revision,
  RevisionLogs,
  type RevisionStatus,
  Revisions,
  SecretBox,
  Uploads,
} from "@berth/store";
import { type Open, standingClock } from "../every-store.ts";

export const HERE: string = DEFAULT_WORKSPACE.id;
export const ELSEWHERE = "0197f0a0-0000-7000-8000-00000000beef";
export const UNKNOWN_ID = "0197f0a0-0000-7000-8000-00000000dead";

/** The way of a revision that has nothing to build. */
const WAY: RevisionStatus[] = ["CREATING", "AWAITING_DEPLOY", "DEPLOYING"];

export type ControlStore = Awaited<ReturnType<typeof startControlStore>>;

/** Everything that the control plane remembers, over a fresh database with a second workspace. */
export async function startControlStore(open: Open) {
  const db = await open();
  await db.write((tx) =>
    tx.insertInto("workspaces").values({ id: ELSEWHERE, name: "elsewhere", created_at: 0 }).execute(),
  );
  return controlStore(db);
}

/** The same over a database that is open already, with a clock of its own. */
export function controlStore(db: Database) {
  const clock = standingClock();
  const box = new SecretBox("a passphrase");
  const deployments = new Deployments(db, clock, box);
  const revisions = new Revisions(db, clock, box);
  const instances = new Instances(db, clock, box);
  /** A template: nothing to build, nothing to wait for. */
  const create = (given: Partial<NewDeployment> = {}, workspace = HERE) => {
    clock.advance(1);
    return deployments.create(workspace, { ...template, ...given });
  };
  /** Brings a fresh revision to where it serves; answers its instance. */
  const deploy = async ({ id, deployment_id }: Pick<Revision, "id" | "deployment_id">) => {
    for (const [at, from] of WAY.entries()) {
      const to = WAY[at + 1];
      if (to && !(await revisions.move(id, from, to))) throw new Error(`no longer ${from}`);
    }
    return serve({ id, deployment_id });
  };
  const serve = async ({ id, deployment_id }: Pick<Revision, "id" | "deployment_id">) => {
    clock.advance(1);
    const instance = await instances.create({ deployment_id, revision_id: id, driver: "process" });
    if (!(await revisions.activate(id, instance.id))) throw new Error("not activated");
    return instance;
  };
  const statuses = async (deploymentId: string) => {
    const all = await revisions.list(HERE, deploymentId, {}, { limit: 100, offset: 0 });
    return all.map(({ status }) => status).reverse();
  };
  const uploads = new Uploads(db, clock);
  /** An archive that arrived; answers its object path. */
  const upload = async (deploymentId: string) => {
    const { id, token, objectPath } = await uploads.issue(HERE, deploymentId);
    await uploads.open(token);
    await uploads.received(id, { bytes: 10, sha256: "abc" });
    return objectPath;
  };
  return {
    db,
    clock,
    box,
    deployments,
    revisions,
    instances,
    uploads,
    logs: new RevisionLogs(db, clock),
    changes: new Changes(db, clock),
    create,
    deploy,
    serve,
    statuses,
    upload,
  };
}

const template: NewDeployment = {
  name: "agent",
  source: "internal_template",
  source_config: { template: "chat" },
  config: {},
  secrets: [],
};
