import { Conflict, type Database, Members, pidsHere, type SeenMember } from "@berth/store";
import type { Gateway } from "./gateway/index.ts";
import type { Leadership, Reconciler } from "./reconcile/index.ts";

/** What becomes of the deployed instances when Berth stops: the next start adopts those that were left. */
export type DeploymentsAtStop = "stop" | "leave";

/** How long requests to deployed instances may take to end when Berth leaves the instances to the next start. */
const LAST_ANSWERS_MS = 5_000;
/** What ending processes takes beyond the time that they are given. */
const STOP_EXTRA_MS = 10_000;

type ControlStopDeps = {
  db: Database;
  /** The place of this machine, where several share the database. */
  here: string | null;
  leadership: Leadership;
  reconciler: Reconciler;
  gateway: Gateway;
};

/** Ends the leadership of a process and its gateway, and stops its instances unless they are left to the next start. */
export async function stopControl(
  { db, here, leadership, reconciler, gateway }: ControlStopDeps,
  graceSeconds: number,
  deployments: DeploymentsAtStop,
): Promise<void> {
  // The timer loop goes on for a while, and would lead again.
  await leadership.rest();
  if (deployments === "leave" && !(await isTakenOver(db, here))) {
    await gateway.stop(LAST_ANSWERS_MS);
    await reconciler.end();
  } else {
    const limit = Bun.sleep(graceSeconds * 1_000 + STOP_EXTRA_MS).then(() => "late" as const);
    if ((await Promise.race([reconciler.stop(), limit])) === "late") await reconciler.kill();
  }
  await leadership.resign();
  await gateway.stop();
}

/**
 * Stops the instances that earlier processes left here.
 * @throws Conflict another process has the database file
 */
export async function stopLeft({ here, leadership, reconciler }: ControlStopDeps): Promise<void> {
  const isLeader = await leadership.during(() => reconciler.stopLeft());
  if (!isLeader && here !== null) await reconciler.endAllStrays();
  else if (!isLeader) throw new Conflict("Another Berth has this database");
}

/**
 * Whether a Berth with another data folder will lead the database next. It starts the deployments itself, so that
 * those here would serve nobody.
 */
async function isTakenOver(db: Database, here: string | null): Promise<boolean> {
  if (here === null) return false;
  const place = pidsHere(db);
  const isOwn = (member: SeenMember) => member.place === place && Number(member.pid) === process.pid;
  const members = await new Members(db, db.clock).list();
  return members.some((member) => !isOwn(member) && member.roles.split(" ").includes("control"));
}
