import { sql } from "kysely";
import { prepared, type Tx } from "../database/index.ts";

export type Counter = "logs" | "changes" | "integrations" | "uid";

const FIRST_UID = 40_000;
/** Above are `nobody` and, in most containers, users that do not exist. */
const LAST_UID = 59_999;

/** Where a database may begin: far apart, so that several Berths on a machine hardly ever share a user. */
const BLOCK = 100;

type Take = { name: Counter; count: number };

const advance = prepared<Take, { last: number }>((db, { name, count }) =>
  db
    .updateTable("control_counters")
    .set({ last: sql<number>`last + ${count}` })
    .where("name", "=", name)
    .returning("last"),
);

/**
 * Takes the next `count` numbers; nobody else gets them.
 * @returns the first of them
 */
export async function takeNumbers(tx: Tx, name: Counter, count = 1): Promise<number> {
  const [row] = await advance(tx, { name, count });
  if (!row) throw new Error(`there is no counter ${name}`);
  return Number(row.last) - count + 1;
}

/** A user id that no deployment has, and as long as there are enough none ever had: files left behind are nobody's. */
export async function takeUid(tx: Tx): Promise<number> {
  await beginSomewhere(tx);
  const fresh = await takeNumbers(tx, "uid");
  return fresh <= LAST_UID ? fresh : lowestFree(tx);
}

async function lowestFree(tx: Tx): Promise<number> {
  const rows = await tx.selectFrom("deployments").select("uid").orderBy("uid").execute();
  let free = FIRST_UID;
  for (const { uid } of rows) {
    if (Number(uid) > free) break;
    free = Number(uid) + 1;
  }
  return free;
}

async function beginSomewhere(tx: Tx): Promise<void> {
  const blocks = (LAST_UID + 1 - FIRST_UID) / BLOCK;
  const first = FIRST_UID + BLOCK * Math.floor(Math.random() * blocks);
  await tx
    .updateTable("control_counters")
    .set({ last: first - 1 })
    .where("name", "=", "uid")
    .where("last", "=", FIRST_UID - 1)
    .execute();
}
