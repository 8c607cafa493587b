import { randomBytes } from "node:crypto";
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import type { Database, Tx } from "../database.ts";
import { SecretBox, WrongSecretsKey } from "./secret-box.ts";

const KEY_BYTES = 32;
const CHECK_OWNER = "secret_check";

export type SecretsKeyPlace = {
  dataDir: string;
  /** `SECRETS_KEY`; without it the key is in the file `secrets.key` of the data folder, made when there is none. */
  secretsKey: string | null;
};

/**
 * The box that the secrets of this database are sealed with.
 * @throws WrongSecretsKey the database holds secrets that this key does not open; the message says what to do
 */
export async function openSecretBox(db: Database, place: SecretsKeyPlace): Promise<SecretBox> {
  const file = join(place.dataDir, "secrets.key");
  const given = place.secretsKey || undefined;
  if (given === undefined && !existsSync(file) && (await holdsSecrets(db.read))) {
    throw new WrongSecretsKey(
      `${file} is missing, and the database holds secrets that were sealed with it or with SECRETS_KEY: put it back, or set SECRETS_KEY`,
    );
  }
  const box = new SecretBox(given ?? keyFile(file, place.dataDir));
  if (await db.write((tx) => isKeyOf(tx, box))) return box;
  const name = given === undefined ? file : "SECRETS_KEY";
  throw new WrongSecretsKey(
    `${name} is not the key that the secrets in the database were sealed with: start Berth with the one that was`,
  );
}

/** Compares the key with the one of the last start; where nothing is sealed yet, any will do. */
async function isKeyOf(tx: Tx, box: SecretBox): Promise<boolean> {
  const row = await tx.selectFrom("secret_check").select("sealed").where("id", "=", 1).executeTakeFirst();
  if (row && opens(box, row.sealed)) return true;
  if (row && (await holdsSecrets(tx))) return false;
  const sealed = box.seal(CHECK_OWNER, CHECK_OWNER);
  await tx
    .insertInto("secret_check")
    .values({ id: 1, sealed })
    .onConflict((there) => there.column("id").doUpdateSet({ sealed }))
    .execute();
  return true;
}

/** Whether a key is the one that the secrets of a database were sealed with. */
export const opensCheck = (key: string, sealedCheck: string): boolean =>
  opens(new SecretBox(key), sealedCheck);

function opens(box: SecretBox, sealed: string): boolean {
  try {
    return box.open(sealed, CHECK_OWNER) === CHECK_OWNER;
  } catch {
    return false;
  }
}

async function holdsSecrets(db: Tx): Promise<boolean> {
  for (const table of ["deployments", "integrations", "subscriptions"] as const) {
    if (await db.selectFrom(table).select("id").limit(1).executeTakeFirst()) return true;
  }
  return false;
}

function keyFile(file: string, folder: string): string {
  try {
    mkdirSync(folder, { recursive: true });
    if (!existsSync(file)) makeKeyFile(file);
    const key = readFileSync(file, "utf8").trim();
    if (key.length >= KEY_BYTES) return key;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new WrongSecretsKey(`cannot use the key file ${file}: ${reason}`, { cause });
  }
  throw new WrongSecretsKey(`${file} holds no key`);
}

/** Written under another name first: of two processes that start at once, both end up with the same whole key. */
function makeKeyFile(file: string): void {
  const draft = `${file}.${randomBytes(6).toString("hex")}`;
  const descriptor = openSync(draft, "wx", 0o600);
  try {
    writeSync(descriptor, `${randomBytes(KEY_BYTES).toString("base64url")}\n`);
    fsyncSync(descriptor);
    linkSync(draft, file);
  } catch (error) {
    if (!existsSync(file)) throw error;
  } finally {
    closeSync(descriptor);
    rmSync(draft, { force: true });
  }
}
