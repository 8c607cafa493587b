import { deployment, type Policy } from "../../access/index.ts";
import { type Call, type Caller, type Connection, callOf, SERVICE_KEY_ID } from "../../http/index.ts";
import type { QuotaSlot } from "./exchanges.ts";
import { unknownDeployment } from "./refusals.ts";

/** What a browser asks before a page of another origin may call (fetch.spec.whatwg.org, "CORS preflight"). */
const isPreflight = ({ method, headers }: Request): boolean =>
  method === "OPTIONS" && headers.has("origin") && headers.has("access-control-request-method");

/** The path and query of a request behind its deployment's address, byte for byte. */
export function targetOf(url: string, deploymentId: string): string {
  const mark = `/d/${deploymentId}`;
  const rest = url.slice(url.indexOf(mark, url.indexOf("//") + 2) + mark.length);
  return rest.startsWith("/") ? rest : `/${rest}`;
}

/**
 * Whether it is what Berth tells or asks a deployed process, and nobody else may: behind whatever prefix the deployment has,
 * which only the deployment knows.
 */
export const isBetweenBerths = (target: string): boolean =>
  /^[^?]*\/internal\/(?:claim|rest)\/?(?:\?|$)/.test(target);

/** A request under a deployment's address. */
export type Visiting = {
  request: Request;
  server: Connection | null;
  call: Call;
  /** As it stands in the address. */
  deploymentId: string;
  policy: Policy;
  isPreflight: boolean;
};

/** Of every answer of a deployment, whatever its path, or there would be no end of them. */
const ROUTE = "/d/:deployment_id/*";

/**
 * What is known of a request under a deployment's address.
 * @throws NotFound
 */
export function visiting(request: Request, server: Connection | null): Visiting {
  const call = callOf(request);
  call.route = ROUTE;
  const { place } = call;
  const deploymentId = place?.params.deployment_id;
  if (deploymentId === undefined) throw unknownDeployment("");
  const policy = place?.policy ?? deployment;
  return { request, server, call, deploymentId, policy, isPreflight: isPreflight(request) };
}

/** A key of the organization is good for each of its deployments; where nobody has to say who it is, anybody's. */
export function mayUse(caller: Caller | null, workspaceId: string): boolean {
  if (caller === null || caller.atOwnAuth?.isStranger || caller.workspaceId === workspaceId) return true;
  return caller.scope === "organization" || caller.keyId === SERVICE_KEY_ID;
}

/** A request to a deployment. */
export type Visit = {
  request: Request;
  server: Connection | null;
  deploymentId: string;
  /** Null where nobody has to say who it is. */
  caller: Caller | null;
  /** Throws once the caller may not be here any more. */
  admit: () => unknown;
};

/** Whether no key of Berth came with the request: anyone can send it. */
export const isAnonymous = ({ caller }: Visit): boolean =>
  caller === null || caller.atOwnAuth?.isStranger === true;

/** A visit to a deployment that the caller may see. */
export type SeenVisit = Visit & { workspaceId: string; slot: QuotaSlot };
