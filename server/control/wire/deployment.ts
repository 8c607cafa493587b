import { type Deployment, REVISION_STATUSES, SECRET_MASK } from "@berth/store";
import { type Static, Type } from "@sinclair/typebox";
import {
  Instant,
  isoTime,
  isoTimeOrNull,
  nullable,
  oneOf,
  pageOf,
  SECRET_FIELD,
  Uuid,
} from "../../http/index.ts";
import { ShownRevisionConfig, ShownSourceConfig, SOURCES, shownRevisionConfig } from "./source.ts";

export const DEPLOYMENT_STATUSES = [
  "AWAITING_DATABASE",
  "READY",
  "UNUSED",
  "AWAITING_DELETE",
  "UNKNOWN",
] as const;

export const Secret = Type.Object(
  { name: Type.String(), value: Type.String({ description: "Answers show `********`." }) },
  { $id: "Secret", ...SECRET_FIELD },
);

/** As long as names in a cluster may be. */
const ClusterName = Type.String({ maxLength: 253 });

export const SecretReference = Type.Object(
  { name: ClusterName, secret_name: ClusterName, secret_key: ClusterName },
  { $id: "SecretReference" },
);

export const ShownDeployment = Type.Object(
  {
    id: Uuid,
    name: Type.String(),
    source: oneOf(SOURCES),
    source_config: ShownSourceConfig,
    source_revision_config: ShownRevisionConfig,
    secrets: Type.Array(Secret),
    secrets_lost: Type.Optional(
      Type.Boolean({ description: "Their values are lost, because the key that encrypted them is lost." }),
    ),
    secret_references: nullable(Type.Array(SecretReference)),
    tracked_packages: nullable(Type.Array(Type.String())),
    tenant_id: Uuid,
    created_at: Instant,
    updated_at: Instant,
    status: oneOf(DEPLOYMENT_STATUSES),
    latest_revision_id: nullable(Uuid),
    latest_revision_status: nullable(oneOf(REVISION_STATUSES)),
    active_revision_id: nullable(Uuid),
    image_version: nullable(Type.String()),
    asleep_since: Type.Union([Instant, Type.Null()], {
      description: "Since when it sleeps; the next request starts it. Null if it runs, or has never run.",
    }),
    is_preview: Type.Boolean(),
  },
  { $id: "Deployment" },
);
export type ShownDeployment = Static<typeof ShownDeployment>;
export const DeploymentsPage = pageOf("DeploymentsList", ShownDeployment);
export type DeploymentsPage = Static<typeof DeploymentsPage>;

/** Where a deployment answers: at the gateway, unless it is run elsewhere and said where. */
function customUrl({ id, source, source_config }: Deployment, publicUrl: string): string {
  const own = source === "external_docker" ? source_config.custom_url : null;
  return own ?? `${publicUrl}/d/${id}`;
}

/** A deployment as its workspace sees it: of a secret no more than the name. */
export function shownDeployment(deployment: Deployment, publicUrl: string): ShownDeployment {
  return {
    id: deployment.id,
    name: deployment.name,
    source: deployment.source,
    source_config: shownSourceConfig(deployment, publicUrl),
    source_revision_config: shownRevisionConfig(deployment.config),
    secrets: deployment.secret_names.map((name) => ({ name, value: SECRET_MASK })),
    ...(deployment.secrets_lost && { secrets_lost: true }),
    secret_references: deployment.secret_references as ShownDeployment["secret_references"],
    tracked_packages: deployment.tracked_packages,
    tenant_id: deployment.workspace_id,
    created_at: isoTime(deployment.created_at),
    updated_at: isoTime(deployment.updated_at),
    status: deployment.status,
    latest_revision_id: deployment.latest_revision_id,
    latest_revision_status: deployment.latest_revision_status,
    active_revision_id: deployment.active_revision_id,
    image_version: deployment.image_version,
    asleep_since: isoTimeOrNull(deployment.asleep_since ?? null),
    is_preview: false,
  };
}

function shownSourceConfig(deployment: Deployment, publicUrl: string): ShownSourceConfig {
  const config = deployment.source_config;
  return {
    integration_id: config.integration_id,
    repo_url: config.repo_url,
    deployment_type: config.deployment_type as ShownSourceConfig["deployment_type"],
    build_on_push: config.build_on_push,
    // Older rows do not have it.
    require_api_key: config.require_api_key ?? null,
    health_path: config.health_path ?? null,
    custom_url: customUrl(deployment, publicUrl),
    resource_spec: config.resource_spec,
    listener_id: config.listener_id,
    listener_config: config.listener_config,
    install_command: config.install_command,
    build_command: config.build_command,
    template: config.template,
  };
}
