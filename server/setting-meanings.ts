/** What a setting is for, in Markdown; `usual` where its default cannot be told from the code that reads it. */
export type Meaning = string | Readonly<{ means: string; usual: string }>;

/**
 * Every setting by the area that it belongs to, in the order in which `docs/configuration.md` shows them. What has
 * no line here cannot be read: `SettingName` is made of these names.
 */
export const meanings = {
  "Where it listens": {
    PORT: "the port; 0 is any free one",
    HOST: "the address. On anything but loopback a key is needed: `SERVICE_API_KEY`, or one made with `berth keys create`, also with [auth of your own](auth.md)",
    PUBLIC_URL: {
      means:
        "the base of every absolute address that Berth gives away; with https [sign-ins](chat.md#signing-in) are for https only",
      usual: "`http://HOST:PORT`",
    },
    MOUNT_PREFIX:
      "a path behind which everything answers, too; beats [`http.mount_prefix`](custom-routes.md#routes)",
    MAX_BODY_BYTES:
      "larger request bodies get 413, without a text where they are more than 1 MiB larger (or than 201 MiB, where that is more)",
    CORS_ALLOW_ORIGINS:
      "origins of pages that may read answers; without keys only loopback and origins that are named one by one may call",
  },
  "Who may call": {
    SERVICE_API_KEY: "accepted as an admin key, also to sign in; the commands of `berth deploy` send it",
    TRUSTED_PROXIES:
      "the proxies in front of Berth, so that it knows [whose request it is](operations.md#behind-a-proxy): their `X-Forwarded-For` is believed, nobody else's",
    RATE_LIMIT_PER_MINUTE:
      "requests that each key, or each user of [your own auth](auth.md), may send in a minute, then 429; 0 for any number. `/metrics` does not count, and in a deployment only users do",
  },
  "What is kept": {
    DATA_DIR: { means: "the databases, uploads, builds and logs", usual: "`./data`" },
    DATABASE_URL: { means: "`sqlite:` and the path of a file", usual: "`sqlite:$DATA_DIR/berth.db`" },
    SECRETS_KEY: {
      means:
        "encrypts the [secrets](control-plane.md#secrets) of deployments in the database; without it a key is made in that file, for its owner only. Keep it: another one opens nothing",
      usual: "the file `$DATA_DIR/secrets.key`",
    },
    RESUMABLE_STREAM_TTL_SECONDS: "how long the events of an ended run are kept",
    THREAD_LOG_TTL_SECONDS:
      "how long the events of a thread that is used through commands can be [replayed](protocol.md#streams)",
    TRACES_OUTLIVE_THREADS:
      "whether [traces](traces.md#what-is-kept-of-them) still say what was said on a thread after it was deleted",
    TRACE_RETENTION_DAYS: "how long [traces](traces.md) are kept",
    BACKUP_SCHEDULE: {
      means:
        "when [backups](operations.md#backup-and-restore) are made by themselves: minute, hour, day of the month, month, day of the week, in UTC",
      usual: "never",
    },
    BACKUP_DIR: {
      means: "the folder or [bucket](operations.md#in-s3-like-storage) that they go to",
      usual: "`$DATA_DIR/backups`",
    },
    BACKUP_KEEP: "so many of them are kept, the newest",
    BACKUP_S3_ENDPOINT: {
      means: "address of the S3-like storage that backups go to; buckets are the first part of the path",
      usual: "Amazon's, by the region",
    },
    BACKUP_S3_REGION: "region of that storage; many other than Amazon's take any",
    BACKUP_S3_KEY_ID: { means: "id of the key for that storage", usual: "none" },
    BACKUP_S3_SECRET: { means: "the key's secret", usual: "none" },
  },
  Runs: {
    RUN_CONCURRENCY: "runs executed at once by this process",
    RUN_LEASE_MS: "how long a run belongs to a process that has gone silent",
    BG_JOB_TIMEOUT_SECS: "a run that takes longer ends with the status `timeout`",
    BG_JOB_SHUTDOWN_GRACE_PERIOD_SECS: "how long a process that was told to stop lets its runs end",
    LANGGRAPH_CONFIG:
      "JSON of graph id to config (and `context`) of the graph's own assistant; taken over at each start until somebody patches it",
    LANGGRAPH_SCHEMA_RESOLVE_TIMEOUT_MS: "how long reading a graph's schemas may take",
  },
  Deployments: {
    BERTH_EDITION:
      "which sources may be [deployed](control-plane.md): `cloud` (`github`, `internal_docker`, `internal_source`, `internal_template`) or `self_hosted` (`external_docker`)",
    CLI_COMPAT:
      "takes what released deploy tools send, although it is not complete: an `internal_source` deployment without `langgraph_config_path`",
    GITHUB_API_URL: "where the repositories of a GitHub integration are listed",
    DEPLOY_CONCURRENCY:
      "revisions of different deployments that are built at once, and that are started at once",
    DEPLOY_TIMEOUT_SECONDS: "how long a new revision may take from its start until it answers",
    DEPLOY_SETTLE_SECONDS:
      "how long a new revision that answers has to [stay up](control-plane.md#the-life-of-a-revision) before it serves; 0: it serves at once",
    DRAIN_SECONDS: "how long open requests and streams keep the instance of a revision that was replaced",
    HANG_SECONDS:
      "how long an instance that serves may answer nobody before it is ended and [started again](control-plane.md#the-life-of-a-revision); 0: for ever",
    KEPT_BUILDS:
      "of so many revisions of a deployment the builds are kept, to [go back](control-plane.md#the-life-of-a-revision) to, with the one that serves",
    BUILD_RETENTION_DAYS: "and so long after another revision took their place",
    MEMORY_LIMIT:
      "the [memory](operations.md#what-a-deployment-may-take) that an instance may take, with what it starts, where the `resource_spec` of its deployment does not say; one that takes more is ended and started again; 0: whatever there is",
    CPU_LIMIT:
      "the [processors](operations.md#what-a-deployment-may-take) that it may use, such as `0.5`; 0: all of them",
    CONTAINER_ENGINE:
      "what runs [containers](control-plane.md#containers); `auto` is the first of them that answers",
    CONTAINER_NETWORK:
      "`host`: containers share the network of this machine, for engines that cannot publish ports",
    IMAGE_PULL:
      "when a registry is asked for an [image](control-plane.md#containers): `always` for each new revision of a tag, `missing` only for what the engine does not have, `never`",
  },
  "Traces and issues": {
    TRACING: "whether runs leave [traces](traces.md)",
    ENGINE_INTERVAL: "seconds between two scans for [issues](issues.md); 0 turns the timer off",
    ENGINE_MIN_TRACES: "an issue opens when so many traces show the same",
    ENGINE_TIMEOUT_S: "a scan that takes longer has failed",
    ENGINE_MODEL: "words new issues, with `OPENAI_API_KEY` or `ANTHROPIC_API_KEY`; templates do without it",
  },
  Webhooks: {
    WEBHOOK_ALLOW:
      "addresses that [webhooks](webhooks.md#where-deliveries-may-go) may go to although they are private; never link-local and metadata",
    WEBHOOK_BACKOFF:
      "seconds before the second, third and fourth [attempt](webhooks.md#attempts) of a delivery, plus up to a fifth",
    CHAT_TOKEN: "posts to the [chat channels](webhooks.md#chats) of subscriptions by `chat.postMessage`",
    CHAT_API_URL: {
      means: "where that is; with an address and no token, as to an incoming webhook",
      usual: "`https://slack.com/api`",
    },
  },
  Telemetry: {
    OTEL_EXPORTER_OTLP_ENDPOINT:
      "a collector: requests and runs are [exported](telemetry.md) to `/v1/traces` below it, as OTLP over HTTP",
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "the whole address, where it is another one",
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: "goes with every export, to say who sends",
    OTEL_SERVICE_NAME: "who these spans are of; those of a deployment add its name",
    OTEL_RESOURCE_ATTRIBUTES: "what else is said of every span",
    OTEL_TRACES_SAMPLER_ARG: "which share of traces is exported, where the caller has not decided",
    OTEL_CAPTURE_CONTENT:
      "whether inputs and outputs of graphs, models and tools are exported as well: they may hold what people said",
    OTEL_SDK_DISABLED: "turns the export off",
  },
  Logs: {
    LOG_LEVEL: "what is less is not written",
    LOG_FORMAT: { means: "how lines look", usual: "`pretty` on a terminal, else `json`" },
    LOG_JSON: "the official server's word for it: `true` is `json`",
  },
  "For tests, and between a Berth and what it deploys": {
    BERTH_TEST:
      "adds `POST /internal/truncate`, which empties the database: for tests of clients, never for anything else",
    GATEWAY_TOKEN: "set by Berth in a deployed process: what the gateway proves itself with",
    INSTANCE_FILE: "set by Berth in a deployed process: where it writes its pid and port",
    STANDBY: "set by Berth in a deployed process: whether it leaves runs to others until the gateway says so",
    SHIP_TRACES_TO:
      "set by Berth in a [deployed process](traces.md#from-deployments): where its traces are sent",
  },
} satisfies Record<string, Record<string, Meaning>>;

type NamesIn<Areas> = { [Area in keyof Areas]: keyof Areas[Area] & string }[keyof Areas];

/** A setting that is described. */
export type SettingName = NamesIn<typeof meanings>;
