import { type FetchApp, LoadedApp } from "../apps/index.ts";
import { isRecord } from "../record.ts";
import type { ProjectFile } from "./config.ts";
import { importApp } from "./fetch-app.ts";
import { type OwnApps, readMounted } from "./mounted-apps.ts";
import { ProjectError } from "./project-error.ts";

/** Whom pages of other origins are let in by, as `http.cors` says. */
export type CorsConfig = {
  allow_origins?: string[];
  allow_methods?: string[];
  allow_headers?: string[];
  allow_credentials?: boolean;
  allow_origin_regex?: string;
  expose_headers?: string[];
  max_age?: number;
};

const AREAS = ["assistants", "threads", "runs", "store", "mcp", "a2a", "meta", "ui", "webhooks"] as const;

/** A part of the server that a project can turn off. */
export type Area = (typeof AREAS)[number];

/** What a project says of the server in front of it. */
export type HttpConfig = OwnApps & {
  /** Whether the apps see requests before it is known who sends them. */
  appFirst: boolean;
  /** Whether the apps' own routes are only for whoever may call; undefined where the project does not say. */
  appGuarded?: boolean | undefined;
  /** In front of every path, also; empty for none. */
  mountPrefix: string;
  cors?: CorsConfig | undefined;
  disabled: ReadonlySet<Area>;
  configurableHeaders?: { includes?: string[] | undefined; excludes?: string[] | undefined } | undefined;
};

/** What holds where a project says nothing. */
export const plainHttp: HttpConfig = { appFirst: true, mountPrefix: "", disabled: new Set() };

/**
 * Reads `http` of a configuration file and imports its apps.
 * @param python the app of one that is Python
 * @throws ProjectError
 */
export async function readHttp({ file, dir, config }: ProjectFile, python?: FetchApp): Promise<HttpConfig> {
  const { http } = config;
  if (http === undefined || http === null) return plainHttp;
  const where = `${file}: http`;
  if (!isRecord(http)) throw new ProjectError(`${where}: must be an object`);
  const wrong = (key: string, what: string) => new ProjectError(`${where}.${key}: must be ${what}`);
  const { middleware_order: order = "middleware_first", mount_prefix = "", app, apps } = http;
  if (order !== "middleware_first" && order !== "auth_first")
    throw wrong("middleware_order", "middleware_first or auth_first");
  if (typeof mount_prefix !== "string" || !isPrefix(mount_prefix))
    throw wrong("mount_prefix", "a path such as /agents");
  const disabled = AREAS.filter((area) => flag(http, `disable_${area}`, wrong) === true);
  return {
    app:
      app === undefined || app === null
        ? undefined
        : new LoadedApp(python ?? (await importApp(`${where}.app`, dir, app))),
    mounted: await readMounted(`${where}.apps`, dir, apps),
    appFirst: order === "middleware_first",
    appGuarded: flag(http, "enable_custom_route_auth", wrong),
    mountPrefix: mount_prefix.replace(/\/+$/, ""),
    cors: readCors(http.cors, wrong),
    disabled: new Set(disabled),
    configurableHeaders: readHeaders(http, wrong),
  };
}

const isPrefix = (text: string): boolean => text === "" || /^(?:\/[\w.~-]+)+\/?$/.test(text);

type Wrong = (key: string, what: string) => ProjectError;

function flag(http: Record<string, unknown>, key: string, wrong: Wrong): boolean | undefined {
  const value = http[key] ?? undefined;
  if (value !== undefined && typeof value !== "boolean") throw wrong(key, "true or false");
  return value;
}

function readCors(cors: unknown, wrong: Wrong): CorsConfig | undefined {
  if (cors === undefined || cors === null) return undefined;
  if (!isRecord(cors)) throw wrong("cors", "an object");
  const { allow_credentials, allow_origin_regex, max_age } = cors;
  const lists = ["allow_origins", "allow_methods", "allow_headers", "expose_headers"] as const;
  const read = lists.map((key) => [key, texts(cors[key], () => wrong(`cors.${key}`, "a list of texts"))]);
  if (allow_credentials !== undefined && typeof allow_credentials !== "boolean")
    throw wrong("cors.allow_credentials", "true or false");
  if (max_age !== undefined && typeof max_age !== "number")
    throw wrong("cors.max_age", "a number of seconds");
  if (allow_origin_regex !== undefined && !isPattern(allow_origin_regex))
    throw wrong("cors.allow_origin_regex", "a regular expression");
  const given = Object.fromEntries(read.filter(([, value]) => value !== undefined));
  return { ...given, allow_credentials, allow_origin_regex, max_age };
}

function isPattern(value: unknown): value is string {
  try {
    return typeof value === "string" && new RegExp(value) instanceof RegExp;
  } catch {
    return false;
  }
}

/** Also in the older spelling, with dashes and without the plural. */
function readHeaders(http: Record<string, unknown>, wrong: Wrong): HttpConfig["configurableHeaders"] {
  const given = http.configurable_headers ?? http["configurable-headers"] ?? undefined;
  if (given === undefined) return undefined;
  if (!isRecord(given)) throw wrong("configurable_headers", "an object");
  const fault = () => wrong("configurable_headers", "lists of header names in includes and excludes");
  return {
    includes: texts(given.includes ?? given.include, fault),
    excludes: texts(given.excludes ?? given.exclude, fault),
  };
}

function texts(value: unknown, fault: () => ProjectError): string[] | undefined {
  if (value === undefined || value === null) return undefined;
  if (Array.isArray(value) && value.every((one) => typeof one === "string")) return value;
  throw fault();
}
