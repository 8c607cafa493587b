import { readFileSync } from "node:fs";
import { isRecord } from "@berth/agent";
import type { ClusterCredentials } from "@berth/store";
import type { Texts } from "../../../settings/index.ts";

/** What lets Berth into the API server of a cluster. */
export type ClusterAccess = {
  server: URL;
  /** PEM of who signed the server's certificate; the system's authorities where it is not given. */
  ca: string | null;
  /** Asked anew for each request: the token of a service account changes. */
  token: () => string | null;
  /** PEM of a client certificate. */
  certificate: { cert: string; key: string } | null;
  /** The namespace to use where nothing else is said. */
  namespace: string;
};

/** Credentials that let nobody in; the message is for whoever gave them. */
export class UnusableCredentials extends Error {
  override name = "UnusableCredentials";
}

const DEFAULT_NAMESPACE = "default";
const SERVICE_ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount";
const FLATTEN = "`kubectl config view --minify --flatten` writes one that holds everything";

/**
 * Reads what lets Berth into a cluster. A kubeconfig may name neither files of this machine nor programs to run.
 * @throws UnusableCredentials
 */
export function accessOf(credentials: ClusterCredentials, environment: Texts): ClusterAccess {
  return "kubeconfig" in credentials
    ? accessByKubeconfig(credentials.kubeconfig)
    : accessFromInside(environment);
}

/** As a pod is let in, by its service account. */
function accessFromInside({
  KUBERNETES_SERVICE_HOST: host,
  KUBERNETES_SERVICE_PORT: port,
}: Texts): ClusterAccess {
  if (!host)
    throw new UnusableCredentials("Berth does not run in a cluster: KUBERNETES_SERVICE_HOST is not set");
  const name = host.includes(":") ? `[${host}]` : host;
  const read = (file: string) => readFileSync(`${SERVICE_ACCOUNT}/${file}`, "utf8").trim();
  try {
    return {
      server: new URL(`https://${name}:${port ?? "443"}`),
      ca: read("ca.crt"),
      token: () => read("token"),
      certificate: null,
      namespace: read("namespace"),
    };
  } catch (cause) {
    throw new UnusableCredentials("This pod has no service account to use", { cause });
  }
}

function accessByKubeconfig(text: string): ClusterAccess {
  const config = parsed(text);
  const context = named(
    config.contexts,
    "context",
    textIn(config, "current-context") ?? "",
    "current-context",
  );
  const cluster = named(config.clusters, "cluster", textIn(context, "cluster") ?? "", "cluster");
  const user = named(config.users, "user", textIn(context, "user") ?? "", "user");
  refuseForeign(cluster, ["certificate-authority", "proxy-url"]);
  refuseForeign(user, ["client-certificate", "client-key", "tokenFile", "exec", "auth-provider"]);
  if (cluster["insecure-skip-tls-verify"] === true)
    throw new UnusableCredentials("insecure-skip-tls-verify is refused: give certificate-authority-data");
  return {
    server: serverOf(textIn(cluster, "server")),
    ca: pem(cluster, "certificate-authority-data"),
    ...identityOf(user),
    namespace: textIn(context, "namespace") ?? DEFAULT_NAMESPACE,
  };
}

function identityOf(user: Record<string, unknown>): Pick<ClusterAccess, "token" | "certificate"> {
  const token = textIn(user, "token") ?? null;
  const cert = pem(user, "client-certificate-data");
  const key = pem(user, "client-key-data");
  if (token === null && (cert === null || key === null))
    throw new UnusableCredentials(
      "The user of the kubeconfig has neither a token nor a client certificate with its key",
    );
  return { token: () => token, certificate: cert !== null && key !== null ? { cert, key } : null };
}

function parsed(text: string): Record<string, unknown> {
  try {
    const value: unknown = Bun.YAML.parse(text);
    if (isRecord(value)) return value;
  } catch (cause) {
    throw new UnusableCredentials("The kubeconfig is not YAML", { cause });
  }
  throw new UnusableCredentials("The kubeconfig is not an object");
}

/** An entry of one of a kubeconfig's lists. */
function named(list: unknown, member: string, name: string, what: string): Record<string, unknown> {
  const entries: unknown[] = Array.isArray(list) ? list : [];
  const entry = entries.find((one) => isRecord(one) && one.name === name);
  const value = isRecord(entry) ? entry[member] : undefined;
  if (!isRecord(value))
    throw new UnusableCredentials(`The kubeconfig has no ${what} of the name ${JSON.stringify(name)}`);
  return value;
}

/** What would have Berth read files of its own machine, or run a program there. */
function refuseForeign(from: Record<string, unknown>, fields: readonly string[]): void {
  const found = fields.find((field) => from[field] !== undefined && from[field] !== null);
  if (found) throw new UnusableCredentials(`'${found}' is refused in a kubeconfig: ${FLATTEN}`);
}

function serverOf(text: string | undefined): URL {
  const url = URL.parse(text ?? "");
  if (url?.protocol !== "https:" || url.username !== "" || url.search !== "" || url.hash !== "")
    throw new UnusableCredentials("The server of the kubeconfig has to be an https address");
  return url;
}

function pem(from: Record<string, unknown>, field: string): string | null {
  const encoded = textIn(from, field);
  if (encoded === undefined) return null;
  const decoded = Buffer.from(encoded, "base64").toString("utf8");
  if (!decoded.includes("-----BEGIN "))
    throw new UnusableCredentials(`'${field}' of the kubeconfig is not PEM in base64`);
  return decoded;
}

function textIn(from: Record<string, unknown>, field: string): string | undefined {
  const value = from[field];
  return typeof value === "string" && value !== "" ? value : undefined;
}
