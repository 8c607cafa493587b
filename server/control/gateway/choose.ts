import type { Serving } from "./targets.ts";

const THREAD = /\/threads\/([\w-]+)/;

/**
 * Which of the instances of a deployment a request goes to. Those of one thread go to the same one, as long as the
 * same ones serve: it runs what it is asked to, so it tells of it at once. All others go where least is open.
 * @param url of the request
 * @param inFlight requests that are open at an instance
 */
export function choose(
  instances: readonly Serving[],
  url: string,
  inFlight: (instanceId: string) => number,
): Serving | undefined {
  if (instances.length < 2) return instances[0];
  const thread = THREAD.exec(url)?.[1];
  if (thread !== undefined) return instances[Number(Bun.hash(thread) % BigInt(instances.length))];
  return instances.reduce((best, one) => (inFlight(one.id) < inFlight(best.id) ? one : best));
}
