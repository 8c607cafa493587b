type Handler = (request: Request, headers: Headers, next: () => Response) => Response;
type Layer = { route?: { path: string; methods: Record<string, boolean> }; handle: Handler; takes: RegExp };

/** A router as Express lists its layers, over requests as they are in browsers. */
const stack: Layer[] = [];
const use = (handle: Handler) => stack.push({ handle, takes: /^/ });
const get = (path: string, handle: Handler) =>
  stack.push({
    route: { path, methods: { get: true } },
    handle,
    takes: new RegExp(`^${path.replaceAll(/:\w+/g, "[^/]+")}$`),
  });

use((request, headers, next) => {
  headers.set("x-middleware", "seen");
  if (request.url.includes("/runs/")) request.headers.set("x-from-middleware", "changed");
  return request.headers.get("x-closed") ? new Response("closed", { status: 403 }) : next();
});
const idOf = ({ url }: Request) => new URL(url).pathname.split("/").at(-1);
get("/own/:id", (request) => Response.json({ own: idOf(request) }));
get("/info", (request) =>
  request.url.includes("own") ? Response.json({ own: "info" }) : new Response(null, { status: 404 }),
);
get("/threads/:id/state", () => Response.json({ own: "state" }));
// What Express programs end with.
use((request) => Response.json({ notFound: new URL(request.url).pathname }));

function fetch(request: Request): Response {
  const headers = new Headers();
  const { pathname } = new URL(request.url);
  const fitting = stack.filter(
    ({ route, takes }) => takes.test(pathname) && (!route || route.methods[request.method.toLowerCase()]),
  );
  const run = (at: number): Response =>
    fitting[at]?.handle(request, headers, () => run(at + 1)) ?? new Response(null, { status: 404 });
  const response = run(0);
  for (const [name, value] of headers) response.headers.set(name, value);
  return response;
}

export const app = { router: { stack }, fetch };
