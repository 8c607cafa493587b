import type { Instance } from "@berth/store";
import type { Launch } from "../run/index.ts";
import { endingOf } from "./jobs.ts";
import { driverFor, type Parts } from "./parts.ts";

/** Stops an instance for good, keeps what it said, removes its files and forgets where it was. */
export async function discard(
  parts: Parts,
  instance: Instance,
  graceMs: number,
  exit: string,
): Promise<void> {
  // It may have been started since it was read.
  const latest = (await parts.instances.get(instance.id)) ?? instance;
  await driverFor(parts, latest).stop(latest, graceMs);
  await parts.readLog(latest);
  await parts.removeFiles(latest);
  await parts.instances.set(latest.id, { ...NOWHERE, state: "gone", exit });
}

/** What a row says of an instance that does not run. */
export const NOWHERE = { pid: null, pid_started: null, container: null, port: null, address: null } as const;

/** What a row says of an instance that does not sleep. */
export const AWAKE = { asleep_since: null, wake_at: null } as const;

/** Another process on this database may learn so much later that something else serves, or nothing. */
export const LATE_NEWS_MS = 500;

/** Whether an instance runs; undefined when nobody can tell, such as when a container engine does not answer. */
export async function judge(parts: Parts, instance: Instance): Promise<boolean | undefined> {
  if (instance.pid === null && instance.container === null) return false;
  try {
    return await driverFor(parts, instance).isAlive(instance);
  } catch (error) {
    parts.logger.warn("instance.unknown", { instance: instance.id, error });
    return undefined;
  }
}

/**
 * Starts an instance; answers false when the start was broken off, because nobody wants it any more or the time
 * is over. Then what was started is stopped, except at a handover: the next leader decides about it.
 * @throws StartFailed
 */
export async function startUnlessEnded(
  parts: Parts,
  launch: Launch,
  signal: AbortSignal,
  limitMs = Number.POSITIVE_INFINITY,
): Promise<boolean> {
  const driver = driverFor(parts, launch.instance);
  const started = new AbortController();
  const either = AbortSignal.any([signal, started.signal]);
  const starting = driver.start(launch).finally(() => started.abort());
  const first = await Promise.race([
    starting.then(() => "started"),
    parts.timing.pause(limitMs, either).then(() => "over"),
  ]);
  if (first === "started" || (started.signal.aborted && !signal.aborted)) {
    await starting;
    return true;
  }
  const broken = starting.catch(() => undefined);
  if (endingOf(signal) === "handover") return false;
  // Stopping it has the start fail; it may not have been written down yet when it is looked for first.
  while (!started.signal.aborted) {
    const latest = (await parts.instances.get(launch.instance.id)) ?? launch.instance;
    await driver.stop(latest, 0);
    await Promise.race([broken, parts.timing.pause(STOP_AGAIN_MS)]);
  }
  return false;
}

const STOP_AGAIN_MS = 200;
