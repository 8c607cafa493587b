import { expect } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Deployment, Revision, RevisionConfig, Secret, SourceConfig } from "@berth/store";
import { NotFound } from "@berth/store";
import { Builders, BuildFailed } from "../../../server/control/build/builder.ts";
import type { BuildOrder } from "../../../server/control/build/order.ts";
import { LocalArchives } from "../../../server/control/files/index.ts";
import { prepareIsolation } from "../../../server/machine/isolation.ts";
import type { Resolve } from "../../../server/reach/destination.ts";
import { PRIVATE_TOO, Reach } from "../../../server/reach/reach.ts";
import { rawTarGz } from "./raw-tar.ts";

/** Builders on a data folder of their own. */
export type Rig = {
  dataDir: string;
  builders: Builders;
  isolated: boolean;
  /** Uploads an archive with these files; answers with its object path. */
  upload(files: Record<string, string>): Promise<string>;
  uploadBytes(bytes: Uint8Array): Promise<string>;
  remove(): void;
};

export type RigOptions = {
  environment?: Record<string, string>;
  tokens?: Record<string, string>;
  /** Workspaces whose own commands may use Berth's credentials. */
  credentialWorkspaces?: readonly string[];
  /** How names are looked up. */
  resolve?: Resolve;
};

/** `environment` stands for Berth's own. */
export function openRig({
  environment = {},
  tokens = {},
  credentialWorkspaces = [],
  resolve,
}: RigOptions = {}): Rig {
  const dataDir = mkdtempSync(join(tmpdir(), "berth-build-test-"));
  mkdirSync(join(dataDir, "uploads"), { mode: 0o700 });
  const isolation = prepareIsolation({ dataDir });
  const builders = new Builders({
    dataDir,
    users: isolation.users,
    executable: isolation.executable,
    environment: { PATH: process.env.PATH, ...environment },
    uploads: {
      at: async (_deployment, path) => {
        const id = path.split("/").at(-1) ?? "";
        if (!path.startsWith("uploads/")) throw new NotFound(`${path} was not uploaded`);
        return { id } as Awaited<ReturnType<Rig["builders"]["prepare"]>> & never;
      },
    },
    archives: new LocalArchives(dataDir),
    integrations: {
      tokenOf: async (_workspace, id) => {
        const token = tokens[id];
        if (token === undefined) throw new NotFound(`Integration ${id} not found`);
        return token;
      },
    },
    images: { prepare: async () => ({ image: "sha256:1", digest: null }) },
    settings: { control: { buildCredentials: credentialWorkspaces } },
    sources: new Reach(PRIVATE_TOO),
    ...(resolve && { resolve }),
  });
  const uploadBytes = async (bytes: Uint8Array) => {
    const id = Bun.randomUUIDv7();
    await writeFile(join(dataDir, "uploads", id), bytes);
    return `uploads/${Bun.randomUUIDv7()}/${id}`;
  };
  return {
    dataDir,
    builders,
    isolated: isolation.users.isolated,
    uploadBytes,
    upload: (files) =>
      uploadBytes(rawTarGz(Object.entries(files).map(([name, content]) => ({ name, content })))),
    remove: () => rmSync(dataDir, { recursive: true, force: true }),
  };
}

export type Wanted = {
  source?: Revision["source"];
  config?: Partial<RevisionConfig>;
  settings?: Partial<SourceConfig>;
  secrets?: Secret[];
  uid?: number;
};

/** An order with its log. */
export type Ordered = BuildOrder & {
  lines: string[];
  warnings: string[];
  children: number[];
  stop: AbortController;
};

let uids = 47_000;

/** What the reconciler would hand to the builders. */
export function order(rig: Rig, { source = "internal_source", ...wanted }: Wanted): Ordered {
  uids += 1;
  const workspace_id = Bun.randomUUIDv7();
  const deployment_id = Bun.randomUUIDv7();
  const id = Bun.randomUUIDv7();
  const config = { ...NO_CONFIG, ...wanted.config };
  const settings = { ...NO_SETTINGS, ...wanted.settings };
  const uid = wanted.uid ?? uids;
  const lines: string[] = [];
  const warnings: string[] = [];
  const children: number[] = [];
  const stop = new AbortController();
  return {
    // Of the rows, the builders read these members.
    deployment: { id: deployment_id, workspace_id, uid, source } as Deployment,
    revision: { id, deployment_id, workspace_id, source, config, settings, image: null } as Revision,
    secrets: wanted.secrets ?? [],
    folder: join(rig.dataDir, "builds", id),
    say: (line, level) => {
      lines.push(line);
      if (level === "WARNING") warnings.push(line);
    },
    signal: stop.signal,
    onChild: async ({ pid }) => void children.push(pid),
    ...{ lines, warnings, children, stop },
  };
}

/** An order for an archive with these files. */
export async function orderOf(
  rig: Rig,
  files: Record<string, string>,
  wanted: Wanted = {},
): Promise<Ordered> {
  const source_tarball_path = await rig.upload(files);
  return order(rig, { ...wanted, config: { source_tarball_path, ...wanted.config } });
}

/** Prepares and builds; gives the folder of the built project. */
export async function buildOf(rig: Rig, given: Ordered): Promise<string> {
  await rig.builders.prepare(given);
  const { build } = await rig.builders.build(given);
  expect(build).toEqual({ dir: "source", config_path: given.revision.config.langgraph_config_path ?? "" });
  return join(given.folder, build?.dir ?? "");
}

/** The reason for which it cannot be built. */
export async function failureOf(rig: Rig, given: Ordered): Promise<string> {
  const error = await rig.builders.build(given).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(BuildFailed);
  return (error as Error).message;
}

const NO_CONFIG: RevisionConfig = {
  repo_ref: null,
  langgraph_config_path: "graph.json",
  image_uri: null,
  source_tarball_path: null,
  repo_commit_sha: null,
  image_digest: null,
};

const NO_SETTINGS: SourceConfig = {
  integration_id: null,
  repo_url: null,
  deployment_type: null,
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
