import { instanceEndpoint, shipmentPath } from "../../langsmith/index.ts";
import { DATA_MARK, DEPLOYMENT_MARK, type DeploymentFolders, INSTANCE_MARK } from "../../machine/index.ts";
import {
  ownName,
  type Settings,
  type TelemetrySettings,
  type Texts,
  TRACING_SWITCHES,
} from "../../settings/index.ts";
import type { Launch } from "./driver.ts";

/** Some of what Berth itself was told, for each deployed process; a secret of the same name beats it. */
export type HandOn = (launch: Pick<Launch, "deployment" | "revision">) => Record<string, string>;

export type HandedOn = Pick<
  Settings,
  "webhookAllow" | "webhookBackoffSeconds" | "tracesOutliveThreads" | "telemetry"
>;

/** What Berth hands on: where webhooks may go, and who is told of requests and runs. */
export function handOn({
  webhookAllow,
  webhookBackoffSeconds,
  tracesOutliveThreads,
  telemetry,
}: HandedOn): HandOn {
  const always = {
    ...(webhookAllow.length > 0 && { WEBHOOK_ALLOW: webhookAllow.join(",") }),
    ...(tracesOutliveThreads && { TRACES_OUTLIVE_THREADS: "true" }),
    WEBHOOK_BACKOFF: webhookBackoffSeconds.join(","),
  };
  return (launch) => ({ ...always, ...telemetryNames(telemetry, launch) });
}

function telemetryNames(
  { tracesUrl, headers, serviceName, resource, sampled, captureContent }: TelemetrySettings,
  { deployment, revision }: Pick<Launch, "deployment" | "revision">,
): Record<string, string> {
  if (tracesUrl === null) return {};
  const ids = { "berth.deployment.id": deployment.id, "berth.revision.id": revision.id };
  return {
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: tracesUrl,
    ...(Object.keys(headers).length > 0 && { OTEL_EXPORTER_OTLP_TRACES_HEADERS: pairText(headers) }),
    OTEL_SERVICE_NAME: `${serviceName}-${deployment.name}`,
    OTEL_RESOURCE_ATTRIBUTES: pairText({ ...resource, ...ids }),
    OTEL_TRACES_SAMPLER_ARG: String(sampled),
    OTEL_CAPTURE_CONTENT: String(captureContent),
  };
}

const pairText = (pairs: Readonly<Record<string, string>>): string =>
  Object.entries(pairs)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join(",");

/** Names that are Berth's only, so that the project may have variables called as settings are. */
export const ownNames = (texts: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(texts).map(([name, value]) => [ownName(name), value]));

/** What a deployed process has to know beside what was launched. */
type InstanceSurroundings = {
  /** Of the machine: `PATH`, `LANG`, `TZ`; nothing else is taken over. */
  machine: Texts;
  /** What Berth was told for all deployments. */
  handOn: HandOn;
  folders: DeploymentFolders;
  /** Where it says how it is reached. */
  ready: string;
  /** Base of its addresses for others. */
  publicUrl: string;
  /** Where it is to send its traces. */
  tracesUrl: string | null;
  dataMark: string;
};

const PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** A secret of this name would make the program be something else than Berth. */
const NEVER = new Set(["BUN_BE_BUN", "BUN_OPTIONS"]);

/**
 * The environment of a deployed process, built from nothing: whatever else Berth itself was told stays with Berth. The
 * deployment's secrets come on top of that and of what describes it, and below what Berth finds and reaches it by.
 */
export function environmentOf(launch: Launch, surroundings: InstanceSurroundings): Record<string, string> {
  const { machine, handOn, folders } = surroundings;
  const secrets = launch.secrets.filter(({ name }) => !NEVER.has(name));
  return {
    PATH: machine.PATH ?? PATH,
    LANG: machine.LANG ?? "C.UTF-8",
    ...(machine.TZ !== undefined && { TZ: machine.TZ }),
    // A proxy that the deployment asks for is not for what it says to itself.
    NO_PROXY: "localhost,127.0.0.1,::1",
    ...ownNames(handOn(launch)),
    ...platformNames(launch),
    // The project keeps files there, and tells others its address, unless it has variables of these names itself.
    DATA_DIR: folders.data,
    PUBLIC_URL: surroundings.publicUrl,
    ...Object.fromEntries(secrets.map(({ name, value }) => [name, value])),
    HOME: folders.home,
    TMPDIR: folders.temporary,
    ...fixedNames(launch, surroundings),
  };
}

/** Those of the platform's own names that mean something here (`control-plane.md` §4.6). */
export function platformNames({ deployment, revision }: Launch): Record<string, string> {
  const { config, settings } = revision;
  return {
    LANGSMITH_HOST_PROJECT_NAME: deployment.name,
    LANGSMITH_PROJECT: deployment.name,
    ...(settings.repo_url !== null && { LANGSMITH_LANGGRAPH_GIT_REPO: settings.repo_url }),
    ...(config.repo_ref !== null && { LANGSMITH_LANGGRAPH_GIT_REF: config.repo_ref }),
    ...(config.repo_commit_sha !== null && { LANGSMITH_LANGGRAPH_GIT_REF_SHA: config.repo_commit_sha }),
  };
}

/** Whatever a run leaves is Berth's to send on: the tracer of LangChain itself would leave it a second time. */
const switchedOff = (): Record<string, string> =>
  Object.fromEntries(TRACING_SWITCHES.map((name) => [name, "false"]));

/**
 * The same for an image. What is in it may be another server: its `langsmith` client sends the traces, unless a secret
 * says that it is not to. A Berth turns that off for itself.
 * @param base where Berth is reached; null where it is not
 */
export function imageTracingNames(
  { instance, secrets }: Launch,
  base: string | null,
): Record<string, string> {
  if (base === null) return switchedOff();
  const isOff = secrets.some(({ name, value }) => name === "LANGSMITH_TRACING" && value === "false");
  if (isOff) return { ...switchedOff(), SHIP_TRACES_TO: base + shipmentPath(instance.id) };
  return {
    // Not `SHIP_TRACES_TO`: a Berth 0.1 would send each trace itself, and its client once more.
    SHIP_IMAGE_TRACES_TO: base + shipmentPath(instance.id),
    LANGSMITH_TRACING: "true",
    LANGSMITH_ENDPOINT: base + instanceEndpoint(instance.id),
    LANGSMITH_API_KEY: instance.token,
  };
}

/** What a deployed process keeps everything in; on a server it has a key of its own for its secrets, too. */
export function databaseNames(database: Launch["database"], dataFolder: string): Record<string, string> {
  if (!database) return { DATABASE_URL: `sqlite:${dataFolder}/berth.db` };
  return { DATABASE_URL: database.url, SECRETS_KEY: database.secretsKey };
}

/** What must not be told of a launch. */
export const secretsOf = ({ secrets, database }: Launch): string[] => [
  ...secrets.map(({ value }) => value),
  ...(database ? [database.url, new URL(database.url).password, database.secretsKey] : []),
];

function fixedNames(
  { deployment, revision, instance, standby, database }: Launch,
  { folders, ready, publicUrl, tracesUrl, dataMark }: InstanceSurroundings,
): Record<string, string> {
  return {
    [INSTANCE_MARK]: instance.id,
    [DATA_MARK]: dataMark,
    [DEPLOYMENT_MARK]: deployment.id,
    LANGSMITH_HOST_REVISION_ID: revision.id,
    LANGSMITH_TENANT_ID: deployment.workspace_id,
    ...switchedOff(),
    ...ownNames({
      LOG_FORMAT: "json",
      HOST: "127.0.0.1",
      PORT: "0",
      PUBLIC_URL: publicUrl,
      DATA_DIR: folders.data,
      ...databaseNames(database, folders.data),
      GATEWAY_TOKEN: instance.token,
      INSTANCE_FILE: ready,
      STANDBY: String(standby),
      ...(tracesUrl !== null && { SHIP_TRACES_TO: tracesUrl }),
    }),
  };
}
