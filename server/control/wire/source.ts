import type { RevisionConfig } from "@berth/store";
import { type Static, Type } from "@sinclair/typebox";
import { oneOf, optional, Uuid } from "../../http/index.ts";
import { ResourceSpec } from "./resource-spec.ts";

/** What a deployment is made from (`brief.md`, `control-plane.md` §3). */
export const SOURCES = [
  "github",
  "external_docker",
  "internal_docker",
  "internal_source",
  "internal_template",
] as const;
/** `dev_zero` is what released commands send for "serverless". */
export const DEPLOYMENT_TYPES = ["dev_free", "dev", "dev_zero", "prod", "serverless", "dedicated"] as const;

export const ListenerConfig = Type.Object({ k8s_namespace: optional(Type.String({ maxLength: 253 })) });

/** As it is given; what is null or missing is not said. */
export const SourceConfig = Type.Object(
  {
    integration_id: optional(Uuid),
    repo_url: optional(Type.String()),
    deployment_type: optional(oneOf(DEPLOYMENT_TYPES)),
    build_on_push: optional(Type.Boolean()),
    require_api_key: optional(
      Type.Boolean({
        description:
          "Whether callers need an API key of Berth even if the project has its own `auth`. A change takes effect at once and makes no revision.",
      }),
    ),
    health_path: optional(
      Type.String({
        maxLength: 200,
        pattern: "^/[A-Za-z0-9._~/-]*$",
        description: "The path at which the image answers 200 when it is well; `/ok` by default.",
      }),
    ),
    custom_url: optional(Type.String({ maxLength: 2_048, description: "The address of the deployment." })),
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
          "The name of a branch, `refs/tags/<tag>`, or the whole id of a commit. For the source `github` only.",
      }),
    ),
    langgraph_config_path: optional(
      Type.String({ description: "The path of the configuration file, for sources that Berth builds." }),
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

/** As it is shown: every field is there. */
export const ShownSourceConfig = Type.Object(
  {
    ...Type.Required(SourceConfig).properties,
    custom_url: Type.String({ description: "The address of the deployment." }),
  },
  { $id: "DeploymentSourceConfig" },
);
export type ShownSourceConfig = Static<typeof ShownSourceConfig>;

export const ShownRevisionConfig = Type.Required(SourceRevisionConfig, { $id: "RevisionConfig" });
export type ShownRevisionConfig = Static<typeof ShownRevisionConfig>;

export function shownRevisionConfig(config: RevisionConfig): ShownRevisionConfig {
  const { repo_ref, langgraph_config_path, image_uri, source_tarball_path, repo_commit_sha } = config;
  return { repo_ref, langgraph_config_path, image_uri, source_tarball_path, repo_commit_sha };
}

export const ShownSources = Type.Object(
  {
    sources: Type.Array(oneOf(SOURCES)),
    templates: Type.Array(
      Type.Object({
        name: Type.String(),
        description: Type.String({ description: "The description of its first graph." }),
      }),
    ),
  },
  { $id: "Sources" },
);
export type ShownSources = Static<typeof ShownSources>;
