import { DEPLOYMENT_MARK } from "../../../machine/index.ts";
import { type Launch, StartFailed } from "../driver.ts";
import { databaseNames, type HandOn, imageTracingNames, platformNames } from "../environment.ts";

/** Where a deployment's data folder is in its containers. */
export const DATA_FOLDER = "/berth/data";

/** What a container has to know beside what was launched. */
export type Whereabouts = {
  /** What Berth was told for all deployments. */
  handOn: HandOn;
  host: string;
  port: number;
  publicUrl: string;
  /** Where it reaches Berth, for its traces; null where it cannot. */
  berthUrl: string | null;
};

/** How an engine is given a container's environment without anybody seeing it among its arguments. */
export type GivenEnvironment = {
  /** Lines of a file for `--env-file`. */
  file: string;
  /** What no such file can hold; to be named by `--env` and set for the engine's command itself. */
  variables: Record<string, string>;
};

/** Engines read files line by line, up to 64 KiB; some of them take quotes away. */
const PLAIN = /^(?!["'`])[^\r\n]*$/;
const LONGEST = 32_768;
/** What engines and the programs beneath them read: a deployment must not tell them what to do. */
const ENGINES =
  /^(?:_?CONTAINERS?_|DOCKER|PODMAN|BUILD|STORAGE_|REGISTR|XDG_|DBUS_|SSH_|SSL_|LD_|GO|CNI_|NETAVARK|OCI_|NOTIFY|LISTEN_|RUST|HOME$|PATH$|TMP|USER$|SHELL$|LANG|LC_|TZ)|_?PROXY$/i;

/** The environment of a deployment's container: its image has `PATH`, `HOME` and the like of its own. */
export function containerEnvironment(
  launch: Launch,
  { handOn, host, port, publicUrl, berthUrl }: Whereabouts,
): Record<string, string> {
  const { deployment, revision, instance, secrets, standby, database } = launch;
  return {
    LOG_FORMAT: "json",
    NO_PROXY: "localhost,127.0.0.1,::1",
    ...handOn(launch),
    ...platformNames(launch),
    ...Object.fromEntries(secrets.map(({ name, value }) => [name, value])),
    [DEPLOYMENT_MARK]: deployment.id,
    LANGSMITH_HOST_REVISION_ID: revision.id,
    LANGSMITH_TENANT_ID: deployment.workspace_id,
    HOST: host,
    PORT: String(port),
    PUBLIC_URL: publicUrl,
    DATA_DIR: DATA_FOLDER,
    ...databaseNames(database, DATA_FOLDER),
    GATEWAY_TOKEN: instance.token,
    STANDBY: String(standby),
    ...imageTracingNames(launch, berthUrl),
  };
}

/** @throws StartFailed a value can be given in neither way */
export function givenEnvironment(environment: Readonly<Record<string, string>>): GivenEnvironment {
  const lines: string[] = [];
  const variables: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    if (PLAIN.test(value) && value.length <= LONGEST) lines.push(`${name}=${value}\n`);
    else if (!ENGINES.test(name)) variables[name] = value;
    else throw new StartFailed(`The secret ${name} has to be one line without quotes in a container`);
  }
  return { file: lines.join(""), variables };
}
