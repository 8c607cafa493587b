import { join, resolve } from "node:path";
import { getLogLevels, type LogLevel } from "@logtape/logtape";
import { type DatabasePlace, databasePlace, inFile } from "./database-place.ts";
import { EVERY_ROLE, type Role, roles } from "./roles.ts";
import {
  amount,
  boolean,
  fileGiven,
  integer,
  list,
  megabytes,
  oneOf,
  type Parse,
  pairs,
  type SettingsSource,
  secret,
  share,
  sourcesOf,
  type Texts,
  taking,
  text,
  textGiven,
  url,
} from "./setting.ts";
import type { SettingName } from "./setting-meanings.ts";
import {
  addressRange,
  type BackupSettings,
  type BucketAccess,
  backupPlace,
  type Executing,
  engineModel,
  executing,
  filesPlace,
  graphConfig,
  jsonFormat,
  LEAST_TOKEN,
  type LogFormat,
  logLevel,
  ONE_PER_CORE,
  origin,
  path,
  prefix,
  token,
} from "./setting-values.ts";

export type { Texts } from "./setting.ts";

/** What the process was told, typed and checked. Durations are in the unit that their name says. */
export type Settings = Readonly<{
  /** 0 lets the system choose. */
  port: number;
  host: string;
  /** Base of the absolute addresses we give away, no slash at the end; null until set: see `publicUrlOf`. */
  publicUrl: string | null;
  /** Where the other Berths of the database reach this one; null: where it listens. */
  advertiseUrl: string | null;
  /** Absolute. */
  dataDir: string;
  databaseUrl: DatabasePlace["databaseUrl"];
  databaseFile: DatabasePlace["databaseFile"];
  /** What this process does of what a Berth does. */
  roles: readonly Role[];
  serviceApiKey: string | null;
  /** What the gateway of a deployment brings; every other request is refused then. */
  gatewayToken: string | null;
  /** Written when the process listens: its pid and port, as JSON. */
  instanceFile: string | null;
  /** Whether runs are left to others until the gateway says otherwise. */
  standby: boolean;
  /** Encrypts secrets at rest; null means the key file in `dataDir`. */
  secretsKey: string | null;
  runConcurrency: number;
  /** How many threads or processes run graphs beside the one that answers; 0: that one runs them itself. */
  executors: Executing;
  /** How long a run stays with a process that gives no sign of life. */
  runLeaseMs: number;
  runTimeoutSeconds: number;
  /** How long a process that was told to stop waits for its runs. */
  shutdownGraceSeconds: number;
  resumableStreamTtlSeconds: number;
  /** How long the events of a thread that is used through commands can be replayed. */
  threadLogTtlSeconds: number;
  maxBodyBytes: number;
  /** In front of every path, also; null for what the project says. */
  mountPrefix: string | null;
  /** How many requests a caller may send in a minute; 0 for any number. */
  rateLimitPerMinute: number;
  /** Whether tests may empty the database over HTTP. */
  isTest: boolean;
  corsAllowOrigins: readonly string[];
  /** Addresses of proxies whose `X-Forwarded-For` is believed. */
  trustedProxies: readonly string[];
  logLevel: LogLevel;
  logFormat: LogFormat;
  webhookAllow: readonly string[];
  /** Seconds before each retry of a webhook. */
  webhookBackoffSeconds: readonly number[];
  /** Posts messages to the chat channels of subscriptions. */
  chatToken: string | null;
  /** Base of the chat's API, or without a token an incoming webhook; null for Slack's own. */
  chatApiUrl: string | null;
  /** Whether runs leave traces. */
  tracing: boolean;
  /** Whether traces still say what was said on a thread when that is deleted. */
  tracesOutliveThreads: boolean;
  /** How long traces are kept. */
  traceRetentionDays: number;
  /** In a deployed process: where the Berth that deployed it takes its traces. */
  shipTracesTo: string | null;
  /** `s3://BUCKET/PREFIX`, where files are kept that every machine may need; null: in the database, or the data folder. */
  filesUrl: string | null;
  bucket: BucketAccess;
  backup: BackupSettings;
  issueEngine: IssueEngineSettings;
  telemetry: TelemetrySettings;
  /** Graph id → config (and `context`) of its system assistant. */
  graphConfig: Readonly<Record<string, Record<string, unknown>>>;
  /** The interpreter of Python graphs; null for the machine's. */
  python: string | null;
  schemaTimeoutMs: number;
  control: ControlPlaneSettings;
}>;

/** What is exported of requests and runs. */
export type TelemetrySettings = Readonly<{
  /** Where spans go; null: nowhere. */
  tracesUrl: string | null;
  headers: Readonly<Record<string, string>>;
  serviceName: string;
  resource: Readonly<Record<string, string>>;
  /** Which share of traces goes there. */
  sampled: number;
  captureContent: boolean;
}>;

/** How traces are looked at. */
type IssueEngineSettings = Readonly<{
  /** Between two looks; 0 turns the timer off. */
  intervalSeconds: number;
  /** An issue opens at so many traces that show the same. */
  minTraces: number;
  timeoutSeconds: number;
  /** Describes new issues: `openai:MODEL`, `anthropic:MODEL`; null for templates. */
  model: string | null;
}>;

/** How deployments are managed. */
export type ControlPlaneSettings = Readonly<{
  /** Which sources may be deployed. */
  edition: "cloud" | "self_hosted";
  /** Takes what released deploy tools send although it is not complete. */
  cliCompat: boolean;
  /** Where repositories of an integration are listed. */
  githubApiUrl: string;
  /** Revisions that are built at once, and those that are started. */
  deployConcurrency: number;
  /** How long a new revision may take until it answers. */
  deployTimeoutSeconds: number;
  /** How long it has to stay up before it serves; 0: it serves at once. */
  deploySettleSeconds: number;
  /** How long open requests keep a revision that was replaced. */
  drainSeconds: number;
  hangSeconds: number;
  /** How long nobody may have asked for a deployment that then sleeps; 0: for ever. */
  sleepMinutes: number;
  /** So many revisions of a deployment that were deployed can be gone back to, the one that serves included. */
  keptBuilds: number;
  /** And so long after another one took their place. */
  buildRetentionDays: number;
  /** What an instance may take of the machine, unless its deployment says otherwise; null: whatever there is. */
  limits: Readonly<{ memoryMb: number | null; cpus: number | null }>;
  /** Whether each deployment has a database on the server of Berth's own, where that is on one, or a file. */
  deploymentDatabases: "server" | "file";
  /** What runs images; `auto` is the first that answers. */
  containerEngine: "auto" | "docker" | "podman";
  /** Whether containers have a network of their own, with a port that is published, or this machine's. */
  containerNetwork: "default" | "host";
  /** When a registry is asked for an image that the engine has by its name. */
  imagePull: "always" | "missing" | "never";
  /** Bytes that the images of one workspace may have which were pushed to Berth's own registry. */
  registryBytes: number;
}>;

const MIB = 2 ** 20;
/** 20 GiB, and a pebibyte. */
const USUAL_REGISTRY_MB = 20 * 1_024;
const MOST_REGISTRY_MB = 2 ** 30;

/** What a deployed process needs to start, and 16 TiB. */
const LEAST_MEMORY_MB = 256;
const MOST_MEMORY_MB = 2 ** 24;

/** What the settings depend on beside their own text. */
type Surroundings = { isTerminal: boolean };

/** How a setting was found: under which of its names, in which words, by whom; without them it is the default. */
export type FoundSetting = ReadSetting & {
  found: { name: string; given: string; from: SettingsSource["from"] } | null;
};

/**
 * Reads every setting: a flag beats the environment, which beats `.env` and `.dev.vars` of the project folder
 * (the latter wins, it is the more local one). Reads those two files, and those that a
 * `NAME_FILE` of a secret names. Throws `SettingError`
 * with one line that names the setting.
 */
export function readSettings(
  flags: Texts,
  environment: Texts,
  projectDir: string,
  { isTerminal }: Surroundings = usualSurroundings(),
): Settings {
  return findSettings(sourcesOf(flags, environment, projectDir), { isTerminal });
}

const usualSurroundings = (): Surroundings => ({ isTerminal: process.stdout.isTTY === true });

/** Reads every setting, and tells `note` of each where it came from. Throws `SettingError`. */
export function findSettings(
  sources: readonly SettingsSource[],
  { isTerminal }: Surroundings = usualSurroundings(),
  note: (setting: FoundSetting) => void = () => undefined,
): Settings {
  const read: Read = (names, parse, fallback) => {
    const isSecret = parse.isSecret === true;
    const setting = { names: [names].flat(), takes: parse.takes ?? "", fallback, isSecret };
    for (const { from, texts } of sources)
      for (const name of setting.names) {
        const found = (isSecret && fileGiven(texts, name)) || textGiven(texts, name);
        if (found === undefined) continue;
        note({ ...setting, found: { name: found.name, given: found.given, from } });
        return parse(found.text, name);
      }
    note({ ...setting, found: null });
    return fallback;
  };
  return settingsBy(read, isTerminal);
}

/** A setting as the code reads it: its name with its aliases behind it, what it takes, what it is without. */
export type ReadSetting = { names: string[]; takes: string; fallback: unknown; isSecret: boolean };

/** Every setting that there is, for documentation. */
export function everySetting(): ReadSetting[] {
  const all: ReadSetting[] = [];
  settingsBy((names, { takes = "", isSecret = false }, fallback) => {
    all.push({ names: [names].flat(), takes, fallback, isSecret });
    return fallback;
  }, false);
  return all;
}

function settingsBy(read: Read, isTerminal: boolean): Settings {
  const dataDir = resolve(read("DATA_DIR", text, "data"));
  const bucket = bucketAccess(read);
  return Object.freeze({
    port: read("PORT", integer(0, 65_535), 8123),
    host: read("HOST", text, "127.0.0.1"),
    publicUrl: read("PUBLIC_URL", url, null),
    advertiseUrl: read("ADVERTISE_URL", url, null),
    dataDir,
    ...(read("DATABASE_URL", secret(taking("`sqlite:PATH` or `postgres://…`", databasePlace)), null) ??
      inFile(join(dataDir, "berth.db"))),
    roles: read("ROLE", roles, EVERY_ROLE),
    serviceApiKey: read("SERVICE_API_KEY", secret(text), null),
    gatewayToken: read("GATEWAY_TOKEN", secret(taking(`${LEAST_TOKEN} characters or more`, token)), null),
    instanceFile: read("INSTANCE_FILE", path, null),
    standby: read("STANDBY", boolean, false),
    secretsKey: read("SECRETS_KEY", secret(text), null),
    executors: read("EXECUTORS", executing, ONE_PER_CORE),
    runConcurrency: read(["RUN_CONCURRENCY", "N_JOBS_PER_WORKER"], integer(1, 10_000), 256),
    runLeaseMs: read("RUN_LEASE_MS", integer(1_000, 600_000), 10_000),
    runTimeoutSeconds: read("BG_JOB_TIMEOUT_SECS", integer(1, 2_147_483), 3_600),
    shutdownGraceSeconds: read("BG_JOB_SHUTDOWN_GRACE_PERIOD_SECS", integer(0, 3_600), 180),
    resumableStreamTtlSeconds: read("RESUMABLE_STREAM_TTL_SECONDS", integer(0, 31_536_000), 120),
    threadLogTtlSeconds: read("THREAD_LOG_TTL_SECONDS", integer(0, 31_536_000), 604_800),
    maxBodyBytes: read(["MAX_BODY_BYTES", "HTTP_MAX_REQUEST_BODY_BYTES"], integer(1, 2 ** 31), 32 * 2 ** 20),
    mountPrefix: read("MOUNT_PREFIX", taking("a path such as `/agents`", prefix), null),
    rateLimitPerMinute: read("RATE_LIMIT_PER_MINUTE", integer(0, 1_000_000), 0),
    isTest: read("BERTH_TEST", boolean, false),
    corsAllowOrigins: read(
      "CORS_ALLOW_ORIGINS",
      list(taking("origins such as `https://app.example.com`, or `*`", origin)),
      ["*"],
    ),
    trustedProxies: read(
      "TRUSTED_PROXIES",
      list(taking("addresses or ranges such as `10.0.0.0/8`", addressRange)),
      [],
    ),
    logLevel: read(
      "LOG_LEVEL",
      taking(
        getLogLevels()
          .map((level) => `\`${level}\``)
          .join(", "),
        logLevel,
      ),
      "info",
    ),
    logFormat:
      read("LOG_FORMAT", oneOf(["pretty", "json"]), null) ??
      read("LOG_JSON", taking("`true` or `false`", jsonFormat), null) ??
      (isTerminal ? "pretty" : "json"),
    webhookAllow: read("WEBHOOK_ALLOW", list(taking("ranges such as `10.0.0.0/8`", addressRange)), []),
    webhookBackoffSeconds: read("WEBHOOK_BACKOFF", list(integer(0, 86_400)), [10, 60, 360]),
    chatToken: read("CHAT_TOKEN", secret(text), null),
    chatApiUrl: read("CHAT_API_URL", url, null),
    tracing: read("TRACING", boolean, true),
    tracesOutliveThreads: read("TRACES_OUTLIVE_THREADS", boolean, false),
    traceRetentionDays: read("TRACE_RETENTION_DAYS", integer(1, 36_500), 14),
    shipTracesTo: read(["SHIP_TRACES_TO", "SHIP_IMAGE_TRACES_TO"], url, null),
    filesUrl: read("FILES_URL", filesPlace, null),
    bucket,
    backup: backupSettings(read, dataDir, bucket),
    issueEngine: issueEngineSettings(read),
    telemetry: telemetrySettings(read),
    graphConfig: read("LANGGRAPH_CONFIG", taking("a JSON object", graphConfig), {}),
    python: read("PYTHON", text, null),
    schemaTimeoutMs: read("LANGGRAPH_SCHEMA_RESOLVE_TIMEOUT_MS", integer(1, 600_000), 30_000),
    control: controlPlaneSettings(read),
  });
}

/** The first name is the setting's own, the others are aliases. */
type Read = <T, D>(names: SettingName | [SettingName, ...string[]], parse: Parse<T>, fallback: D) => T | D;

function telemetrySettings(read: Read): TelemetrySettings {
  const collector = read("OTEL_EXPORTER_OTLP_ENDPOINT", url, null);
  const whole = read("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", url, null);
  const isOff = read("OTEL_SDK_DISABLED", boolean, false);
  return Object.freeze({
    tracesUrl: isOff ? null : (whole ?? (collector && `${collector}/v1/traces`)),
    headers: read(["OTEL_EXPORTER_OTLP_TRACES_HEADERS", "OTEL_EXPORTER_OTLP_HEADERS"], secret(pairs), {}),
    serviceName: read("OTEL_SERVICE_NAME", text, "berth"),
    resource: read("OTEL_RESOURCE_ATTRIBUTES", pairs, {}),
    sampled: read("OTEL_TRACES_SAMPLER_ARG", share, 1),
    captureContent: read("OTEL_CAPTURE_CONTENT", boolean, false),
  });
}

/** Berth 0.1.0 had such storage for backups only. */
const bucketAccess = (read: Read): BucketAccess =>
  Object.freeze({
    endpoint: read(["S3_ENDPOINT", "BACKUP_S3_ENDPOINT", "AWS_ENDPOINT_URL_S3"], url, null),
    region: read(["S3_REGION", "BACKUP_S3_REGION", "AWS_REGION"], text, "us-east-1"),
    keyId: read(["S3_KEY_ID", "BACKUP_S3_KEY_ID", "AWS_ACCESS_KEY_ID"], secret(text), null),
    secret: read(["S3_SECRET", "BACKUP_S3_SECRET", "AWS_SECRET_ACCESS_KEY"], secret(text), null),
  });

const backupSettings = (read: Read, dataDir: string, bucket: BucketAccess): BackupSettings =>
  Object.freeze({
    schedule: read("BACKUP_SCHEDULE", taking("five fields of a cron, such as `30 3 * * *`", text), null),
    place: read("BACKUP_DIR", backupPlace, join(dataDir, "backups")),
    keep: read("BACKUP_KEEP", integer(1, 10_000), 7),
    bucket,
  });

const issueEngineSettings = (read: Read): IssueEngineSettings =>
  Object.freeze({
    intervalSeconds: read("ENGINE_INTERVAL", integer(0, 86_400), 60),
    minTraces: read("ENGINE_MIN_TRACES", integer(1, 1_000), 3),
    timeoutSeconds: read("ENGINE_TIMEOUT_S", integer(1, 86_400), 300),
    model: read("ENGINE_MODEL", taking("`openai:MODEL` or `anthropic:MODEL`", engineModel), null),
  });

const controlPlaneSettings = (read: Read): ControlPlaneSettings =>
  Object.freeze({
    edition: read("BERTH_EDITION", oneOf(["cloud", "self_hosted"]), "cloud"),
    cliCompat: read("CLI_COMPAT", boolean, false),
    githubApiUrl: read("GITHUB_API_URL", url, "https://api.github.com"),
    deployConcurrency: read("DEPLOY_CONCURRENCY", integer(1, 64), 4),
    deployTimeoutSeconds: read("DEPLOY_TIMEOUT_SECONDS", integer(1, 3_600), 300),
    deploySettleSeconds: read("DEPLOY_SETTLE_SECONDS", amount(0.1, 3_600), 10),
    drainSeconds: read("DRAIN_SECONDS", integer(0, 3_600), 30),
    hangSeconds: read("HANG_SECONDS", integer(0, 86_400), 120),
    sleepMinutes: read("SLEEP_MINUTES", amount(0.01, 525_600), 15),
    keptBuilds: read("KEPT_BUILDS", integer(1, 1_000), 5),
    buildRetentionDays: read("BUILD_RETENTION_DAYS", integer(1, 36_500), 30),
    limits: Object.freeze({
      memoryMb: read("MEMORY_LIMIT", megabytes(LEAST_MEMORY_MB, MOST_MEMORY_MB), 0) || null,
      cpus: read("CPU_LIMIT", amount(0.1, 1_024), 0) || null,
    }),
    deploymentDatabases: read("DEPLOYMENT_DATABASES", oneOf(["server", "file"]), "server"),
    containerEngine: read("CONTAINER_ENGINE", oneOf(["auto", "docker", "podman"]), "auto"),
    containerNetwork: read("CONTAINER_NETWORK", oneOf(["default", "host"]), "default"),
    imagePull: read("IMAGE_PULL", oneOf(["always", "missing", "never"]), "always"),
    registryBytes: read("REGISTRY_LIMIT", megabytes(1, MOST_REGISTRY_MB), USUAL_REGISTRY_MB) * MIB,
  });

/** The base of absolute addresses once the port is known. A wildcard host is no address to give away. */
export function publicUrlOf({ publicUrl, host }: Settings, port: number): string {
  if (publicUrl !== null) return publicUrl;
  const name = ["0.0.0.0", "::", "[::]", ""].includes(host) ? "127.0.0.1" : host;
  return `http://${name.includes(":") && !name.startsWith("[") ? `[${name}]` : name}:${port}`;
}
