import { Fault, NotFound } from "@berth/store";
import { deployment } from "../../access/index.ts";
import type { Access, Caller, Cors } from "../../http/index.ts";
import type { Gateway } from "./gateway.ts";
import { unknownDeployment } from "./refusals.ts";
import { isBetweenBerths, targetOf, type Visiting } from "./visit.ts";

export type PassingDeps = { gateway: Gateway; access: Access; cors: Cors };

const UNAUTHENTICATED = 401;

/**
 * Passes a request on to its deployment, for somebody who may use it.
 * @throws Unauthenticated, Denied, NotFound
 */
export async function passOn({ gateway, access }: PassingDeps, visit: Visiting): Promise<Response> {
  refuseClaim(visit);
  const admit = admission(access, visit);
  const caller = visit.call.caller ?? (await admit());
  const response = await gateway.handle({ ...visit, admit, caller });
  if (caller?.atOwnAuth?.isStranger && response.status === UNAUTHENTICATED) access.refused(visit.request);
  return response;
}

/** The same for whoever it is, where the deployment is to be asked what it shows to nobody in particular. */
export async function passToAnybody(deps: PassingDeps, visit: Visiting): Promise<Response> {
  refuseClaim(visit);
  const { gateway, access, cors } = deps;
  const { request, call, deploymentId, isPreflight } = visit;
  const admit = admission(access, visit);
  const response = await gateway.handle({ ...visit, admit, caller: null }).catch(unlessUnknown);
  if (response && call.isPassedOn === true) return response;
  // Nobody in particular learns that it serves, and nothing of one that does not, nor of one that is not there.
  const allowed = isPreflight ? cors.preflight(request, deployment, access.isGuarded(deployment)) : undefined;
  if (allowed) return allowed;
  const caller = await whoMay(admit);
  if (caller === undefined) throw unknownDeployment(deploymentId);
  return gateway.handle({ ...visit, admit, caller });
}

/** Who may call the deployment, also where nobody has to say who it is. */
export const admission =
  (access: Access, { request, deploymentId }: Visiting) =>
  (): Caller | Promise<Caller> =>
    access.admitTo(deploymentId, request, deployment);

/** Who calls, also where nobody has to say; undefined where somebody would have to. */
export async function whoMay(admit: ReturnType<typeof admission>): Promise<Caller | undefined> {
  try {
    return await admit();
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}

function unlessUnknown(error: unknown): undefined {
  if (!(error instanceof NotFound)) throw error;
}

/** What only Berth tells a deployed process looks as a deployment that is not there. */
function refuseClaim({ request, deploymentId }: Visiting): void {
  if (isBetweenBerths(targetOf(request.url, deploymentId))) throw unknownDeployment(deploymentId);
}
