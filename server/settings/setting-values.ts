import { resolve } from "node:path";
import { getLogLevels, type LogLevel } from "@logtape/logtape";
import { blockList } from "../reach/index.ts";
import { boolean, SettingError, taking } from "./setting.ts";

/** A place in S3-like storage: the bucket, and the key behind it. */
export const BUCKET_ADDRESS = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(\S*))?$/;

/** How S3-like storage is reached. */
export type BucketAccess = Readonly<{
  /** Null for Amazon's own, by the region. */
  endpoint: string | null;
  region: string;
  keyId: string | null;
  secret: string | null;
}>;

/** Backups that are made by themselves. */
export type BackupSettings = Readonly<{
  /** Five fields, in UTC; null: none are made. */
  schedule: string | null;
  /** An absolute folder, or `s3://BUCKET/PREFIX` without a slash at its end. */
  place: string;
  /** So many are kept. */
  keep: number;
  bucket: BucketAccess;
}>;

// What single settings may be, beyond numbers, words and lists; each throws `SettingError`.

/** How the log is written: for people, or for programs. */
export type LogFormat = "pretty" | "json";

/** A token that can be guessed is none. */
export const LEAST_TOKEN = 16;

export function engineModel(given: string, name: string): string {
  if (!/^(?:openai|anthropic):\S+$/.test(given))
    throw new SettingError(name, given, "must be openai:MODEL or anthropic:MODEL");
  return given;
}

export function token(given: string, name: string): string {
  if (given.length < LEAST_TOKEN)
    throw new SettingError(name, given, `must have at least ${LEAST_TOKEN} characters`);
  return given;
}

export const path = (given: string) => resolve(given);

/** What runs graphs beside the thread that answers, and how many of them at most; 0: that one runs them itself. */
export type Executing = { kind: "thread" | "process"; most: number };

const MOST_EXECUTORS = 64;
export const ONE_PER_CORE: Executing = {
  kind: "thread",
  most: Math.min(MOST_EXECUTORS, Math.max(1, navigator.hardwareConcurrency)),
};

export const executing = taking<Executing>(
  `0 to ${MOST_EXECUTORS}, \`process\` or \`process:N\``,
  (given, name) => {
    const [, isProcess, processes, threads] = /^(process)(?::(\d+))?$|^(\d+)$/.exec(given) ?? [];
    const count = processes ?? threads;
    const most = count === undefined ? ONE_PER_CORE.most : Number(count);
    const isValid = (isProcess !== undefined || threads !== undefined) && most <= MOST_EXECUTORS;
    if (!isValid) throw new SettingError(name, given, `must be 0 to ${MOST_EXECUTORS}, process or process:N`);
    return { kind: isProcess ? "process" : "thread", most };
  },
);

/** A folder, or `s3://BUCKET/PREFIX`. */
export const backupPlace = taking("a folder, or `s3://BUCKET/PREFIX`", (given, name) => {
  if (!given.startsWith("s3:")) return path(given);
  if (!BUCKET_ADDRESS.test(given))
    throw new SettingError(name, given, "must be a folder or s3://BUCKET/PREFIX");
  return given.replace(/\/+$/, "");
});

/** `s3://BUCKET/PREFIX`. */
export const filesPlace = taking("`s3://BUCKET/PREFIX`", (given, name) => {
  if (!BUCKET_ADDRESS.test(given)) throw new SettingError(name, given, "must be s3://BUCKET/PREFIX");
  return given.replace(/\/+$/, "");
});

export function origin(given: string, name: string): string {
  if (given === "*") return given;
  if (!URL.canParse(given) || new URL(given).origin !== given)
    throw new SettingError(name, given, "must be origins such as https://app.example.com, or *");
  return given;
}

export function prefix(given: string, name: string): string {
  if (!/^(?:\/[\w.~-]+)+\/?$/.test(given))
    throw new SettingError(name, given, "must be a path such as /agents");
  return given.replace(/\/+$/, "");
}

export function addressRange(given: string, name: string): string {
  try {
    blockList([given]);
    return given;
  } catch {
    throw new SettingError(name, given, "must be ranges of addresses such as 10.0.0.0/8");
  }
}

export function logLevel(given: string, name: string): LogLevel {
  const wanted = given.toLowerCase();
  const spoken = wanted === "warn" ? "warning" : wanted === "critical" ? "fatal" : wanted;
  const level = getLogLevels().find((known) => known === spoken);
  if (level === undefined) throw new SettingError(name, given, `must be one of ${getLogLevels().join(", ")}`);
  return level;
}

export function jsonFormat(given: string, name: string): LogFormat {
  return boolean(given, name) ? "json" : "pretty";
}

export function graphConfig(given: string, name: string): Record<string, Record<string, unknown>> {
  const wrong = new SettingError(name, given, "must be a JSON object of graph id to config object");
  let value: unknown;
  try {
    value = JSON.parse(given);
  } catch {
    throw wrong;
  }
  if (!isDictionary(value)) throw wrong;
  return Object.fromEntries(
    Object.entries(value).map(([graph, config]) => {
      if (!isDictionary(config)) throw wrong;
      return [graph, config];
    }),
  );
}

function isDictionary(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
