import type { Instance } from "@berth/store";
import { NOWHERE } from "./instances.ts";
import { driverFor, type Machines, type Parts } from "./parts.ts";

const GONE = "the machine that ran it does not lead any more";

/**
 * What another machine ran is this one's from now on: what serves is started here. Whatever still runs there gets to
 * the deployment's database no more.
 * @returns the instances that run here already
 */
export async function takeOver(parts: Parts, live: readonly Instance[]): Promise<Instance[]> {
  const { machines } = parts;
  if (!machines) return [...live];
  const isMoved = ({ place }: Instance) => place !== null && place !== machines.here;
  const moved = live.filter(isMoved);
  for (const id of new Set(moved.map(({ deployment_id }) => deployment_id)))
    await attempted(parts, id, () => machines.fence(id));
  for (const instance of moved) await takeOne(parts, machines, instance);
  for (const { deployment_id } of moved) parts.traffic.switched(deployment_id);
  return live.filter((instance) => !isMoved(instance));
}

async function takeOne(parts: Parts, machines: Machines, instance: Instance): Promise<void> {
  const { id, state, place, pid, container } = instance;
  // Another Berth of this machine that is dead has left it.
  if ((pid !== null || container !== null) && machines.seesPids(place ?? ""))
    await attempted(parts, id, () => driverFor(parts, instance).stop(instance, 0));
  // Of a time when it ran here before: its log begins anew.
  await parts.removeFiles(instance);
  const nowhere = { ...NOWHERE, place: null, log_offset: 0 };
  const serves = state === "serving";
  await parts.instances.set(
    id,
    serves ? { ...nowhere, retry_at: null } : { ...nowhere, state: "gone", exit: GONE },
  );
}

/** One that cannot be reached keeps nobody from taking over the others. */
async function attempted({ logger }: Parts, what: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    logger.error("takeover.left_running", { what, error });
  }
}
