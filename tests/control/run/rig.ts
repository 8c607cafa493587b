import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Deployment, Instance, InstancePatch, Revision, Secret } from "@berth/store";
import { Cgroups } from "../../../server/control/run/cgroups.ts";
import { type Limits, UNLIMITED } from "../../../server/control/run/limits.ts";
import { ProcessDriver } from "../../../server/control/run/process-driver.ts";
import type { Program } from "../../../server/machine/executable.ts";
import { Folders } from "../../../server/machine/folders.ts";
import { type Isolation, prepareIsolation } from "../../../server/machine/isolation.ts";
import { berthProgram } from "../../smoke/program.ts";

const ROOT = join(import.meta.dir, "..", "..", "..");
export const PROJECT = join(import.meta.dir, "project");

export type Rig = {
  dataDir: string;
  isolation: Isolation;
  folders: Folders;
  driver: ProcessDriver;
  /** What the driver has written down, by instance. */
  rows: Map<string, Instance>;
  row(id: string): Instance;
  /** Another driver on the same data, as a Berth that starts later has it. */
  another(): ProcessDriver;
  remove(): void;
};

type RigGiven = {
  dataDir?: string;
  startLimitMs?: number;
  limits?: Limits;
  /** What the instances run; the executable where one is compiled, else Berth's sources, unless told otherwise. */
  program?: Program;
};

/** A data folder with a driver on it. */
export function openRig(given: RigGiven = {}): Rig {
  const dataDir = given.dataDir ?? mkdtempSync(join(tmpdir(), "berth-run-"));
  const program = given.program ?? compiledProgram();
  const isolation = prepareIsolation({ dataDir }, program);
  const folders = new Folders(dataDir, isolation.users);
  folders.prepareRoots();
  const rows = new Map<string, Instance>();
  const row = (id: string) => {
    const found = rows.get(id);
    if (!found) throw new Error(`no instance ${id}`);
    return found;
  };
  const instances = {
    set: async (id: string, patch: InstancePatch) => void rows.set(id, { ...row(id), ...patch }),
  };
  const another = () =>
    new ProcessDriver({
      assertLeads: () => undefined,
      ...isolation,
      dataDir,
      folders,
      instances,
      publicUrl: () => "http://127.0.0.1:1",
      ownUrl: () => "http://127.0.0.1:1",
      machine: { PATH: process.env.PATH },
      handOn: () => ({}),
      startLimitMs: given.startLimitMs ?? 60_000,
      limits: given.limits ?? UNLIMITED,
      // Not by this machine's control groups: by the looks of Berth itself.
      cgroups: new Cgroups(() => undefined, undefined),
    });
  const remove = () => rmSync(dataDir, { recursive: true, force: true });
  return { dataDir, isolation, folders, driver: another(), rows, row, another, remove };
}

/** Its instances start in half the time. */
function compiledProgram(): Program | undefined {
  const [file = "", ...rest] = berthProgram();
  return rest.length === 0 ? { file, sources: null } : undefined;
}

// Not the users of tests that run beside these.
let uids = 40_000 + 100 * Math.floor(Math.random() * 200);

export function aDeployment(given: Partial<Deployment> = {}): Deployment {
  uids += 1;
  return {
    id: Bun.randomUUIDv7(),
    workspace_id: "8c1f8e9e-0000-7000-8000-000000000000",
    name: "my-agent",
    source: "internal_source",
    latest_revision_status: null,
    source_config: NOTHING,
    config: NO_CONFIG,
    secret_names: [],
    secrets_lost: false,
    secret_references: null,
    tracked_packages: null,
    uid: uids,
    status: "READY",
    latest_revision_id: null,
    active_revision_id: null,
    image_version: null,
    created_at: 0,
    updated_at: 0,
    deleted_at: null,
    ...given,
  };
}

const NOTHING = {
  integration_id: null,
  repo_url: null,
  deployment_type: "dev",
  custom_url: null,
  install_command: null,
  build_command: null,
  template: null,
  listener_id: null,
  build_on_push: null,
  require_api_key: null,
  health_path: null,
  resource_spec: null,
  listener_config: null,
};

const NO_CONFIG = {
  repo_ref: null,
  langgraph_config_path: "graph.json",
  image_uri: null,
  source_tarball_path: null,
  repo_commit_sha: null,
  image_digest: null,
};

export function aRevision(deployment: Deployment, given: Partial<Revision> = {}): Revision {
  return {
    id: Bun.randomUUIDv7(),
    deployment_id: deployment.id,
    workspace_id: deployment.workspace_id,
    number: 1,
    source: deployment.source,
    config: NO_CONFIG,
    settings: NOTHING,
    status: "DEPLOYING",
    status_message: null,
    status_since: 0,
    step: null,
    build: { dir: "source", config_path: "graph.json" },
    build_kept: true,
    image: null,
    interrupt: false,
    remote_reconciled: false,
    in_cluster: false,
    created_at: 0,
    updated_at: 0,
    deployed_at: null,
    began_at: 0,
    created_by: null,
    deployed_by: null,
    ...given,
  };
}

export function anInstance(revision: Revision): Instance {
  return {
    id: Bun.randomUUIDv7(),
    deployment_id: revision.deployment_id,
    revision_id: revision.id,
    driver: "process",
    state: "starting",
    pid: null,
    pid_started: null,
    container: null,
    port: null,
    address: null,
    health_path: null,
    token: `token-of-${Bun.randomUUIDv7()}`,
    restarts: 0,
    retry_at: null,
    log_offset: 0,
    created_at: 0,
    updated_at: 0,
    exit: null,
    own_auth: null,
    asleep_since: null,
    wake_at: null,
    replica: 0,
    place: null,
  };
}

/**
 * What a build leaves behind: the project's files, the deployment's own.
 * @param more a folder with files over the project's
 */
export async function built(
  rig: Rig,
  deployment: Deployment,
  revision: Revision,
  more?: string,
): Promise<void> {
  const { users } = rig.isolation;
  const uid = users.uidOf(deployment);
  const folder = join(rig.dataDir, "builds", revision.id);
  await users.ownFolder(folder, uid);
  mkdirSync(join(folder, "source"));
  for (const from of more === undefined ? [PROJECT] : [PROJECT, more])
    cpSync(from, join(folder, "source"), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(folder, "source", "node_modules"));
  await users.give(folder, uid);
}

export type Started = { deployment: Deployment; revision: Revision; instance: Instance; url: string };

export type StartGiven = {
  deployment?: Deployment;
  secrets?: Secret[];
  standby?: boolean;
  template?: string;
  more?: string;
};

/** Starts an instance of the test's project, or of a template. */
export async function started(rig: Rig, given: StartGiven = {}): Promise<Started> {
  const { deployment = aDeployment(), secrets = [], standby = false, template, more } = given;
  const revision =
    template === undefined
      ? aRevision(deployment)
      : aRevision(deployment, { build: null, settings: { ...NOTHING, template } });
  if (template === undefined) await built(rig, deployment, revision, more);
  const instance = anInstance(revision);
  rig.rows.set(instance.id, instance);
  await rig.driver.start({ deployment, revision, instance, secrets, standby });
  return { deployment, revision, instance, url: `http://127.0.0.1:${rig.row(instance.id).port}` };
}

/** Asks an instance as the gateway would. */
export async function asked<T>({ url, instance }: Started, path: string, body: unknown): Promise<T> {
  const response = await fetch(url + path, {
    method: "POST",
    headers: { "content-type": "application/json", "x-berth-gateway": instance.token },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response.json() as Promise<T>;
}
