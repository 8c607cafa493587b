import { REVISION_STATUSES } from "@berth/store";
import { type Static, type TSchema, Type } from "@sinclair/typebox";
import { Instant, nullable, oneOf, optional, Uuid } from "../../http/fields.ts";
import { SECRET_FIELD } from "../../http/secret-fields.ts";
import { ResourceSpec } from "./resource-spec.ts";

/** The objects of the control plane as they are on the wire (`brief.md`, `control-plane.md` §3). */

export const SOURCES = [
  "github",
  "external_docker",
  "internal_docker",
  "internal_source",
  "internal_template",
] as const;
/** `dev_zero` is what released commands send for "serverless". */
export const DEPLOYMENT_TYPES = ["dev_free", "dev", "dev_zero", "prod", "serverless", "dedicated"] as const;
export const DEPLOYMENT_STATUSES = [
  "AWAITING_DATABASE",
  "READY",
  "UNUSED",
  "AWAITING_DELETE",
  "UNKNOWN",
] as const;
export const LEVELS = ["DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"] as const;

export const DeploymentName = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: "^[A-Za-z0-9][A-Za-z0-9_-]*$",
});

export const ListenerConfig = Type.Object({ k8s_namespace: optional(Type.String({ maxLength: 253 })) });

export const SourceConfig = Type.Object(
  {
    integration_id: optional(Uuid),
    repo_url: optional(Type.String()),
    deployment_type: optional(oneOf(DEPLOYMENT_TYPES)),
    build_on_push: optional(Type.Boolean()),
    require_api_key: optional(
      Type.Boolean({
        description:
          "Whether callers need an API key also where the project says itself who may call (`auth`). Holds at once, and makes no revision.",
      }),
    ),
    custom_url: optional(Type.String({ maxLength: 2_048, description: "Where the deployment answers." })),
    resource_spec: optional(ResourceSpec),
    listener_id: optional(Uuid),
    listener_config: optional(ListenerConfig),
    install_command: optional(Type.String()),
    build_command: optional(Type.String()),
    template: optional(Type.String({ description: "Name of a template, for `internal_template`." })),
  },
  { $id: "SourceConfig" },
);
export type SourceConfigBody = Static<typeof SourceConfig>;

export const SourceRevisionConfig = Type.Object(
  {
    repo_ref: optional(
      Type.String({
        description:
          "Bare name of a branch, `refs/tags/<tag>`, or the whole id of a commit; source `github` only.",
      }),
    ),
    langgraph_config_path: optional(
      Type.String({ description: "Path of the graph configuration; for sources that are built." }),
    ),
    image_uri: optional(
      Type.String({ description: "The image, for `external_docker` and `internal_docker`." }),
    ),
    source_tarball_path: optional(
      Type.String({ description: "The `object_path` of an upload, for `internal_source`." }),
    ),
    repo_commit_sha: optional(Type.String({ description: "Read-only." })),
  },
  { $id: "SourceRevisionConfig" },
);
export type RevisionConfigBody = Static<typeof SourceRevisionConfig>;

export const Secret = Type.Object(
  { name: Type.String(), value: Type.String({ description: "`********` where it is read." }) },
  { $id: "Secret", ...SECRET_FIELD },
);

/** As long as names in a cluster may be. */
const ClusterName = Type.String({ maxLength: 253 });

export const SecretReference = Type.Object(
  { name: ClusterName, secret_name: ClusterName, secret_key: ClusterName },
  { $id: "SecretReference" },
);

const RevisionStatusSchema = oneOf(REVISION_STATUSES);

/** Whose key it was that did something. */
export const AuthorSchema = Type.Object(
  {
    key_id: nullable(Uuid),
    name: Type.String({
      description:
        "What the key is called, or without a `key_id`: `operator` for `SERVICE_API_KEY`, `push hook`, `command line`.",
    }),
  },
  { $id: "Author" },
);

export const RevisionSchema = Type.Object(
  {
    id: Uuid,
    created_at: Instant,
    updated_at: Instant,
    status: RevisionStatusSchema,
    source: oneOf(SOURCES),
    source_revision_config: SourceRevisionConfig,
    deployment_id: Uuid,
    number: Type.Integer({ description: "1, 2, 3 … within the deployment." }),
    status_message: nullable(Type.String({ description: "Why it failed, was skipped or interrupted." })),
    image_digest: nullable(
      Type.String({ description: "How the registry knows the image that `image_uri` stood for." }),
    ),
    deployed_at: nullable(Instant),
    began_at: nullable(Type.String({ format: "date-time", description: "When work on it last began." })),
    ended_at: nullable(Type.String({ format: "date-time", description: "When that ended." })),
    build_kept: Type.Boolean({ description: "Whether it can be gone back to." }),
    created_by: nullable(AuthorSchema),
    deployed_by: nullable(AuthorSchema),
    remote_reconciled: Type.Boolean(),
  },
  { $id: "Revision" },
);

export const DeploymentSchema = Type.Object(
  {
    id: Uuid,
    name: Type.String(),
    source: oneOf(SOURCES),
    source_config: SourceConfig,
    source_revision_config: SourceRevisionConfig,
    secrets: Type.Array(Secret),
    secrets_lost: Type.Optional(
      Type.Boolean({ description: "Their values were lost together with the key that sealed them." }),
    ),
    secret_references: nullable(Type.Array(SecretReference)),
    tracked_packages: nullable(Type.Array(Type.String())),
    tenant_id: Uuid,
    created_at: Instant,
    updated_at: Instant,
    status: oneOf(DEPLOYMENT_STATUSES),
    latest_revision_id: nullable(Uuid),
    latest_revision_status: nullable(RevisionStatusSchema),
    active_revision_id: nullable(Uuid),
    image_version: nullable(Type.String()),
    is_preview: Type.Boolean(),
  },
  { $id: "Deployment" },
);

const listOf = (title: string, item: TSchema) =>
  Type.Object(
    {
      resources: Type.Array(item),
      offset: Type.Integer({ description: "What to send as `offset` to get the next page." }),
    },
    { $id: title },
  );

export const DeploymentsList = listOf("DeploymentsList", DeploymentSchema);
export const RevisionsList = listOf("RevisionsList", RevisionSchema);

export const ListenerSchema = Type.Object(
  {
    id: Uuid,
    created_at: Instant,
    updated_at: Instant,
    version: nullable(Type.String()),
    compute_type: Type.Literal("k8s"),
    compute_id: Type.String(),
    compute_config: Type.Object({ k8s_namespaces: nullable(Type.Array(Type.String())) }),
  },
  { $id: "Listener" },
);
export const ListenersList = listOf("ListenersList", ListenerSchema);

export const deploymentParams = Type.Object({ deployment_id: Uuid });
export const revisionParams = Type.Object({ deployment_id: Uuid, revision_id: Uuid });
