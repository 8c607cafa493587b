import type { Read } from "./setting.ts";
import { amount, boolean, integer, list, megabytes, oneOf, text, url } from "./setting-values.ts";

const MIB = 2 ** 20;
/** 20 GiB, and a pebibyte. */
const USUAL_REGISTRY_MB = 20 * 1_024;
const MOST_REGISTRY_MB = 2 ** 30;

/** What a deployed process needs to start, and 16 TiB. */
const LEAST_MEMORY_MB = 256;
const MOST_MEMORY_MB = 2 ** 24;

export const deployments = (read: Read) => ({
  control: Object.freeze({
    edition: read("BERTH_EDITION", oneOf(["cloud", "self_hosted"]), "cloud", {
      means:
        "which sources you may [deploy](control-plane.md): `cloud` (`github`, `internal_docker`, `internal_source`, `internal_template`) or `self_hosted` (`external_docker`)",
    }),
    cliCompat: read("CLI_COMPAT", boolean, false, {
      means:
        "accepts the incomplete requests of [released deploy commands](released-deploy.md): they create an `internal_source` deployment without `langgraph_config_path`",
    }),
    githubApiUrl: read("GITHUB_API_URL", url, "https://api.github.com", {
      means: "the API that lists the repositories of a GitHub integration",
    }),
    ...revisions(read),
    ...whatTheyRunOn(read),
  }),
});

const revisions = (read: Read) => ({
  deployConcurrency: read("DEPLOY_CONCURRENCY", integer(1, 64), 4, {
    means:
      "how many revisions Berth builds at once; it also starts this many at once. They are of different deployments",
  }),
  buildCredentials: read("BUILD_CREDENTIALS", list(text), [], {
    means:
      "ids of workspaces, separated by commas, whose [own commands](control-plane.md#how-a-revision-is-built) may use Berth's credentials for packages: `~/.npmrc`, `~/.bunfig.toml`, and URLs with passwords. `*`: all workspaces",
  }),
  deployTimeoutSeconds: read("DEPLOY_TIMEOUT_SECONDS", integer(1, 3_600), 300, {
    means: "the longest time from the start of a new revision to its first answer",
  }),
  deploySettleSeconds: read("DEPLOY_SETTLE_SECONDS", amount(0.1, 3_600), 10, {
    means:
      "how long a new revision has to [stay up](control-plane.md#the-life-of-a-revision) after its first answer, before it serves. 0: it serves at once",
  }),
  drainSeconds: read("DRAIN_SECONDS", integer(0, 3_600), 30, {
    means:
      "how long an instance still serves its open requests and streams after a new revision has replaced its own",
  }),
  sleepMinutes: read("SLEEP_MINUTES", amount(0.01, 525_600), 15, {
    means:
      "a deployment [sleeps](control-plane.md#sleep) after so many minutes without a request, unless its `deployment_type` is `prod` or `dedicated`. 0: no deployment sleeps",
  }),
  hangSeconds: read("HANG_SECONDS", integer(0, 86_400), 120, {
    means:
      "if a serving instance answers nobody for so long, Berth ends it and [starts it again](control-plane.md#the-life-of-a-revision). If an [executor](executors.md) is busy for so long without a pause, Berth replaces it. 0: Berth does neither",
  }),
  keptBuilds: read("KEPT_BUILDS", integer(1, 1_000), 5, {
    means:
      "how many builds of a deployment Berth keeps, so that you can [roll back](control-plane.md#the-life-of-a-revision) to them. The serving build counts",
  }),
  buildRetentionDays: read("BUILD_RETENTION_DAYS", integer(1, 36_500), 30, {
    means: "how long Berth keeps such a build after another revision has replaced it",
  }),
});

const whatTheyRunOn = (read: Read) => ({
  /** Null: whatever there is. */
  limits: Object.freeze({
    memoryMb:
      read("MEMORY_LIMIT", megabytes(LEAST_MEMORY_MB, MOST_MEMORY_MB), 0, {
        means:
          "the [memory](operations.md#what-a-deployment-may-take) that an instance may take, together with the programs that it starts. The `resource_spec` of a deployment beats this setting. If an instance takes more, Berth ends it and starts it again. With `EXECUTORS=process`, the limit is also that of an [executor](executors.md). 0: no limit",
      }) || null,
    cpus:
      read("CPU_LIMIT", amount(0.1, 1_024), 0, {
        means:
          "how many [processors](operations.md#what-a-deployment-may-take) an instance may use, for example `0.5`. 0: all of them",
      }) || null,
  }),
  deploymentDatabases: read("DEPLOYMENT_DATABASES", oneOf(["server", "file"]), "server", {
    means:
      "with Postgres: `server` gives each deployment [a database and a role of its own](files.md#the-database-of-a-deployment) on Berth's server. `file` gives it a SQLite file on the machine that runs it",
  }),
  containerEngine: read("CONTAINER_ENGINE", oneOf(["auto", "docker", "podman"]), "auto", {
    means:
      "the program that runs [containers](control-plane.md#containers). With `auto`, Berth uses the first one that answers",
  }),
  containerNetwork: read("CONTAINER_NETWORK", oneOf(["default", "host"]), "default", {
    means:
      "`host`: containers share the network of this machine. This is for engines that cannot publish ports",
  }),
  imagePull: read("IMAGE_PULL", oneOf(["always", "missing", "never"]), "always", {
    means:
      "when Berth asks a registry for an [image](control-plane.md#containers). `always`: for each new revision, unless a digest names the image. `missing`: only if the engine does not have the image. `never`: not at all",
  }),
  registryBytes:
    read("REGISTRY_LIMIT", megabytes(1, MOST_REGISTRY_MB), USUAL_REGISTRY_MB, {
      means:
        "how much disk the [pushed images](images.md) of one workspace may take together. 0: nobody may push",
      usual: "`20G`",
    }) * MIB,
});
