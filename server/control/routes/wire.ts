import {
  type Change,
  type Deployment,
  isFinal,
  type Listener,
  SECRET_MASK,
  type ShownRevision,
} from "@berth/store";
import { isoTime } from "../../http/instant.ts";

/** Where a deployment answers: at the gateway, unless it is run elsewhere and said where. */
export function customUrl({ id, source, source_config }: Deployment, publicUrl: string): string {
  const own = source === "external_docker" ? source_config.custom_url : null;
  return own ?? `${publicUrl}/d/${id}`;
}

/** A deployment as its workspace sees it: of a secret no more than the name. */
export function wireDeployment(deployment: Deployment, publicUrl: string) {
  const { source_config } = deployment;
  return {
    id: deployment.id,
    name: deployment.name,
    source: deployment.source,
    source_config: {
      integration_id: source_config.integration_id,
      repo_url: source_config.repo_url,
      deployment_type: source_config.deployment_type,
      build_on_push: source_config.build_on_push,
      // Older rows do not have it.
      require_api_key: source_config.require_api_key ?? null,
      custom_url: customUrl(deployment, publicUrl),
      resource_spec: source_config.resource_spec,
      listener_id: source_config.listener_id,
      listener_config: source_config.listener_config,
      install_command: source_config.install_command,
      build_command: source_config.build_command,
      template: source_config.template,
    },
    source_revision_config: wireConfig(deployment),
    secrets: deployment.secret_names.map((name) => ({ name, value: SECRET_MASK })),
    ...(deployment.secrets_lost && { secrets_lost: true }),
    secret_references: deployment.secret_references,
    tracked_packages: deployment.tracked_packages,
    tenant_id: deployment.workspace_id,
    created_at: isoTime(deployment.created_at),
    updated_at: isoTime(deployment.updated_at),
    status: deployment.status,
    latest_revision_id: deployment.latest_revision_id,
    latest_revision_status: deployment.latest_revision_status,
    active_revision_id: deployment.active_revision_id,
    image_version: deployment.image_version,
    is_preview: false,
  };
}

export function wireRevision(revision: ShownRevision) {
  return {
    id: revision.id,
    created_at: isoTime(revision.created_at),
    updated_at: isoTime(revision.updated_at),
    status: revision.status,
    source: revision.source,
    source_revision_config: wireConfig(revision),
    deployment_id: revision.deployment_id,
    number: revision.number,
    status_message: revision.status_message,
    image_digest: revision.config.image_digest ?? null,
    deployed_at: revision.deployed_at === null ? null : isoTime(revision.deployed_at),
    began_at: revision.began_at === null ? null : isoTime(revision.began_at),
    ended_at: isFinal(revision.status) ? isoTime(endOf(revision)) : null,
    build_kept: revision.build_kept,
    created_by: revision.created_by,
    deployed_by: revision.deployed_by,
    remote_reconciled: revision.remote_reconciled,
  };
}

/** Becoming the one that serves is an end, too; that its state was unknown for a while is none. */
const endOf = ({ status, deployed_at, status_since }: ShownRevision): number =>
  status === "DEPLOYED" && deployed_at !== null ? deployed_at : status_since;

function wireConfig({ config }: Pick<ShownRevision, "config">) {
  const { repo_ref, langgraph_config_path, image_uri, source_tarball_path, repo_commit_sha } = config;
  return { repo_ref, langgraph_config_path, image_uri, source_tarball_path, repo_commit_sha };
}

export function wireListener({ workspace_id: _, ...listener }: Listener) {
  const { created_at, updated_at } = listener;
  return { ...listener, created_at: isoTime(created_at), updated_at: isoTime(updated_at) };
}

/** One event of the change feed; `resource` is what it was after that change. */
export function changeFrame({ seq, kind }: Change, resource: unknown): string {
  return `id: ${seq}\nevent: ${kind}\ndata: ${JSON.stringify(resource)}\n\n`;
}
