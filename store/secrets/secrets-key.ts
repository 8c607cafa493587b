import { randomBytes } from "node:crypto";
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { type Database, isControlled, pidsHere, type Tx } from "../database/index.ts";
import { Conflict } from "../errors.ts";
import {
  announceKey,
  giveUpSecrets,
  hasCheck,
  type Loss,
  setCheck,
  standingOf,
  takeOver,
} from "./rotation.ts";
import { SecretBox, WrongSecretsKey } from "./secret-box.ts";

const KEY_BYTES = 32;

type SecretsKeyPlace = {
  dataDir: string;
  /** `SECRETS_KEY`; without it the key is in the file `secrets.key` of the data folder, made when there is none. */
  secretsKey: string | null;
};

/** How one gets out of it where the key is lost. */
const OR_FORGET = 'If the key is lost, "berth secrets forget" deletes the secrets';

const fileIn = (place: SecretsKeyPlace): string => join(place.dataDir, "secrets.key");

/**
 * The box that the secrets of this database are sealed with. A key that somebody rotated to takes over here, unless
 * another Berth is at work on the database with the one before.
 * @throws WrongSecretsKey the database holds secrets that this key does not open; the message says what to do
 */
export async function openSecretBox(db: Database, place: SecretsKeyPlace): Promise<SecretBox> {
  const file = fileIn(place);
  const given = place.secretsKey || undefined;
  if (given === undefined && !existsSync(file) && (await isSealed(db.read))) {
    throw new WrongSecretsKey(
      `${file} is missing, but the database has secrets that this key or SECRETS_KEY encrypted: put the file back, or set SECRETS_KEY. ${OR_FORGET}`,
    );
  }
  const key = given ?? keyFile(file, place.dataDir);
  const box = await db.write((tx) => boxOf(db, tx, key));
  if (box) return box;
  const name = given === undefined ? file : "SECRETS_KEY";
  throw new WrongSecretsKey(
    `${name} is not the key that encrypted the secrets in the database: start Berth with that key. ${OR_FORGET}`,
  );
}

/** Where nothing is sealed yet, any key will do. */
async function boxOf(db: Database, tx: Tx, key: string): Promise<SecretBox | undefined> {
  const box = new SecretBox(key);
  const standing = await standingOf(tx, key);
  if (standing.is === "current") return box;
  if (standing.is === "next") {
    const previous = new SecretBox(standing.previous);
    if (await isControlled(tx, pidsHere(db), db.clock)) return previous;
    await takeOver(tx, box, previous);
    return box;
  }
  if (await isSealed(tx)) return undefined;
  await setCheck(tx, box);
  return box;
}

/**
 * Has another key seal the secrets from the next start on. Until then the one in force stays in force, also for a Berth
 * that runs.
 * @returns the new key, where it has to be set as SECRETS_KEY; without one it is in the key file already
 * @throws WrongSecretsKey
 */
export async function rotateSecretsKey(db: Database, place: SecretsKeyPlace): Promise<string | null> {
  const file = fileIn(place);
  const next = newKey();
  if (place.secretsKey === null && !existsSync(file)) await openSecretBox(db, place);
  const key = place.secretsKey ?? keyFile(file, place.dataDir);
  const isKnown = await db.write(async (tx) => {
    const standing = await standingOf(tx, key);
    if (standing.is === "none" && (await isSealed(tx))) return false;
    if (standing.is === "none") await setCheck(tx, new SecretBox(key));
    await announceKey(tx, next, standing.is === "next" ? standing.previous : key);
    return true;
  });
  if (!isKnown)
    throw new WrongSecretsKey(
      `${place.secretsKey === null ? file : "SECRETS_KEY"} is not the key that encrypted the secrets: you need that key to rotate. ${OR_FORGET}`,
    );
  if (place.secretsKey !== null) return next;
  // The database knows both by now: whichever of them is in the file opens everything.
  writeKeyFile(file, next, renameSync);
  return null;
}

/**
 * Gives up the secrets of a database whose key is lost: Berth starts with the key that it is given now, or makes one.
 * @throws Conflict nothing is lost: there are none, the key opens them, or a Berth is at work, which has it
 */
export async function forgetSecrets(db: Database, place: SecretsKeyPlace): Promise<Loss> {
  const file = fileIn(place);
  if (await isControlled(db.read, pidsHere(db), db.clock))
    throw new Conflict("a Berth with the key runs on this database: stop it first");
  if (!(await isSealed(db.read)))
    throw new Conflict("the database has no secrets: there is nothing to delete");
  const key = place.secretsKey ?? keyFile(file, place.dataDir);
  return db.write(async (tx) => {
    const standing = await standingOf(tx, key);
    if (standing.is !== "none")
      throw new Conflict("the key opens the secrets: there is no need to delete them");
    return giveUpSecrets(tx, new SecretBox(key));
  });
}

const isSealed = async (db: Tx): Promise<boolean> => (await hasCheck(db)) && (await holdsSecrets(db));

async function holdsSecrets(db: Tx): Promise<boolean> {
  for (const table of ["deployments", "integrations", "subscriptions"] as const) {
    if (await db.selectFrom(table).select("id").limit(1).executeTakeFirst()) return true;
  }
  const clusters = db.selectFrom("listeners").select("id").where("credentials", "is not", null);
  return (await clusters.limit(1).executeTakeFirst()) !== undefined;
}

function keyFile(file: string, folder: string): string {
  try {
    mkdirSync(folder, { recursive: true });
    if (!existsSync(file)) writeKeyFile(file, newKey(), linkSync);
    const key = readFileSync(file, "utf8").trim();
    if (key.length >= KEY_BYTES) return key;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new WrongSecretsKey(`cannot use the key file ${file}: ${reason}`, { cause });
  }
  throw new WrongSecretsKey(`${file} holds no key`);
}

const newKey = () => randomBytes(KEY_BYTES).toString("base64url");

/**
 * Written under another name first, so that it is whole wherever it is seen.
 * @param place `linkSync` leaves one that is there: of two processes that start at once, both end up with the same key
 */
function writeKeyFile(file: string, key: string, place: (from: string, to: string) => void): void {
  const draft = `${file}.${randomBytes(6).toString("hex")}`;
  const descriptor = openSync(draft, "wx", 0o600);
  try {
    writeSync(descriptor, `${key}\n`);
    fsyncSync(descriptor);
    place(draft, file);
  } catch (error) {
    if (place !== linkSync || !existsSync(file)) throw error;
  } finally {
    closeSync(descriptor);
    rmSync(draft, { force: true });
  }
}
