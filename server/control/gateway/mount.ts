import { Fault, NotFound } from "@berth/store";
import { Elysia } from "elysia";
import type { Access } from "../../http/access.ts";
import { type Caller, callOf } from "../../http/call.ts";
import type { Cors } from "../../http/cors.ts";
import { renderError } from "../../http/errors.ts";
import type { Connection, Operation } from "../../http/operation.ts";
import { pathnameOf } from "../../http/pathname.ts";
import { askedAt, CLAIM, isOpenThere, isPreflight } from "./address.ts";
import type { Gateway } from "./gateway.ts";
import { OwnPages } from "./own-pages.ts";
import { unknownDeployment } from "./refusals.ts";
import { isSignInPath, signingIn } from "./user-sign-in.ts";

export type GatewayMountDeps = {
  gateway: Gateway;
  access: Access;
  cors: Cors;
  /** What Berth answers itself under a deployment's address. */
  pages: readonly Operation[];
  maxBodyBytes: number;
  /** Everything answers behind it, too. */
  prefix: string;
};

/** Elysia plugin: `/d/{deployment_id}/…`, whatever the method. */
export function gatewayRoutes(deps: GatewayMountDeps): Elysia {
  const plugin = new Elysia();
  const pages = new OwnPages(deps.pages, deps.maxBodyBytes);
  for (const at of deps.prefix === "" ? [""] : ["", deps.prefix])
    for (const path of ["/d/:deployment_id", "/d/:deployment_id/*"])
      plugin.all(
        at + path,
        async ({ request, server }) => {
          try {
            return await answer({ ...deps, pages }, request, server);
          } catch (error) {
            return renderError(error, request);
          }
        },
        { parse: "none" },
      );
  return plugin;
}

const UNAUTHENTICATED = 401;

type Mounted = Omit<GatewayMountDeps, "pages"> & { pages: OwnPages };

async function answer(
  { gateway, access, cors, pages, prefix }: Mounted,
  request: Request,
  server: Connection | null,
): Promise<Response> {
  const call = callOf(request);
  call.route = "/d/:deployment_id/*";
  const pathname = pathnameOf(request.url, prefix);
  const asked = askedAt(pathname);
  if (asked === undefined) throw unknownDeployment("");
  const { deploymentId, rest } = asked;
  // The page's addresses are relative, and need the slash; `https:x` for itself would be another server's.
  if (rest === "") return moved(`./${deploymentId}/${new URL(request.url).search}`);
  if (CLAIM.test(rest)) throw unknownDeployment(deploymentId);
  // What is open was found out before.
  const admit = () => access.admitWhereClosed(request, `/d/${deploymentId}`);
  const visit = { request, server, deploymentId, admit };
  if (isSignInPath(rest) && (await gateway.hasOwnAuth(deploymentId))) {
    const visitor = await admitted(admit);
    const caller = visitor && (await signingIn({ access, request, rest, caller: visitor }));
    if (caller) return gateway.handle({ ...visit, caller });
  }
  const own = await pages.answer(request, server, rest);
  if (own) return own;
  const isAsking = isPreflight(request);
  if (!isAsking && !isOpenThere(rest, request.method)) {
    const caller = call.caller ?? (await admit());
    const response = await gateway.handle({ ...visit, caller });
    if (caller?.atOwnAuth?.isStranger && response.status === UNAUTHENTICATED) access.refused(request);
    return response;
  }
  const response = await gateway.handle({ ...visit, caller: null }).catch(unlessUnknown);
  if (response && call.isPassedOn === true) return response;
  // Nobody in particular learns that it serves, and nothing of one that does not, nor of one that is not there.
  const allowed = isAsking ? cors.preflight(request, pathname, access.isGuarded(pathname)) : undefined;
  if (allowed) return allowed;
  const caller = await admitted(admit);
  if (caller === undefined) throw unknownDeployment(deploymentId);
  return gateway.handle({ ...visit, caller });
}

function unlessUnknown(error: unknown): undefined {
  if (!(error instanceof NotFound)) throw error;
}

/** Who calls, also where nobody has to say; undefined where somebody would have to. */
async function admitted(
  admit: () => ReturnType<Access["admitWhereClosed"]>,
): Promise<Caller | null | undefined> {
  try {
    return await admit();
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}

const moved = (location: string) => new Response(null, { status: 308, headers: { location } });
