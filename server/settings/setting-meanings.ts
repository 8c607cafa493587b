/** What a setting is for, in Markdown; `usual` where its default cannot be told from the code that reads it. */
export type Meaning = string | Readonly<{ means: string; usual: string }>;

/**
 * Every setting by the area that it belongs to, in the order in which `docs/configuration.md` shows them. What has
 * no line here cannot be read: `SettingName` is made of these names.
 */
export const meanings = {
  "Where it listens": {
    PORT: "the port; 0 is any free one",
    HOST: "the address. If other machines can reach it, Berth needs a key: `SERVICE_API_KEY`, or one from `berth keys create`. It needs the key also with [auth of your own](auth.md)",
    PUBLIC_URL: {
      means:
        "the base of every absolute address that Berth shows or sends. If it is https, [sign-ins](chat.md#signing-in) work over https only",
      usual: "`http://HOST:PORT`",
    },
    ADVERTISE_URL: {
      means:
        "with Postgres: the address at which the other Berths of the database reach this one. They pass on [requests to the deployments](files.md#how-a-request-reaches-a-deployment) that this one runs",
      usual: "where Berth listens; if that is a wildcard address, the first address of this machine",
    },
    MOUNT_PREFIX:
      "a path: Berth answers every request also below it. It beats [`http.mount_prefix`](custom-routes.md#routes)",
    MAX_BODY_BYTES:
      "the largest request body, in bytes; a larger one gets 413. Above 201 MiB (or above this limit and 1 MiB, if that is more) the 413 has no text",
    CORS_ALLOW_ORIGINS:
      "the origins whose pages may read answers. If Berth has no keys, only pages of this machine and of origins that you name here may call it; `*` names none",
  },
  "Who may call": {
    SERVICE_API_KEY: "an admin key. People sign in with it, and the commands of `berth deploy` send it",
    TRUSTED_PROXIES:
      "the proxies in front of Berth. Berth believes only their `X-Forwarded-For`, which says [who sent a request](operations.md#behind-a-proxy)",
    RATE_LIMIT_PER_MINUTE:
      "how many requests each key, or each user of [your own auth](auth.md), may send in a minute; Berth answers more with 429. 0: no limit. Requests to `/metrics` do not count. A deployment counts only users",
  },
  "What is kept": {
    DATA_DIR: { means: "the databases, uploads, builds and logs", usual: "`./data`" },
    DATABASE_URL: {
      means:
        "`sqlite:` and the path of a file, or the address of a database on a [Postgres server](scaling.md)",
      usual: "`sqlite:$DATA_DIR/berth.db`",
    },
    SECRETS_KEY: {
      means:
        "the key that encrypts the [secrets](control-plane.md#secrets) of deployments in the database. Without this setting, Berth makes a key and keeps it in that file; only the file's owner can read it. Do not lose the key: no other key opens the secrets",
      usual: "the file `$DATA_DIR/secrets.key`",
    },
    RESUMABLE_STREAM_TTL_SECONDS: "how long Berth keeps the events of a run that has ended",
    THREAD_LOG_TTL_SECONDS:
      "how long Berth can [replay](protocol.md#streams) the events of a thread, if a client uses the thread through commands",
    TRACES_OUTLIVE_THREADS:
      "whether [traces](traces.md#what-is-kept-of-them) keep the content of a thread after somebody deletes the thread",
    TRACE_RETENTION_DAYS: "how long Berth keeps [traces](traces.md)",
    BACKUP_SCHEDULE: {
      means:
        "when Berth makes [backups](operations.md#backup-and-restore) by itself. The five fields are minute, hour, day of the month, month and day of the week, in UTC",
      usual: "never",
    },
    BACKUP_DIR: {
      means: "the folder or [bucket](operations.md#in-s3-like-storage) for these backups",
      usual: "`$DATA_DIR/backups`",
    },
    BACKUP_KEEP: "how many of these backups Berth keeps, newest first",
    FILES_URL: {
      means:
        "a place in S3-like storage. Berth keeps the [uploaded archives](files.md#where-uploads-are-kept) there, so that every machine can read them",
      usual: "with Postgres the database, otherwise the data folder",
    },
    S3_ENDPOINT: {
      means:
        "the address of the S3-like storage for backups and files. Berth puts the bucket first in the path",
      usual: "Amazon's, by the region",
    },
    S3_REGION: "the region of that storage; many services other than Amazon's accept any",
    S3_KEY_ID: { means: "the id of the key for that storage", usual: "none" },
    S3_SECRET: { means: "the secret of that key", usual: "none" },
  },
  Runs: {
    ROLE: {
      usual: "everything",
      means:
        "what this process does, if [several](several-berths.md) share a database: `front` answers requests, `executor` runs graphs, `control` does the work that only one process may do at a time",
    },
    EXECUTORS: {
      usual: "the number of cores",
      means:
        "the most [executors](executors.md) that run the code of the project, beside the thread that answers requests. `0`: that thread runs the code itself",
    },
    RUN_CONCURRENCY:
      "the most runs that this process [executes at once](executors.md#how-many-runs-at-once); Berth 0.1.0 executed 10",
    RUN_LEASE_MS:
      "how long a run belongs to a process that no longer responds; after that, another process takes the run",
    BG_JOB_TIMEOUT_SECS: "the longest time that a run may take; a longer run ends with the status `timeout`",
    BG_JOB_SHUTDOWN_GRACE_PERIOD_SECS: "how long a process waits for its runs when it has to stop",
    LANGGRAPH_CONFIG:
      "JSON that maps the id of a graph to the config (and `context`) of the graph's own assistant. Each start of Berth applies it, unless somebody has patched the assistant",
    PYTHON: {
      usual: "`python3` of the `PATH`",
      means:
        "the interpreter of [Python graphs](python.md), if the project has no virtual environment (`.venv`)",
    },
    LANGGRAPH_SCHEMA_RESOLVE_TIMEOUT_MS: "how long Berth may take to read a graph's schemas",
  },
  Deployments: {
    BERTH_EDITION:
      "which sources you may [deploy](control-plane.md): `cloud` (`github`, `internal_docker`, `internal_source`, `internal_template`) or `self_hosted` (`external_docker`)",
    CLI_COMPAT:
      "accepts the incomplete requests of [released deploy commands](released-deploy.md): they create an `internal_source` deployment without `langgraph_config_path`",
    GITHUB_API_URL: "the API that lists the repositories of a GitHub integration",
    DEPLOY_CONCURRENCY:
      "how many revisions Berth builds at once; it also starts this many at once. They are of different deployments",
    DEPLOY_TIMEOUT_SECONDS: "the longest time from the start of a new revision to its first answer",
    DEPLOY_SETTLE_SECONDS:
      "how long a new revision has to [stay up](control-plane.md#the-life-of-a-revision) after its first answer, before it serves. 0: it serves at once",
    DRAIN_SECONDS:
      "how long an instance still serves its open requests and streams after a new revision has replaced its own",
    SLEEP_MINUTES:
      "a deployment [sleeps](control-plane.md#sleep) after so many minutes without a request, unless its `deployment_type` is `prod` or `dedicated`. 0: no deployment sleeps",
    HANG_SECONDS:
      "if a serving instance answers nobody for so long, Berth ends it and [starts it again](control-plane.md#the-life-of-a-revision). If an [executor](executors.md) is busy for so long without a pause, Berth replaces it. 0: Berth does neither",
    KEPT_BUILDS:
      "how many builds of a deployment Berth keeps, so that you can [roll back](control-plane.md#the-life-of-a-revision) to them. The serving build counts",
    BUILD_RETENTION_DAYS: "how long Berth keeps such a build after another revision has replaced it",
    MEMORY_LIMIT:
      "the [memory](operations.md#what-a-deployment-may-take) that an instance may take, together with the programs that it starts. The `resource_spec` of a deployment beats this setting. If an instance takes more, Berth ends it and starts it again. With `EXECUTORS=process`, the limit is also that of an [executor](executors.md). 0: no limit",
    CPU_LIMIT:
      "how many [processors](operations.md#what-a-deployment-may-take) an instance may use, for example `0.5`. 0: all of them",
    DEPLOYMENT_DATABASES:
      "with Postgres: `server` gives each deployment [a database and a role of its own](files.md#the-database-of-a-deployment) on Berth's server. `file` gives it a SQLite file on the machine that runs it",
    CONTAINER_ENGINE:
      "the program that runs [containers](control-plane.md#containers). With `auto`, Berth uses the first one that answers",
    CONTAINER_NETWORK:
      "`host`: containers share the network of this machine. This is for engines that cannot publish ports",
    IMAGE_PULL:
      "when Berth asks a registry for an [image](control-plane.md#containers). `always`: for each new revision, unless a digest names the image. `missing`: only if the engine does not have the image. `never`: not at all",
    REGISTRY_LIMIT: {
      means:
        "how much disk the [pushed images](images.md) of one workspace may take together. 0: nobody may push",
      usual: "`20G`",
    },
  },
  "Traces and issues": {
    TRACING: "whether runs leave [traces](traces.md)",
    ENGINE_INTERVAL: "seconds between two scans for [issues](issues.md). 0: Berth does not scan by itself",
    ENGINE_MIN_TRACES: "how many traces have to show the same problem before Berth opens an issue",
    ENGINE_TIMEOUT_S: "the longest time that a scan may take; a longer scan fails",
    ENGINE_MODEL:
      "the model that writes the text of new issues. Its key is in `OPENAI_API_KEY` or `ANTHROPIC_API_KEY`. Without a model, Berth makes the text from templates",
  },
  Webhooks: {
    WEBHOOK_ALLOW:
      "the private addresses to which [webhooks](webhooks.md#where-deliveries-may-go) may go. Link-local and metadata addresses are never allowed",
    WEBHOOK_BACKOFF:
      "how many seconds Berth waits before the second, third and fourth [attempt](webhooks.md#attempts) of a delivery. Berth adds up to a fifth by chance",
    CHAT_TOKEN:
      "a token of the chat service. With it, Berth posts to the [chat channels](webhooks.md#chats) of subscriptions, by `chat.postMessage`",
    CHAT_API_URL: {
      means:
        "the address of that chat service. If you set it without a token, Berth posts to it as to an incoming webhook",
      usual: "`https://slack.com/api`",
    },
  },
  Telemetry: {
    OTEL_EXPORTER_OTLP_ENDPOINT:
      "the address of a collector. Berth [exports](telemetry.md) requests and runs to `/v1/traces` below it, as OTLP over HTTP",
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "the whole address, if it is not `/v1/traces` below the collector",
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: "headers of every export, for example a key of the collector",
    OTEL_SERVICE_NAME: "the service name of these spans; for the spans of a deployment, Berth adds its name",
    OTEL_RESOURCE_ATTRIBUTES: "further attributes of every span",
    OTEL_TRACES_SAMPLER_ARG:
      "which share of the traces Berth exports, unless the caller's request decides it",
    OTEL_CAPTURE_CONTENT:
      "whether Berth also exports the inputs and outputs of graphs, models and tools. They may hold what people said",
    OTEL_SDK_DISABLED: "`true` turns the export off",
  },
  Logs: {
    LOG_LEVEL: "the lowest level that Berth writes",
    LOG_FORMAT: { means: "the format of the lines", usual: "`pretty` on a terminal, else `json`" },
    LOG_JSON:
      "the name that the official server has for this setting: `true` is `json`, `false` is `pretty`. `LOG_FORMAT` beats it",
  },
  "For tests, and between a Berth and what it deploys": {
    BERTH_TEST:
      "`true` adds `POST /internal/truncate`, which empties the database. Use it for tests of clients only",
    GATEWAY_TOKEN: "Berth sets it in a deployed process: the token with which the gateway proves itself",
    INSTANCE_FILE:
      "Berth sets it in a deployed process: the file into which the process writes its pid and port",
    STANDBY:
      "Berth sets it in a deployed process: whether the process starts no runs until the gateway tells it to",
    SHIP_TRACES_TO:
      "Berth sets it in a [deployed process](traces.md#from-deployments): the address to which the process sends its traces",
  },
} satisfies Record<string, Record<string, Meaning>>;

type NamesIn<Areas> = { [Area in keyof Areas]: keyof Areas[Area] & string }[keyof Areas];

/** A setting that is described. */
export type SettingName = NamesIn<typeof meanings>;
