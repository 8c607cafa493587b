import { statusOf } from "./errors.ts";

/** Pages that are opened by their address, and where one signs in seen from there. */
const PAGES = /^(?:\/api-host)?(?:\/d\/[^/]+)?\/docs(\/?)$/;

/**
 * Leads a browser that opens a page to where one signs in, from which it comes back; undefined for whoever is no
 * browser, or has said who it is.
 */
export function toSignIn(error: unknown, request: Request, pathname: string): Response | undefined {
  const { method, headers } = request;
  const [, slash] = PAGES.exec(pathname) ?? [];
  const isBrowser = method === "GET" && headers.get("accept")?.includes("text/html") === true;
  if (slash === undefined || !isBrowser || statusOf(error) !== 401) return undefined;
  if (headers.has("x-api-key") || headers.has("authorization")) return undefined;
  // A way up from where the browser is: it holds behind a proxy that puts a path in front, too.
  const up = (slash === "" ? "" : "../") + (pathname.startsWith("/api-host/docs") ? "../" : "");
  return new Response(null, {
    status: 302,
    headers: { location: `${up}sign-in?next=docs`, "cache-control": "no-store" },
  });
}
