import type { Tx } from "../database/index.ts";
import { rewriteSealed, setCheck } from "./rotation.ts";
import { LOST, lengthOf, newPushSecret, newToken, type SecretBox } from "./secret-box.ts";

/** What nobody can read any more; the names of deployments, integrations and subscriptions. */
export type Loss = { deployments: string[]; integrations: string[]; subscriptions: string[] };

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
  await rewriteSealed(tx, "integrations", () => ({ token: LOST }));
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
  const subscriptions = await tx
    .selectFrom("subscriptions")
    .select("id as name")
    .where(({ or, eb }) => or([eb("secret", "=", LOST), eb("headers", "=", LOST)]))
    .execute();
  const names = (rows: { name: string }[]) => rows.map(({ name }) => name).sort();
  return {
    deployments: names(deployments),
    integrations: names(integrations),
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
