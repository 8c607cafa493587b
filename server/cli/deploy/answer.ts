import { DeployFailure } from "./failure.ts";

export type Fields = Record<string, unknown>;

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A deployment as far as the commands look at it. */
export type Deployment = {
  id: string;
  name: string;
  source: string;
  tenantId: string;
  url: string | null;
  activeRevisionId: string | null;
  /** How its newest revision is; null where the server does not tell. */
  latestStatus: string | null;
  tarballPath: string | null;
  imageUri: string | null;
};

/** A revision as far as the commands look at it; what only Berth tells may be missing. */
export type Revision = {
  id: string;
  status: string;
  createdAt: string;
  message: string | null;
  deployedAt: string | null;
  /** False once its build was removed. */
  buildKept: boolean;
  /** The names of whose keys made it, and deployed it last. */
  createdBy: string | null;
  deployedBy: string | null;
};

export type LogLine = { id: string; at: number | string; level: string; message: string };

export function readDeployment(value: unknown): Deployment {
  const deployment = fieldsOf(value);
  const config = isFields(deployment.source_config) ? deployment.source_config : {};
  const revision = isFields(deployment.source_revision_config) ? deployment.source_revision_config : {};
  return {
    id: text(deployment, "id"),
    name: text(deployment, "name"),
    source: text(deployment, "source"),
    tenantId: textOrNull(deployment, "tenant_id") ?? "",
    url: textOrNull(config, "custom_url"),
    activeRevisionId: textOrNull(deployment, "active_revision_id"),
    latestStatus: textOrNull(deployment, "latest_revision_status"),
    tarballPath: textOrNull(revision, "source_tarball_path"),
    imageUri: textOrNull(revision, "image_uri"),
  };
}

export function readRevision(value: unknown): Revision {
  const revision = fieldsOf(value);
  return {
    id: text(revision, "id"),
    status: text(revision, "status"),
    createdAt: textOrNull(revision, "created_at") ?? "",
    message: textOrNull(revision, "status_message"),
    deployedAt: textOrNull(revision, "deployed_at"),
    buildKept: revision.build_kept !== false,
    createdBy: authorIn(revision.created_by),
    deployedBy: authorIn(revision.deployed_by),
  };
}

const authorIn = (value: unknown): string | null => (isFields(value) ? textOrNull(value, "name") : null);

export function readLogLine(value: unknown): LogLine {
  const line = fieldsOf(value);
  const at = line.timestamp;
  return {
    id: String(line.id ?? ""),
    at: typeof at === "number" ? at : String(at ?? ""),
    level: textOrNull(line, "level") ?? "INFO",
    message: textOrNull(line, "message") ?? "",
  };
}

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
    `the answer has not ${missing}: is there a Berth with a control plane at this address? (berth start, not berth serve)`,
  );
}
