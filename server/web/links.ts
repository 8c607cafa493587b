import { Type } from "@sinclair/typebox";
import { consolePage, type Policy } from "../access/index.ts";
import { type Operation, operation, Uuid } from "../http/index.ts";

/** Where released tools say that a deployment or a run can be looked at, and what the console has there. */
const LINKS = [
  { path: "/o/:tenant/host/deployments/:id", of: "a deployment", screen: "deployments" },
  { path: "/o/:tenant/projects/p/:session/r/:id", of: "a run", screen: "traces" },
] as const;

/**
 * Redirects to the console. They need no key, for they look nothing up: the answer is the same whatever there is,
 * and the console asks who is there.
 */
export const linkRoutes = (policy: Policy = consolePage): Operation[] =>
  LINKS.map(({ path, of, screen }) => {
    const names = [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => [name, Uuid] as const);
    return operation(
      {
        method: "GET",
        path,
        access: policy,
        bodyLimit: "none",
        tag: "Page",
        summary: `Where released tools look at ${of}`,
        params: Type.Object({ id: Uuid, ...Object.fromEntries(names) }),
        answers: { 302: "The console has it" },
        unlisted: true,
      },
      ({ path: { id }, request }) =>
        moved(`console/${screen}/${id}`, { request, depth: path.split("/").length - 2 }),
    );
  });

/** A way up from where the browser is: it holds behind a proxy that puts a path in front, too. */
function moved(to: string, { request, depth }: { request: Request; depth: number }): Response {
  const { pathname } = new URL(request.url);
  const further = Number(pathname.endsWith("/")) + Number(/\/api-host\/o\//.test(pathname));
  return new Response(null, { status: 302, headers: { location: "../".repeat(depth + further) + to } });
}
