import type { Policy } from "../access/index.ts";
import { statusOf } from "../http/index.ts";

/**
 * Leads a browser that opens a page to where one signs in, from which it comes back; undefined for whoever is no
 * browser, or has said who it is.
 */
export function toSignIn(error: unknown, request: Request, { signIn }: Policy): Response | undefined {
  const { method, headers } = request;
  const isBrowser = method === "GET" && headers.get("accept")?.includes("text/html") === true;
  if (signIn === undefined || !isBrowser || statusOf(error) !== 401) return undefined;
  if (headers.has("x-api-key") || headers.has("authorization")) return undefined;
  // A way up from where the browser is: it holds behind a proxy that puts a path in front, too.
  return new Response(null, {
    status: 302,
    headers: { location: `${signIn}?next=docs`, "cache-control": "no-store" },
  });
}
