import { sql } from "kysely";
import type { Tx } from "../database/index.ts";
import { LOST, lengthOf, newPushSecret, newToken, SecretBox } from "./secret-box.ts";

/** The rows of `secret_check`: what the key in force opens, and the key before it, sealed with the one to come. */
const CHECK_ID = 1;
const PREVIOUS_ID = 2;
const CHECK_OWNER = "secret_check";
const PREVIOUS_OWNER = "secret_previous";

/** What a key is to the secrets of a database. */
type SecretStanding =
  | { is: "current" }
  /** Somebody rotated to it: what is sealed opens with the one before, until it takes over. */
  | { is: "next"; previous: string }
  | { is: "none" };

/** Whether a key opens the secrets now, or is meant to. */
export async function standingOf(db: Tx, key: string): Promise<SecretStanding> {
  const rows = await db.selectFrom("secret_check").selectAll().execute();
  const sealed = (wanted: number) => rows.find(({ id }) => id === wanted)?.sealed;
  return keyStanding(key, { check: sealed(CHECK_ID), previous: sealed(PREVIOUS_ID) });
}

export function keyStanding(
  key: string,
  sealed: { check: string | null | undefined; previous: string | null | undefined },
): SecretStanding {
  const box = new SecretBox(key);
  if (sealed.check && opened(box, sealed.check, CHECK_OWNER) === CHECK_OWNER) return { is: "current" };
  const previous = sealed.previous ? opened(box, sealed.previous, PREVIOUS_OWNER) : undefined;
  return previous === undefined ? { is: "none" } : { is: "next", previous };
}

export const hasCheck = async (db: Tx): Promise<boolean> =>
  (await db.selectFrom("secret_check").select("id").where("id", "=", CHECK_ID).executeTakeFirst()) !==
  undefined;

/** Notes which key opens the secrets from now on; one that was to come is none any more. */
export async function setCheck(tx: Tx, box: SecretBox): Promise<void> {
  await put(tx, CHECK_ID, box.seal(CHECK_OWNER, CHECK_OWNER));
  await tx.deleteFrom("secret_check").where("id", "=", PREVIOUS_ID).execute();
}

/** From now on the next key leads to the one that is in force, and takes over when Berth starts with it. */
export const announceKey = (tx: Tx, next: string, current: string): Promise<void> =>
  put(tx, PREVIOUS_ID, new SecretBox(next).seal(current, PREVIOUS_OWNER));

/** Seals whatever opens with the previous key with this one; what did not open before stays as it is. */
export async function takeOver(tx: Tx, box: SecretBox, previous: SecretBox): Promise<void> {
  for (const table of Object.keys(SEALED_COLUMNS) as (keyof typeof SEALED_COLUMNS)[])
    await rewriteSealed(tx, table, (id, sealed) => resealed(id, sealed, previous, box));
  await setCheck(tx, box);
}

function resealed(id: string, sealed: SealedTexts, from: SecretBox, to: SecretBox): SealedTexts {
  const texts = Object.entries(sealed).flatMap(([name, text]) => {
    const plain = text === null ? undefined : opened(from, text, id);
    return plain === undefined ? [] : [[name, to.seal(plain, id)]];
  });
  return Object.fromEntries(texts);
}

async function put(tx: Tx, id: number, sealed: string): Promise<void> {
  await tx
    .insertInto("secret_check")
    .values({ id, sealed })
    .onConflict((there) => there.column("id").doUpdateSet({ sealed }))
    .execute();
}

function opened(box: SecretBox, sealed: string, owner: string): string | undefined {
  try {
    return box.open(sealed, owner);
  } catch {
    return undefined;
  }
}

/** Every column that holds what a `SecretBox` sealed, for the owner with the id of its row. */
export const SEALED_COLUMNS = {
  deployments: ["secrets", "push_secret"],
  revisions: ["secrets"],
  instances: ["token"],
  deployment_databases: ["secrets"],
  integrations: ["token"],
  listeners: ["credentials"],
  subscriptions: ["headers", "secret"],
  deliveries: ["headers"],
} as const;

/** Sealed texts of a row by their column. */
type SealedTexts = Readonly<Record<string, string | null>>;

const ROWS_AT_ONCE = 500;

/**
 * Puts other texts in the place of the sealed ones of a table, row by row.
 * @param change gives the columns that are to be different
 */
async function rewriteSealed(
  tx: Tx,
  table: keyof typeof SEALED_COLUMNS,
  change: (id: string, sealed: SealedTexts) => SealedTexts,
): Promise<void> {
  const columns = sql.join(SEALED_COLUMNS[table].map((name) => sql.ref(name)));
  for (let last = ""; ; ) {
    const { rows } = await sql<{ id: string } & Record<string, string | null>>`
      select id, ${columns} from ${sql.table(table)} where id > ${last} order by id limit ${ROWS_AT_ONCE}
    `.execute(tx);
    for (const { id, ...sealed } of rows) {
      last = id;
      const changed = Object.entries(change(id, sealed));
      if (changed.length === 0) continue;
      const set = sql.join(changed.map(([name, text]) => sql`${sql.ref(name)} = ${text}`));
      await sql`update ${sql.table(table)} set ${set} where id = ${id}`.execute(tx);
    }
    if (rows.length < ROWS_AT_ONCE) return;
  }
}

/** What nobody can read any more; the names of deployments, integrations, clusters and subscriptions. */
export type Loss = {
  deployments: string[];
  integrations: string[];
  listeners: string[];
  subscriptions: string[];
};

const NO_SECRETS = "[]";

/** Gives up what was sealed with a key that is lost: what can be made anew is, the rest is marked as lost. */
export async function giveUpSecrets(tx: Tx, box: SecretBox): Promise<Loss> {
  await rewriteSealed(tx, "deployments", (id, { secrets = null }) => ({
    secrets: emptyOrLost(box, secrets, id),
    push_secret: box.seal(newPushSecret(), id),
  }));
  await rewriteSealed(tx, "revisions", (id, { secrets = null }) => ({
    secrets: emptyOrLost(box, secrets, id),
  }));
  // Its next start gives it another password, and a key of its own that opens nothing of before.
  await rewriteSealed(tx, "deployment_databases", () => ({ secrets: LOST }));
  await rewriteSealed(tx, "integrations", () => ({ token: LOST }));
  await rewriteSealed(tx, "listeners", (_, sealed) => lostTexts(sealed));
  await rewriteSealed(tx, "subscriptions", (_, sealed) => lostTexts(sealed));
  await rewriteSealed(tx, "deliveries", (_, sealed) => lostTexts(sealed));
  await forgetInstances(tx, box);
  await tx
    .updateTable("subscriptions")
    .set({
      state: "disabled",
      notice: "Its secrets were lost with their key: set them again, then enable it.",
    })
    .where(({ or, eb }) => or([eb("secret", "=", LOST), eb("headers", "=", LOST)]))
    .execute();
  await setCheck(tx, box);
  return lossOf(tx);
}

/** What was sealed and is marked as lost. */
async function lossOf(tx: Tx): Promise<Loss> {
  const deployments = await tx.selectFrom("deployments").select("name").where("secrets", "=", LOST).execute();
  const integrations = await tx.selectFrom("integrations").select("name").where("token", "=", LOST).execute();
  const listeners = await tx
    .selectFrom("listeners")
    .select("compute_id as name")
    .where("credentials", "=", LOST)
    .execute();
  const subscriptions = await tx
    .selectFrom("subscriptions")
    .select("id as name")
    .where(({ or, eb }) => or([eb("secret", "=", LOST), eb("headers", "=", LOST)]))
    .execute();
  const names = (rows: { name: string }[]) => rows.map(({ name }) => name).sort();
  return {
    deployments: names(deployments),
    integrations: names(integrations),
    listeners: names(listeners),
    subscriptions: names(subscriptions),
  };
}

/** A deployment without secrets has lost none. */
const emptyOrLost = (box: SecretBox, sealed: string | null, id: string): string =>
  sealed !== null && lengthOf(sealed) === NO_SECRETS.length ? box.seal(NO_SECRETS, id) : LOST;

const lostTexts = (sealed: Readonly<Record<string, string | null>>) =>
  Object.fromEntries(Object.entries(sealed).flatMap(([name, text]) => (text === null ? [] : [[name, LOST]])));

/** Nobody could talk to what still runs: the next start ends it, and starts what serves anew. */
async function forgetInstances(tx: Tx, box: SecretBox): Promise<void> {
  await rewriteSealed(tx, "instances", (id) => ({ token: box.seal(newToken(), id) }));
  const nowhere = { pid: null, pid_started: null, container: null, port: null, retry_at: null };
  await tx.updateTable("instances").set(nowhere).where("state", "=", "serving").execute();
  await tx
    .updateTable("instances")
    .set({ ...nowhere, state: "gone", exit: "its token was lost" })
    .where("state", "not in", ["serving", "gone"])
    .execute();
}
