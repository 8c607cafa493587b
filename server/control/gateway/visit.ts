import { deployment, type Policy } from "../../access/index.ts";
import { type Call, type Connection, callOf } from "../../http/index.ts";
import { isPreflight } from "./address.ts";
import { unknownDeployment } from "./refusals.ts";

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
