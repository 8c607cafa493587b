import type { Deployment, LogLine, PushToken, Revision, UploadTarget } from "../../wire.ts";
import { DeployFailure } from "./failure.ts";

export type Fields = Record<string, unknown>;

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What a command reads of an answer; of another control plane than Berth's, all but what it cannot do without may be missing. */
type Read<Shown, Needed extends keyof Shown> = Pick<Shown, Needed> & Partial<Shown>;
export type ReadDeployment = Read<Deployment, "id" | "name" | "source">;
export type ReadRevision = Read<Revision, "id" | "status">;
export type ReadLogLine = Pick<LogLine, "id" | "timestamp" | "level" | "message">;

export function readDeployment(value: unknown): ReadDeployment {
  return having(value, ["id", "name", "source"]) as ReadDeployment;
}

export function readRevision(value: unknown): ReadRevision {
  return having(value, ["id", "status"]) as ReadRevision;
}

export function readUploadTarget(value: unknown): Pick<UploadTarget, "upload_url" | "object_path"> {
  return having(value, ["upload_url", "object_path"]) as UploadTarget;
}

/** The platform that it names is Berth's own addition. */
export function readPushToken(
  value: unknown,
): Pick<PushToken, "token" | "registry_url"> & Partial<Pick<PushToken, "platform">> {
  return having(value, ["token", "registry_url"]) as PushToken;
}

/** The answer, once it has these texts. */
function having(value: unknown, names: readonly string[]): unknown {
  const fields = fieldsOf(value);
  for (const name of names) text(fields, name);
  return fields;
}

export function readLogLine(value: unknown): ReadLogLine {
  const { id = "", timestamp = "", level, message } = fieldsOf(value);
  const line = { id: String(id), timestamp, level: level || "INFO", message: message || "" };
  // Others tell the time as a text, which is as good.
  return line as ReadLogLine;
}

/** Whether its build is there still; who does not tell keeps all. */
export const isKept = ({ build_kept }: ReadRevision): boolean => build_kept !== false;

/** Where a deployment answers. */
export const urlOf = ({ source_config }: ReadDeployment): string | null => source_config?.custom_url || null;

/** The items of a page of a list: `{resources: […]}`. */
export function readPage<T>(value: unknown, read: (item: unknown) => T): T[] {
  return listOf(fieldsOf(value), "resources").map(read);
}

export function fieldsOf(value: unknown): Fields {
  if (isFields(value)) return value;
  throw strange("an object");
}

export function listOf(fields: Fields, name: string): unknown[] {
  const value = fields[name];
  if (Array.isArray(value)) return value;
  throw strange(`a list "${name}"`);
}

export function text(fields: Fields, name: string): string {
  const value = fields[name];
  if (typeof value === "string") return value;
  throw strange(`a text "${name}"`);
}

export function textOrNull(fields: Fields, name: string): string | null {
  const value = fields[name];
  return typeof value === "string" && value !== "" ? value : null;
}

function strange(missing: string): DeployFailure {
  return new DeployFailure(
    `the answer has no ${missing}: is there a Berth with a control plane at this address? (berth start, not berth serve)`,
  );
}
