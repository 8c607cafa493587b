import { isTemplate } from "@berth/agent";
import {
  BadRequest,
  type Deployment,
  type DeploymentSource,
  type FaultDetail,
  Invalid,
  isOfRegistry,
  isUploadPath,
  type JsonObject,
  readPushedImage,
  type Secret,
} from "@berth/store";
import { isReservedName } from "../../settings/index.ts";
import {
  commandFault,
  configPathFault,
  customUrlFault,
  isCommitId,
  repoRefFault,
  repoUrlFault,
} from "../../sources/index.ts";
import { readReference } from "../run/index.ts";
import type { RevisionConfigBody, SourceConfigBody } from "../wire/index.ts";
import type { ControlSettings } from "./deps.ts";

type RevisionField = keyof RevisionConfigBody;
type SourceField = keyof SourceConfigBody;

/** Which fields of a revision's config a source has; the others are null. */
const REVISION_FIELDS: Record<DeploymentSource, readonly RevisionField[]> = {
  github: ["repo_ref", "langgraph_config_path"],
  internal_source: ["source_tarball_path", "langgraph_config_path"],
  internal_docker: ["image_uri"],
  external_docker: ["image_uri"],
  internal_template: [],
};
/** Fields of a source config that other sources have no use for. */
const FIELDS_OF_ONE = [
  ["repo_url", "github"],
  ["integration_id", "github"],
  ["build_on_push", "github"],
  ["template", "internal_template"],
  ["listener_id", "external_docker"],
  ["listener_config", "external_docker"],
] as const satisfies [SourceField, DeploymentSource][];
const CHOSEN_FIELDS = ["repo_ref", "langgraph_config_path", "image_uri", "source_tarball_path"] as const;
const LONGEST_SPEC = 65_536;
/** Maximum number of characters of an image's name. */
const MAX_IMAGE_CHARS = 512;

/** Sources that are built from code. */
export const isBuildable = (source: DeploymentSource): boolean =>
  source === "github" || source === "internal_source";

/** Whether it says anything about what a revision is made from. */
export const choosesAnything = (config: RevisionConfigBody): boolean =>
  CHOSEN_FIELDS.some((field) => !isAbsent(config[field]));

/** What is wrong with the revision's part of a request, in the words of a 422. */
export function revisionConfigFaults(
  source: DeploymentSource,
  config: RevisionConfigBody,
  { needsPath }: { needsPath: boolean },
): FaultDetail[] {
  const foreign = CHOSEN_FIELDS.filter(
    (field) => !isAbsent(config[field]) && !REVISION_FIELDS[source].includes(field),
  );
  const faults = foreign.map((field) => wrong(field, `must be null for the source ${source}`, config[field]));
  const path = config.langgraph_config_path;
  if (needsPath && isAbsent(path)) faults.push(missing(config));
  const rules = [
    ["langgraph_config_path", configPathFault],
    ["repo_ref", repoRefFault],
    ["image_uri", imageFault],
  ] as const;
  for (const [field, faultOf] of rules) {
    const value = config[field];
    if (foreign.includes(field) || isAbsent(value)) continue;
    const reason = faultOf(value);
    if (reason !== undefined) faults.push(wrong(field, reason, value));
  }
  return faults;
}

/** By the rules of the build, so that a revision never fails because of the name. */
function imageFault(uri: string): string | undefined {
  const isShort = uri.length <= MAX_IMAGE_CHARS;
  const isImage =
    readPushedImage(uri) !== undefined || (!isOfRegistry(uri) && readReference(uri) !== undefined);
  if (isUploadPath(uri) || (isShort && isImage)) return undefined;
  return "image_uri is not the name of an image: name one such as registry.example/team/agent:1.2";
}

/** @throws BadRequest */
export function checkClusterImage(
  listenerId: string | null | undefined,
  image: string | null | undefined,
): void {
  if (!isAbsent(listenerId) && !isAbsent(image) && isUploadPath(image))
    refuse("a cluster gets its images from a registry: push the image, and name it in image_uri");
}

/**
 * What a source config must keep to, whatever else the request is about.
 * @throws BadRequest
 */
export function checkSourceConfig(source: DeploymentSource, config: SourceConfigBody): void {
  for (const [field, only] of FIELDS_OF_ONE)
    if (source !== only && !isAbsent(config[field]) && config[field] !== false)
      refuse(`'source_config.${field}' is for the source ${only}`, field);
  const ofImage = source === "internal_docker" || source === "external_docker";
  if (!isAbsent(config.health_path) && !ofImage)
    refuse(
      "'source_config.health_path' is only for the sources internal_docker and external_docker",
      "health_path",
    );
  if (!isAbsent(config.repo_url)) refuseFault(repoUrlFault(config.repo_url), "repo_url");
  for (const field of ["install_command", "build_command"] as const) {
    const command = config[field];
    if (!isAbsent(command)) refuseFault(commandFault(command), field);
  }
  if (!isAbsent(config.template) && !isTemplate(config.template))
    refuse(`there is no template '${config.template}'`, "template");
  if (!isAbsent(config.resource_spec) && JSON.stringify(config.resource_spec).length > LONGEST_SPEC)
    refuse(`'source_config.resource_spec' is longer than ${LONGEST_SPEC} characters`, "resource_spec");
  if (source === "external_docker" && !isAbsent(config.custom_url))
    refuseFault(customUrlFault(config.custom_url), "custom_url");
}

/**
 * What only a new deployment is asked.
 * @throws BadRequest
 */
export function checkNewSource(
  source: DeploymentSource,
  config: SourceConfigBody,
  { edition }: Pick<ControlSettings, "edition">,
): void {
  const selfHosted = source === "external_docker";
  if (selfHosted !== (edition === "self_hosted"))
    refuse(
      `the source ${source} is not available here: it needs BERTH_EDITION=${selfHosted ? "self_hosted" : "cloud"}, and this Berth has ${edition}`,
    );
  if (source === "github" && isAbsent(config.repo_url))
    refuse("'source_config.repo_url' is required", "repo_url");
  if (source === "internal_template" && isAbsent(config.template))
    refuse("'source_config.template' is required: it names the template", "template");
}

const IMMUTABLE = ["integration_id", "deployment_type", "listener_id", "listener_config"] as const;

/**
 * A patch may repeat what never changes, but not change it.
 * @throws BadRequest
 */
export function checkUnchanged(deployment: Deployment, config: SourceConfigBody): void {
  const before: Partial<Record<SourceField, unknown>> = deployment.source_config;
  for (const field of IMMUTABLE)
    if (!isAbsent(config[field]) && !Bun.deepEquals(config[field], before[field]))
      refuse(`'source_config.${field}' cannot change`, field);
}

/** @throws BadRequest a push never moves a tag */
export function checkTag(repoRef: string | null | undefined, buildOnPush: boolean | null | undefined): void {
  if (buildOnPush !== true || isAbsent(repoRef)) return;
  if (repoRef.startsWith("refs/tags/") || isCommitId(repoRef))
    refuse(
      "'source_config.build_on_push' must be false for a tag or a commit, which never changes",
      "build_on_push",
    );
}

/** @throws BadRequest */
export function checkReferences(
  source: DeploymentSource,
  references: readonly JsonObject[] | null | undefined,
  listenerId: string | null | undefined,
): void {
  if (isAbsent(references) || references.length === 0) return;
  if (source !== "external_docker" || isAbsent(listenerId))
    refuse(
      "'secret_references' name Secrets of a cluster: they need the source external_docker and a listener",
    );
}

/** @throws Invalid */
export function throwFaults(faults: FaultDetail[]): void {
  if (faults.length > 0) throw new Invalid(faults);
}

/** @throws BadRequest */
export function refuse(reason: string, field?: SourceField): never {
  throw new BadRequest(`Source configuration error: ${reason}`, field && { field: ["source_config", field] });
}

function refuseFault(reason: string | undefined, field: SourceField): void {
  if (reason !== undefined) refuse(reason, field);
}

function isAbsent<T>(value: T | null | undefined): value is null | undefined {
  return value === null || value === undefined;
}

const wrong = (field: RevisionField, reason: string, input: unknown): FaultDetail => ({
  loc: ["body", "source_revision_config", field],
  msg: `Value error, ${reason}`,
  type: "value_error",
  input,
});

/** Whoever meets this fault with a released command cannot mend the request, but can mend the server. */
const RELEASED_TOOLS =
  "Released deploy commands send it later, with the first archive: start the server with CLI_COMPAT=1 to let them";

const missing = (input: unknown): FaultDetail => ({
  loc: ["body", "source_revision_config", "langgraph_config_path"],
  msg: `Field required. ${RELEASED_TOOLS}`,
  type: "missing",
  input,
});

const MOST_SECRETS = 200;
const MOST_BYTES = 65_536;
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** What no value of an environment variable can be. */
const isUnfit = (value: string) => value.includes("\0") || !value.isWellFormed();

/**
 * Secrets become environment variables of the deployment's processes, or containers.
 * @throws BadRequest a name that the platform needs, or too many of them
 */
export function checkSecrets(secrets: readonly Secret[], source: DeploymentSource): void {
  if (secrets.length > MOST_SECRETS)
    throw new BadRequest(`A deployment has at most ${MOST_SECRETS} secrets, not ${secrets.length}`);
  const ofImage = source === "internal_docker" || source === "external_docker";
  const reserved = secrets.filter(({ name }) => isReservedName(name, ofImage)).map(({ name }) => name);
  const names = secrets.map(({ name }) => name);
  if (reserved.length > 0)
    throw new BadRequest(
      `Berth sets these names itself, so no secret may have them: ${reserved.join(", ")}`,
      {
        field: ["secrets", names.indexOf(reserved[0] ?? ""), "name"],
      },
    );
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined)
    throw new BadRequest(`There are two secrets with the name ${twice}`, {
      field: ["secrets", names.lastIndexOf(twice), "name"],
    });
}

/** The faults of single secrets. Their values are in no message and in no echo. */
export function secretFaults(secrets: readonly Secret[]): FaultDetail[] {
  return secrets.flatMap(({ name, value }, at) => [
    ...(NAME.test(name) && name.length <= 255
      ? []
      : [fault(at, "name", "not a name of an environment variable")]),
    ...(Buffer.byteLength(value) <= MOST_BYTES
      ? []
      : [fault(at, "value", `longer than ${MOST_BYTES} bytes`)]),
    ...(isUnfit(value) ? [fault(at, "value", "not a text that an environment variable can hold")] : []),
  ]);
}

const fault = (at: number, field: "name" | "value", reason: string): FaultDetail => ({
  loc: ["body", "secrets", at, field],
  msg: `Value error, ${reason}`,
  type: "value_error",
});
