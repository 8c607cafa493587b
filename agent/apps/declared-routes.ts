/** Whether an app declares a route for a method and a path. */
export type Declares = (method: string, pathname: string) => boolean;

type Route = { method: string; matches(pathname: string): boolean };

const ANY = new Set(["ALL", "*", ""]);

/**
 * The routes that an app lists: `routes` of Hono and Elysia (`{method, path}`) and of itty-router (`[method, RegExp]`), the
 * `stack` of routers as Express has them. A plain object with `fetch` lists none.
 * @param nobodys a path that no app has: a route that takes it takes any, and declares nothing
 */
export function declaredRoutes(app: object, nobodys: string): Declares {
  // Asked each time: an app may be given routes until the first request.
  return (method, pathname) =>
    listed(app).some(
      (route) =>
        (ANY.has(route.method) || route.method === method) &&
        route.matches(pathname) &&
        !route.matches(nobodys),
    );
}

function listed(app: object): Route[] {
  const { routes, router, _router, stack } = app as Record<string, unknown>;
  if (Array.isArray(routes)) return routes.flatMap((route) => one(route) ?? []);
  const layers = stack ?? inside(router, "stack") ?? inside(_router, "stack");
  return Array.isArray(layers) ? layers.flatMap(ofLayer) : [];
}

function one(route: unknown): Route | undefined {
  const [method, path] = Array.isArray(route) ? route : [inside(route, "method"), inside(route, "path")];
  const matches = matcher(path);
  return matches && { method: typeof method === "string" ? method.toUpperCase() : "", matches };
}

/** A layer of Express with a route has its path and its methods; one without is middleware. */
function ofLayer(layer: unknown): Route[] {
  const route = inside(layer, "route");
  const methods = inside(route, "methods") ?? { [String(inside(route, "method") ?? "")]: true };
  const paths = [inside(route, "path")].flat();
  return paths.flatMap((path) => {
    const matches = matcher(path);
    if (!matches) return [];
    return Object.keys(methods as object).map((method) => ({
      method: method === "_all" ? "" : method.toUpperCase(),
      matches,
    }));
  });
}

function matcher(path: unknown): Route["matches"] | undefined {
  if (path instanceof RegExp) return (pathname) => new RegExp(path.source, path.flags).test(pathname);
  if (typeof path !== "string") return undefined;
  const pattern = new RegExp(`^${path.split("/").map(segment).join("")}/?$`);
  return (pathname) => pattern.test(pathname);
}

/** `:name`, `:name?`, `:name{…}`, `*` and `**` stand for something; whatever else is meant as it is. */
function segment(text: string): string {
  if (text === "") return "";
  if (/^\*+\w*$/.test(text)) return "(?:/.*)?";
  if (/^:\w+(?:\{.*\})?\?$/.test(text)) return "(?:/[^/]+)?";
  const parts = text.split(/(:\w+(?:\{[^}]*\})?|\*)/);
  return `/${parts.map((part) => (/^[:*]/.test(part) ? "[^/]+" : RegExp.escape(part))).join("")}`;
}

function inside(value: unknown, key: string): unknown {
  const holds = (typeof value === "object" && value !== null) || typeof value === "function";
  return holds ? Reflect.get(value as object, key) : undefined;
}
