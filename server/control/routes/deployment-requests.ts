import {
  BadRequest,
  type Deployment,
  type DeploymentPatch,
  type Integrations,
  type Listeners,
  lacksInputs,
  type NewDeployment,
  SECRET_MASK,
  type Secret,
} from "@berth/store";
import { type Static, Type } from "@sinclair/typebox";
import { oneOf, optional } from "../../http/index.ts";
import {
  SecretReference,
  Secret as SecretSchema,
  SOURCES,
  SourceConfig,
  type SourceConfigBody,
  SourceRevisionConfig,
} from "../wire/index.ts";
import {
  checkClusterImage,
  checkNewSource,
  checkReferences,
  checkSecrets,
  checkSourceConfig,
  checkTag,
  checkUnchanged,
  choosesAnything,
  isBuildable,
  refuse,
  revisionConfigFaults,
  secretFaults,
  throwFaults,
} from "./deployment-rules.ts";
import type { ControlSettings } from "./deps.ts";

const DeploymentName = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: "^[A-Za-z0-9][A-Za-z0-9_-]*$",
});

const References = optional(Type.Array(SecretReference, { maxItems: 200 }));

export const CreateBody = Type.Object(
  {
    name: DeploymentName,
    source: oneOf(SOURCES),
    source_config: SourceConfig,
    source_revision_config: SourceRevisionConfig,
    secrets: optional(Type.Array(SecretSchema)),
    secret_references: References,
  },
  { $id: "DeploymentCreateRequest" },
);

const changeable = {
  revision_source: optional(oneOf(SOURCES)),
  source_config: optional(SourceConfig),
  source_revision_config: optional(SourceRevisionConfig),
  secrets: optional(
    Type.Array(SecretSchema, {
      description: "All secrets of the deployment; the value `********` keeps the present value.",
    }),
  ),
  secret_references: References,
};

export const PatchBody = Type.Object(
  {
    name: optional(Type.String({ description: "You cannot change it." })),
    source: optional(oneOf(SOURCES)),
    ...changeable,
    tracked_packages: optional(
      Type.Array(Type.String({ pattern: "^[^\\s:]{1,128}:[^\\s:]{1,64}$" }), { maxItems: 100 }),
    ),
  },
  { $id: "DeploymentPatchRequest" },
);
export type PatchBody = Static<typeof PatchBody>;

export const RevisionBody = Type.Object(changeable, { $id: "RevisionCreateRequest" });

/** What there is in the workspace that a deployment may name. */
type Known = {
  listeners: () => ReturnType<Listeners["list"]>;
  integrations: () => ReturnType<Integrations["list"]>;
};

/**
 * A new deployment as it is asked for.
 * @throws Invalid | BadRequest
 */
export async function newDeployment(
  body: Static<typeof CreateBody>,
  settings: Pick<ControlSettings, "edition" | "cliCompat">,
  known: Known,
): Promise<NewDeployment> {
  const { source, source_revision_config: config } = body;
  const source_config = inOneForm(body.source_config);
  const secrets = body.secrets ?? [];
  const mayLackPath = source === "internal_source" && settings.cliCompat;
  throwFaults([
    ...revisionConfigFaults(source, config, { needsPath: isBuildable(source) && !mayLackPath }),
    ...secretFaults(secrets),
  ]);
  checkNewSource(source, source_config, settings);
  checkSourceConfig(source, source_config);
  checkClusterImage(source_config.listener_id, config.image_uri);
  checkTag(config.repo_ref, source_config.build_on_push);
  checkReferences(source, body.secret_references, source_config.listener_id);
  checkSecrets(secrets, source);
  refuseMasks(secrets, []);
  if (config.source_tarball_path)
    throw new BadRequest("source_tarball_path is none of this deployment's uploads: it has none yet");
  if (source === "external_docker") await checkListener(source_config, known);
  await checkIntegration(source_config, known);
  return {
    name: body.name,
    source,
    source_config: {
      ...settable(source, source_config),
      deployment_type: source_config.deployment_type ?? "dev",
    },
    config: { ...config, repo_commit_sha: null, image_digest: null },
    secrets,
    secret_references: referencesOf(body.secret_references),
  };
}

/**
 * What a request changes about a deployment.
 * @throws Invalid | BadRequest
 */
export function changeOf(deployment: Deployment, body: PatchBody): DeploymentPatch {
  const { source } = deployment;
  const config = body.source_revision_config ?? {};
  const sourceConfig = inOneForm(body.source_config ?? {});
  const path = config.langgraph_config_path ?? deployment.config.langgraph_config_path;
  const needsPath = isBuildable(source) && path === null && choosesAnything(config);
  throwFaults([...revisionConfigFaults(source, config, { needsPath }), ...secretFaults(body.secrets ?? [])]);
  for (const field of ["name", "source"] as const)
    if (body[field] && body[field] !== deployment[field]) throw new BadRequest(`'${field}' cannot change`);
  if (body.revision_source && body.revision_source !== source)
    refuse(`'revision_source' must be ${source}: the source of a deployment cannot change`);
  checkSourceConfig(source, sourceConfig);
  checkUnchanged(deployment, sourceConfig);
  checkClusterImage(deployment.source_config.listener_id, config.image_uri);
  checkTag(
    config.repo_ref ?? deployment.config.repo_ref,
    sourceConfig.build_on_push ?? deployment.source_config.build_on_push,
  );
  checkReferences(source, body.secret_references, deployment.source_config.listener_id);
  checkSecrets(body.secrets ?? [], source);
  refuseMasks(body.secrets ?? [], deployment.secret_names);
  return {
    source_config: body.source_config && settable(source, sourceConfig),
    config: body.source_revision_config && {
      ...body.source_revision_config,
      ...{ repo_commit_sha: null, image_digest: null },
    },
    secrets: body.secrets,
    secret_references: referencesOf(body.secret_references),
    tracked_packages: body.tracked_packages,
    revisionSource: body.revision_source,
  };
}

/**
 * A new revision whatever is different; what is not named is as in the one before.
 * @throws Invalid | BadRequest
 */
export function revisionOf(deployment: Deployment, body: Static<typeof RevisionBody>): DeploymentPatch {
  const change = changeOf(deployment, body);
  const { source_tarball_path, image_uri } = change.config ?? {};
  const config = {
    ...deployment.config,
    source_tarball_path: source_tarball_path ?? deployment.config.source_tarball_path,
    image_uri: image_uri ?? deployment.config.image_uri,
  };
  if (lacksInputs(deployment.source, config))
    throw new BadRequest("There is nothing to make a revision from: upload an archive, or name an image");
  return { ...change, always: true };
}

/** What can be written in several ways, as it is kept: it is compared with what is there. */
function inOneForm(config: SourceConfigBody): SourceConfigBody {
  const { integration_id, listener_id, listener_config } = config;
  return {
    ...config,
    integration_id: integration_id?.toLowerCase(),
    listener_id: listener_id?.toLowerCase(),
    listener_config: listener_config && { k8s_namespace: listener_config.k8s_namespace ?? null },
  };
}

/** Where a deployment answers is set by the gateway, unless it is not run here. */
const settable = (source: string, config: SourceConfigBody) => ({
  ...config,
  custom_url: source === "external_docker" ? config.custom_url : null,
});

/** The members that count: a database has no place for whatever else was sent. */
const referencesOf = (given: Static<typeof SecretReference>[] | null | undefined) =>
  given?.map(({ name, secret_name, secret_key }) => ({ name, secret_name, secret_key }));

/** A mask stands for the value of before: without one it is somebody's mistake. */
function refuseMasks(secrets: readonly Secret[], known: readonly string[]): void {
  const unknown = secrets.find(({ name, value }) => value === SECRET_MASK && !known.includes(name));
  if (unknown)
    throw new BadRequest(`The secret ${unknown.name} has no earlier value that ${SECRET_MASK} could keep`);
}

/** Whoever has listeners has clusters: a deployment goes to one of them. */
async function checkListener(
  { listener_id, listener_config }: SourceConfigBody,
  known: Pick<Known, "listeners">,
): Promise<void> {
  const listeners = await known.listeners();
  const ids = listeners.map(({ id }) => id);
  if (!listener_id) {
    if (ids.length > 0)
      refuse(
        `'source_config.listener_id' is required for workspace with available listener IDs: ${JSON.stringify(ids)}`,
      );
    return;
  }
  const listener = listeners.find(({ id }) => id === listener_id);
  if (!listener) refuse(`there is no listener ${listener_id}`);
  const namespace = listener_config?.k8s_namespace;
  const namespaces = listener.compute_config.k8s_namespaces;
  // Where nothing is named, Berth itself goes into its own namespace of the cluster and no other.
  if (namespace && !namespaces && listener.has_credentials)
    refuse(
      "the listener names no namespaces, so you cannot choose one: leave out 'listener_config.k8s_namespace'",
    );
  if (namespace && namespaces && !namespaces.includes(namespace))
    refuse(`the listener does not deploy into the namespace ${namespace}`);
}

/** It cannot change later: one that is not there would never work. */
async function checkIntegration(
  { integration_id }: SourceConfigBody,
  known: Pick<Known, "integrations">,
): Promise<void> {
  if (!integration_id) return;
  const integrations = await known.integrations();
  if (!integrations.some(({ id }) => id === integration_id))
    refuse(`there is no integration ${integration_id}`);
}
