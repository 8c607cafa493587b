import { deployment, deploymentFile, deploymentVisitor, type Policy } from "../../access/index.ts";
import { isPlainFile } from "../../custom/index.ts";
import type { Access, Cors, Method, Operation } from "../../http/index.ts";
import type { Gateway } from "./gateway.ts";
import { type DeploymentPages, pageRoutes } from "./pages.ts";
import { passOn, passToAnybody } from "./passing.ts";
import { type Visiting, visiting } from "./visit.ts";

type GatewayMountDeps = {
  gateway: Gateway;
  access: Access;
  cors: Cors;
  /** What Berth answers itself under a deployment's address. */
  pages: DeploymentPages;
};

/** Where the thread app of a deployment is, whose clients read other words when something fails. */
const THREAD_APP = "/d/:deployment_id/api/threads";
const HERE = "/d/:deployment_id";

/** Any method. */
const EVERY: readonly Method[] = ["OPTIONS", "ANY"];

/** `/d/{deployment_id}/…`: what Berth answers there itself, and what it passes on, whatever the method. */
export function gatewayRoutes(deps: GatewayMountDeps): Operation[] {
  const others = [
    ...EVERY.map((method) => relay(deps, method, `${HERE}/*`)),
    ...EVERY.flatMap((method) =>
      [THREAD_APP, `${THREAD_APP}/`, `${THREAD_APP}/*`].map((path) =>
        relay(deps, method, path, { failures: "thread app" }),
      ),
    ),
    relay(deps, "GET", `${HERE}/docs/`, { signIn: "../sign-in" }),
  ];
  return [address(), ...pageRoutes(deps), health(deps), file(deps), ...others];
}

/** The page's addresses are relative, and need the slash; `https:x` for itself would be another server's. */
const address = (): Operation =>
  under("ANY", HERE, deploymentVisitor, async ({ request, deploymentId }) => {
    const location = `./${deploymentId}/${new URL(request.url).search}`;
    return new Response(null, { status: 308, headers: { location } });
  });

const health = (deps: GatewayMountDeps): Operation =>
  under("GET", `${HERE}/ok`, deploymentVisitor, (visit) => passToAnybody(deps, visit));

const file = (deps: GatewayMountDeps): Operation =>
  under("GET", `${HERE}/ui/:graph_id/:file`, deploymentFile(isPlainFile), (visit) =>
    visit.policy.asks === "visitor" ? passToAnybody(deps, visit) : passOn(deps, visit),
  );

/** Nobody needs a key for a preflight: it comes without one. */
const relay = (deps: GatewayMountDeps, method: Method, path: string, more: Partial<Policy> = {}): Operation =>
  under(method, path, { ...(method === "OPTIONS" ? deploymentVisitor : deployment), ...more }, (visit) =>
    visit.isPreflight ? passToAnybody(deps, visit) : passOn(deps, visit),
  );

function under(
  method: Method,
  path: string,
  access: Policy,
  answer: (visit: Visiting) => Promise<Response>,
): Operation {
  const summary = "What a deployment answers";
  return {
    spec: {
      method,
      path,
      access,
      bodyLimit: "process",
      tag: "Gateway",
      summary,
      answers: {},
      unlisted: true,
    },
    serve: async ({ request, server }) => answer(visiting(request, server)),
  };
}
