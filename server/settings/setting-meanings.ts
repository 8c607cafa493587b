/** What a setting is for, in Markdown; `usual` where its default cannot be told from the code that reads it. */
export type Meaning = string | Readonly<{ means: string; usual: string }>;

/**
 * Every setting by the area that it belongs to, in the order in which `docs/configuration.md` shows them. What has
 * no line here cannot be read: `SettingName` is made of these names.
 */
export const meanings = {
  "Where it listens": {
    PORT: "the port; 0 is any free one",
    HOST: "the address. On any address but loopback, Berth needs a key: `SERVICE_API_KEY`, or one made with `berth keys create`, also with [auth of your own](auth.md)",
    PUBLIC_URL: {
      means:
        "the base of every absolute address that Berth shows or sends; with https, [sign-ins](chat.md#signing-in) work over https only",
      usual: "`http://HOST:PORT`",
    },
    ADVERTISE_URL: {
      means:
        "with Postgres: where the other Berths of the database reach this one, for the [requests to deployments](files.md#how-a-request-reaches-a-deployment) that it runs",
      usual: "where it listens; on a wildcard address, the first address of this machine",
    },
    MOUNT_PREFIX:
      "a path; everything answers below it, too. It beats [`http.mount_prefix`](custom-routes.md#routes)",
    MAX_BODY_BYTES:
      "larger request bodies get 413. The answer has no text if the body is more than 1 MiB larger than this, and larger than 201 MiB",
    CORS_ALLOW_ORIGINS:
      "origins of pages that may read answers. Without keys, only loopback and origins that you name one by one may call",
  },
  "Who may call": {
    SERVICE_API_KEY: "an admin key, also to sign in; the commands of `berth deploy` send it",
    TRUSTED_PROXIES:
      "the proxies in front of Berth, so that it knows [whose request it is](operations.md#behind-a-proxy): Berth believes only their `X-Forwarded-For`",
    RATE_LIMIT_PER_MINUTE:
      "requests that each key, or each user of [your own auth](auth.md), may send in a minute; further ones get 429. 0: any number. `/metrics` does not count, and in a deployment only users count",
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
        "encrypts the [secrets](control-plane.md#secrets) of deployments in the database. Without it, Berth makes a key in that file, which only its owner can read. Keep the key: no other key opens the secrets",
      usual: "the file `$DATA_DIR/secrets.key`",
    },
    RESUMABLE_STREAM_TTL_SECONDS: "how long Berth keeps the events of a run that has ended",
    THREAD_LOG_TTL_SECONDS:
      "how long Berth can [replay](protocol.md#streams) the events of a thread that a client uses through commands",
    TRACES_OUTLIVE_THREADS:
      "whether [traces](traces.md#what-is-kept-of-them) keep the content of a thread after it was deleted",
    TRACE_RETENTION_DAYS: "how long Berth keeps [traces](traces.md)",
    BACKUP_SCHEDULE: {
      means:
        "when Berth makes [backups](operations.md#backup-and-restore) by itself: minute, hour, day of the month, month, day of the week, in UTC",
      usual: "never",
    },
    BACKUP_DIR: {
      means: "the folder or [bucket](operations.md#in-s3-like-storage) for these backups",
      usual: "`$DATA_DIR/backups`",
    },
    BACKUP_KEEP: "how many of these backups Berth keeps, newest first",
    FILES_URL: {
      means:
        "where Berth keeps [uploaded archives](files.md#where-uploads-are-kept) that every machine may need: a place in S3-like storage",
      usual: "with Postgres the database, else the data folder",
    },
    S3_ENDPOINT: {
      means:
        "the address of the S3-like storage for backups and files; the bucket is the first part of the path",
      usual: "Amazon's, by the region",
    },
    S3_REGION: "the region of that storage; many services other than Amazon's accept any",
    S3_KEY_ID: { means: "the id of the key for that storage", usual: "none" },
    S3_SECRET: { means: "the key's secret", usual: "none" },
  },
  Runs: {
    ROLE: {
      usual: "everything",
      means:
        "what this process does, where [several](several-berths.md) share a database: `front` answers requests, `executor` runs graphs, `control` does what one process at a time does",
    },
    EXECUTORS: {
      usual: "the number of cores",
      means:
        "how many [executors](executors.md) run the code of the project beside the thread that answers requests, at most; `0`: that one runs it itself",
    },
    RUN_CONCURRENCY:
      "how many runs this process [executes at once](executors.md#how-many-runs-at-once), at most; 0.1.0 executed 10",
    RUN_LEASE_MS: "how long a run still belongs to a process that has stopped responding",
    BG_JOB_TIMEOUT_SECS: "the longest time of a run; a longer run ends with the status `timeout`",
    BG_JOB_SHUTDOWN_GRACE_PERIOD_SECS: "how long a process that was told to stop waits for its runs",
    LANGGRAPH_CONFIG:
      "JSON that maps a graph's id to the config (and `context`) of the graph's own assistant. Each start applies it, until somebody patches the assistant",
    PYTHON: {
      usual: "`python3` of the `PATH`",
      means:
        "the interpreter of [Python graphs](python.md), for a project that has no virtual environment (`.venv`) of its own",
    },
    LANGGRAPH_SCHEMA_RESOLVE_TIMEOUT_MS: "how long Berth may take to read a graph's schemas",
  },
  Deployments: {
    BERTH_EDITION:
      "which sources you may [deploy](control-plane.md): `cloud` (`github`, `internal_docker`, `internal_source`, `internal_template`) or `self_hosted` (`external_docker`)",
    CLI_COMPAT:
      "accepts the incomplete requests of released deploy tools: an `internal_source` deployment without `langgraph_config_path`",
    GITHUB_API_URL: "the API that lists the repositories of a GitHub integration",
    DEPLOY_CONCURRENCY:
      "how many revisions of different deployments Berth builds at once, and starts at once",
    DEPLOY_TIMEOUT_SECONDS: "how long a new revision may take from its start to its first answer",
    DEPLOY_SETTLE_SECONDS:
      "how long a new revision that answers has to [stay up](control-plane.md#the-life-of-a-revision) before it serves; 0: it serves at once",
    DRAIN_SECONDS: "how long the instance of a replaced revision serves its open requests and streams",
    SLEEP_MINUTES:
      "how long nobody may have sent a request to a deployment until it [sleeps](control-plane.md#sleep), unless its `deployment_type` is `prod` or `dedicated`; 0: for ever",
    HANG_SECONDS:
      "how long a serving instance may answer nobody before Berth ends it and [starts it again](control-plane.md#the-life-of-a-revision), and an [executor](executors.md) be busy without a pause before it is replaced; 0: for ever",
    KEPT_BUILDS:
      "how many builds of a deployment Berth keeps, so that you can [go back](control-plane.md#the-life-of-a-revision); the serving one counts",
    BUILD_RETENTION_DAYS: "how long Berth keeps these builds after another revision took their place",
    MEMORY_LIMIT:
      "the [memory](operations.md#what-a-deployment-may-take) that an instance and the programs that it starts may take, if the `resource_spec` of its deployment does not say. Berth ends an instance that takes more, and starts it again. With `EXECUTORS=process` it is also what an [executor](executors.md) may take. 0: no limit",
    CPU_LIMIT:
      "the [processors](operations.md#what-a-deployment-may-take) that an instance may use, such as `0.5`; 0: all of them",
    DEPLOYMENT_DATABASES:
      "with Postgres: `server` gives each deployment [a database and a role of its own](files.md#the-database-of-a-deployment) on Berth's server, `file` a SQLite file on the machine that runs it",
    CONTAINER_ENGINE:
      "the program that runs [containers](control-plane.md#containers); `auto` is the first one that answers",
    CONTAINER_NETWORK:
      "`host`: containers share the network of this machine, for engines that cannot publish ports",
    IMAGE_PULL:
      "when Berth asks a registry for an [image](control-plane.md#containers): `always` for each new revision of a tag, `missing` only for images that the engine does not have, `never`",
    REGISTRY_LIMIT:
      "how much the [images that were pushed](images.md) to the deployments of one workspace may take, in MB unless it says otherwise (`50G`); `0`: nobody may push",
  },
  "Traces and issues": {
    TRACING: "whether runs leave [traces](traces.md)",
    ENGINE_INTERVAL: "seconds between two scans for [issues](issues.md); 0 turns the timer off",
    ENGINE_MIN_TRACES: "how many traces have to show the same before an issue opens",
    ENGINE_TIMEOUT_S: "the longest time of a scan; a longer one fails",
    ENGINE_MODEL:
      "the model that writes the text of new issues, with `OPENAI_API_KEY` or `ANTHROPIC_API_KEY`. Without it, templates write the text",
  },
  Webhooks: {
    WEBHOOK_ALLOW:
      "private addresses that [webhooks](webhooks.md#where-deliveries-may-go) may go to; link-local and metadata addresses are never allowed",
    WEBHOOK_BACKOFF:
      "seconds before the second, third and fourth [attempt](webhooks.md#attempts) of a delivery, plus up to a fifth",
    CHAT_TOKEN:
      "the token with which Berth posts to the [chat channels](webhooks.md#chats) of subscriptions, by `chat.postMessage`",
    CHAT_API_URL: {
      means:
        "the address of that chat service. With an address and no token, Berth posts to it as to an incoming webhook",
      usual: "`https://slack.com/api`",
    },
  },
  Telemetry: {
    OTEL_EXPORTER_OTLP_ENDPOINT:
      "a collector: Berth [exports](telemetry.md) requests and runs to `/v1/traces` below it, as OTLP over HTTP",
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "the whole address, if it is different",
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: "headers of every export, to say who sends",
    OTEL_SERVICE_NAME: "the service name of these spans; those of a deployment add its name",
    OTEL_RESOURCE_ATTRIBUTES: "further attributes of every span",
    OTEL_TRACES_SAMPLER_ARG: "which share of traces Berth exports, if the caller has not decided",
    OTEL_CAPTURE_CONTENT:
      "whether Berth also exports inputs and outputs of graphs, models and tools: they may hold what people said",
    OTEL_SDK_DISABLED: "turns the export off",
  },
  Logs: {
    LOG_LEVEL: "the lowest level that Berth writes",
    LOG_FORMAT: { means: "the format of the lines", usual: "`pretty` on a terminal, else `json`" },
    LOG_JSON: "the official server's setting for the format: `true` is `json`",
  },
  "For tests, and between a Berth and what it deploys": {
    BERTH_TEST:
      "adds `POST /internal/truncate`, which empties the database: for tests of clients, never for anything else",
    GATEWAY_TOKEN: "set by Berth in a deployed process: the token that the gateway sends as proof",
    INSTANCE_FILE: "set by Berth in a deployed process: where it writes its pid and port",
    STANDBY:
      "set by Berth in a deployed process: whether the process leaves runs to others until the gateway tells it to start",
    SHIP_TRACES_TO:
      "set by Berth in a [deployed process](traces.md#from-deployments): where it sends its traces",
  },
} satisfies Record<string, Record<string, Meaning>>;

type NamesIn<Areas> = { [Area in keyof Areas]: keyof Areas[Area] & string }[keyof Areas];

/** A setting that is described. */
export type SettingName = NamesIn<typeof meanings>;
