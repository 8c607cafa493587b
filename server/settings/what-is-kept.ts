import { join, resolve } from "node:path";
import { databasePlace, inFile, withPassword } from "./database-place.ts";
import { type Read, SettingError, secret, taking } from "./setting.ts";
import { boolean, integer, path, text, url } from "./setting-values.ts";

export function whatIsKept(read: Read) {
  const dataDir = resolve(
    read("DATA_DIR", text, "data", { means: "the databases, uploads, builds and logs", usual: "`./data`" }),
  );
  const database = read("DATABASE_URL", secret(sqliteOrPostgres), null, {
    means:
      "`sqlite:` and the path of a file, or the address of a database on a [Postgres server](scaling.md)",
    usual: "`sqlite:$DATA_DIR/berth.db`",
  });
  const password = read("DATABASE_PASSWORD", secret(text), null, {
    means:
      "the password for the Postgres server of `DATABASE_URL`, if that has none. It may hold any characters, while the password in a URL has to be percent-encoded",
  });
  return {
    dataDir,
    ...withPassword(database ?? inFile(join(dataDir, "berth.db")), password),
    /** Null means the key file in `dataDir`. */
    secretsKey: read("SECRETS_KEY", secret(text), null, {
      means:
        "the key that encrypts the [secrets](control-plane.md#secrets) of deployments in the database. Without this setting, Berth makes a key and keeps it in that file; only the file's owner can read it. Do not lose the key: no other key opens the secrets",
      usual: "the file `$DATA_DIR/secrets.key`",
    }),
    resumableStreamTtlSeconds: read("RESUMABLE_STREAM_TTL_SECONDS", integer(0, 31_536_000), 120, {
      means: "how long Berth keeps the events of a run that has ended",
    }),
    threadLogTtlSeconds: read("THREAD_LOG_TTL_SECONDS", integer(0, 31_536_000), 604_800, {
      means:
        "how long Berth can [replay](protocol.md#streams) the events of a thread, if a client uses the thread through commands",
    }),
    tracesOutliveThreads: read("TRACES_OUTLIVE_THREADS", boolean, false, {
      means:
        "whether [traces](traces.md#what-is-kept-of-them) keep the content of a thread after somebody deletes the thread",
    }),
    traceRetentionDays: read("TRACE_RETENTION_DAYS", integer(1, 36_500), 14, {
      means: "how long Berth keeps [traces](traces.md)",
    }),
    ...copiesAndFiles(read, dataDir),
  };
}

function copiesAndFiles(read: Read, dataDir: string) {
  const backup = {
    schedule: read("BACKUP_SCHEDULE", taking("five fields of a cron, such as `30 3 * * *`", text), null, {
      means:
        "when Berth makes [backups](operations.md#backup-and-restore) by itself. The five fields are minute, hour, day of the month, month and day of the week, in UTC",
      usual: "never",
    }),
    /** An absolute folder, or `s3://BUCKET/PREFIX` without a slash at its end. */
    place: read("BACKUP_DIR", backupPlace, join(dataDir, "backups"), {
      means: "the folder or [bucket](operations.md#in-s3-like-storage) for these backups",
      usual: "`$DATA_DIR/backups`",
    }),
    keep: read("BACKUP_KEEP", integer(1, 10_000), 7, {
      means: "how many of these backups Berth keeps, newest first",
    }),
  };
  /** `s3://BUCKET/PREFIX`; null: in the database, or the data folder. */
  const filesUrl = read("FILES_URL", filesPlace, null, {
    means:
      "a place in S3-like storage. Berth keeps the [uploaded archives](files.md#where-uploads-are-kept) there, so that every machine can read them",
    usual: "with Postgres the database, otherwise the data folder",
  });
  const bucket = bucketAccess(read);
  return { backup: Object.freeze({ ...backup, bucket }), filesUrl, bucket };
}

/** Berth 0.1.0 had such storage for backups only. */
const bucketAccess = (read: Read) =>
  Object.freeze({
    endpoint: read(["S3_ENDPOINT", "BACKUP_S3_ENDPOINT", "AWS_ENDPOINT_URL_S3"], url, null, {
      means:
        "the address of the S3-like storage for backups and files. Berth puts the bucket first in the path",
      usual: "Amazon's, by the region",
    }),
    region: read(["S3_REGION", "BACKUP_S3_REGION", "AWS_REGION"], text, "us-east-1", {
      means: "the region of that storage; many services other than Amazon's accept any",
    }),
    keyId: read(["S3_KEY_ID", "BACKUP_S3_KEY_ID", "AWS_ACCESS_KEY_ID"], secret(text), null, {
      means: "the id of the key for that storage",
    }),
    secret: read(["S3_SECRET", "BACKUP_S3_SECRET", "AWS_SECRET_ACCESS_KEY"], secret(text), null, {
      means: "the secret of that key",
    }),
  });

/** A place in S3-like storage: the bucket, and the key behind it. */
export const BUCKET_ADDRESS = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(\S*))?$/;

const sqliteOrPostgres = taking("`sqlite:PATH` or `postgres://…`", databasePlace);

const backupPlace = taking("a folder, or `s3://BUCKET/PREFIX`", (given, name) => {
  if (!given.startsWith("s3:")) return path(given, name);
  if (!BUCKET_ADDRESS.test(given))
    throw new SettingError(name, given, "must be a folder or s3://BUCKET/PREFIX");
  return given.replace(/\/+$/, "");
});

const filesPlace = taking("`s3://BUCKET/PREFIX`", (given, name) => {
  if (!BUCKET_ADDRESS.test(given)) throw new SettingError(name, given, "must be s3://BUCKET/PREFIX");
  return given.replace(/\/+$/, "");
});
