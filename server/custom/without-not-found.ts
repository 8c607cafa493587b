import type { FetchApp } from "@berth/agent";

/** Hono, by shape: a project brings its own copy. */
type HonoLike = FetchApp & {
  routes: unknown[];
  getPath?: unknown;
  route(path: string, app: HonoLike): unknown;
  notFound(handler: () => Response): unknown;
};

/**
 * The same app with its routes and middleware, and without what it says to paths that it does not have: that is a plain
 * 404. Only Hono lets its not-found handler be told apart from its routes; any other app is given back as it is.
 */
export function withoutNotFound(app: FetchApp): FetchApp {
  if (!isHono(app)) return app;
  try {
    const host = new (app.constructor as new () => HonoLike)();
    if (app.getPath !== undefined) host.getPath = app.getPath;
    host.notFound(() => new Response(null, { status: 404 }));
    host.route("/", app);
    return host;
  } catch {
    // Made in another way than Hono is.
    return app;
  }
}

function isHono(app: FetchApp): app is HonoLike {
  const { routes, route, notFound } = app as Partial<HonoLike>;
  return Array.isArray(routes) && typeof route === "function" && typeof notFound === "function";
}
