import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { emptiedFault, freePagesOf, keyStanding, looking, schemaStatus } from "@berth/store";
import { sizeText } from "../data-folder/index.ts";
import { executableOf, type Program } from "../machine/index.ts";
import { shownDatabase, type Texts } from "../settings/index.ts";
import { type DoctorVerdict, failure, ok, warning } from "./finding.ts";
import { deploymentDatabase, factsOf, isOnServer, nowOf, type Patient, serverOf } from "./patient.ts";

const AHEAD_MS = 60_000;
const FIRST_SANE_YEAR = 2025;
/** So much may this machine's clock differ from the database's. */
const MOST_OFF_MS = 1_000;
/** The oldest version of Postgres that a start takes. */
const OLDEST_SERVER = 14;

/** Whether the databases are what SQLite wrote. */
export async function checkDatabases(patient: Patient): Promise<DoctorVerdict> {
  const { settings } = patient;
  const theirs = ((await factsOf(patient))?.deployments ?? [])
    .map(({ id }) => deploymentDatabase(settings.dataDir, id))
    .filter((file) => existsSync(file));
  if (settings.databaseFile === null) return checkServer(patient, await faultsIn(patient, theirs));
  if (!existsSync(settings.databaseFile)) return ok(`there is none yet at ${settings.databaseFile}`);
  const emptied = await emptiedFault(settings.databaseFile);
  if (emptied !== undefined) return failure(emptied, RESTORE);
  const faults = await faultsIn(patient, [settings.databaseFile, ...theirs]);
  if (faults.length > 0) return failure(faults.join("; "), RESTORE);
  const count = 1 + theirs.length;
  return ok(count === 1 ? "1 database is well" : `${count} databases are well`);
}

const RESTORE = "stop Berth and restore the last backup (berth restore)";

async function faultsIn(patient: Patient, files: readonly string[]): Promise<string[]> {
  const faults: string[] = [];
  for (const file of files) {
    const [first] = await patient.faultsOf(file);
    if (first !== undefined) faults.push(`${file}: ${first}`);
  }
  return faults;
}

/** Whether the server can be used; databases of deployments are files beside it. */
async function checkServer(patient: Patient, faults: readonly string[]): Promise<DoctorVerdict> {
  const name = shownDatabase(patient.settings);
  const server = await serverOf(patient).catch((error) => (error instanceof Error ? error : Error(error)));
  if (server instanceof Error)
    return failure(`${name}: ${server.message}`, "look at DATABASE_URL, and whether the server runs");
  if (server.major < OLDEST_SERVER)
    return failure(`${name} is Postgres ${server.version}`, `use version ${OLDEST_SERVER} or later`);
  if (server.isStandby)
    return failure(`${name} is a standby: nobody can write to it`, "name the primary in DATABASE_URL");
  if (server.isPooledByTransaction)
    return failure(
      `between here and ${name} a pooler gives each transaction another connection`,
      "name the server itself, or a pool in session mode: locks and notifications belong to a connection",
    );
  if (faults.length > 0) return failure(faults.join("; "), RESTORE);
  return ok(`Postgres ${server.version} answers at ${name}`);
}

/** So much of a file may be free before it is worth a word. */
const MOST_FREE = 16 * 2 ** 20;
const MOST_FREE_SHARE = 0.2;

/** Whether a database file holds room that its disk could have. */
export async function checkFreeRoom(patient: Patient): Promise<DoctorVerdict> {
  const { databaseFile } = patient.settings;
  if (databaseFile === null || !existsSync(databaseFile)) return ok("there is no database yet");
  // What cannot be read is a matter of the check of the databases.
  const found = await looking(patient.settings.databaseUrl, freePagesOf).catch(() => null);
  if (found === null) return ok("not known: the database cannot be read");
  const { free, pages, pageBytes, givesBack } = found;
  const text = `${sizeText(free * pageBytes)} of ${sizeText(pages * pageBytes)} are free`;
  if (givesBack) return ok(`${text}; Berth gives back what it does not need`);
  if (free * pageBytes < MOST_FREE || free < pages * MOST_FREE_SHARE)
    return ok(`${text}, for what is stored next`);
  return warning(
    `${text} in ${databaseFile}, which an older Berth made: it does not get smaller by itself`,
    "stop Berth and run berth compact, once",
  );
}

/** Whether this Berth and the database speak of the same tables. */
export async function checkMigrations({ settings }: Patient): Promise<DoctorVerdict> {
  if (settings.databaseFile !== null && !existsSync(settings.databaseFile))
    return ok("there is no database yet");
  const { applied, pending, unknown } = await schemaStatus(settings.databaseUrl);
  if (unknown.length > 0)
    return failure(
      `a newer Berth has written the database (${unknown.join(", ")})`,
      "start it with that one, or a later one",
    );
  if (pending.length > 0)
    return warning(
      `${pending.length} migrations wait: ${pending.join(", ")}`,
      "the next start does them; take a backup first",
    );
  return ok(`all ${applied.length} are done`);
}

/** Whether the secrets of deployments can be read, by Berth and by nobody else. */
export async function checkSecretsKey(patient: Patient): Promise<DoctorVerdict> {
  const { dataDir, secretsKey } = patient.settings;
  const facts = await factsOf(patient);
  const file = join(dataDir, "secrets.key");
  const isThere = existsSync(file);
  const kept =
    'put back the key that Berth used before, as SECRETS_KEY or in that file; if it is lost, "berth secrets forget" deletes the secrets';
  if (secretsKey === null && isOnServer(patient))
    return failure(
      "SECRETS_KEY is not set, and a database on a server needs it",
      isThere ? `set it to the content of ${file}` : "set it to a long random text (openssl rand -hex 32)",
    );
  if (secretsKey === null && !isThere)
    return facts?.holdsSecrets
      ? failure(`${file} is missing, and the database holds secrets`, kept)
      : ok("there is none yet; the first start makes one");
  const key = secretsKey ?? readFileSync(file, "utf8").trim();
  const name = secretsKey === null ? file : "SECRETS_KEY";
  const standing = keyStanding(key, {
    check: facts?.sealedCheck,
    previous: facts?.sealedPrevious,
  });
  if (facts?.sealedCheck && facts.holdsSecrets && standing.is === "none")
    return failure(`${name} is not the key that encrypted the secrets`, kept);
  if (standing.is === "next")
    return warning(`${name} is a new key that has not taken over yet`, "restart Berth");
  const lost = facts?.lostSecrets ?? [];
  if (lost.length > 0)
    return warning(
      `the secrets of these deployments were lost with their key: ${lost.join(", ")}`,
      "set them again, in the console or with berth deploy",
    );
  if (secretsKey !== null) return ok("SECRETS_KEY opens the secrets; a backup does not hold it");
  const { mode } = statSync(file);
  if ((mode & 0o077) !== 0) return warning(`others may read ${file}`, `chmod 600 ${file}`);
  return ok(`${file} opens the secrets`);
}

/** Whether the clock can be right. */
export async function checkClock(patient: Patient): Promise<DoctorVerdict> {
  const now = nowOf(patient);
  const text = new Date(now).toISOString();
  const advice = "set the clock of this machine, and keep it set (NTP)";
  if (new Date(now).getUTCFullYear() < FIRST_SANE_YEAR)
    return failure(`this machine says that it is ${text}`, advice);
  const ahead = isOnServer(patient) ? (await serverOf(patient).catch(() => null))?.aheadMs : undefined;
  if (ahead !== undefined && Math.abs(ahead) > MOST_OFF_MS)
    return failure(
      `it is ${text} here, ${(Math.abs(ahead) / 1_000).toFixed(1)} s ${ahead > 0 ? "ahead of" : "behind"} the database`,
      `${advice}, and that of the database's machine, too`,
    );
  const newest = (await factsOf(patient))?.newestAt ?? 0;
  if (newest > now + AHEAD_MS)
    return warning(
      `it is ${text} here, and the database tells of ${new Date(newest).toISOString()}`,
      `${advice}; leases and webhooks wait until then`,
    );
  return ok(ahead === undefined ? text : `${text}, ${Math.abs(ahead)} ms off the database's`);
}

const LIMIT_MS = 60_000;
const UNTOLD = "the look at it did not come to its end";

/**
 * Has a process of its own look at a database: reading all of a large one would keep this one from everything else.
 * @param environment what this process was started with
 * @param program the one that runs right now
 */
export const faultsByProgram =
  (environment: Texts, program: Program) =>
  async (file: string): Promise<string[]> => {
    const { command, env } = executableOf(program).berth(["check-database", "--file", file]);
    const child = Bun.spawn(command, {
      env: { PATH: environment.PATH, TMPDIR: environment.TMPDIR, ...env },
      stdio: ["ignore", "pipe", "ignore"],
      timeout: LIMIT_MS,
    });
    const text = await new Response(child.stdout).text();
    if ((await child.exited) !== 0) return [text.trim() || UNTOLD];
    return text.split("\n").filter((line) => line !== "");
  };
