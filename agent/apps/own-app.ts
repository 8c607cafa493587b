import { type Declares, declaredRoutes } from "./declared-routes.ts";

/** An app of the project's own: Hono, Elysia, or whatever else answers requests. */
export type FetchApp = { fetch(request: Request): Response | Promise<Response> };

/** What an app made of a request to a path that we have, too. */
export type AppLook = {
  response: Response;
  /** Whether that is no answer to this path, and ours is to be given. */
  passes: boolean;
  /** Headers that it gave to the request, for whoever answers it instead. */
  changed: [name: string, value: string][];
};

/** An app of a project, wherever its code runs. The paths of requests are as the app knows them. */
export interface OwnApp {
  answer(request: Request): Promise<Response>;
  /**
   * What the app says to a path that we have, too: its answer counts where it means that path. A 404 does not, nor does
   * what it says to any path that it does not have.
   * @param request nobody else's: the app may read its body and change its headers
   */
  look(request: Request): Promise<AppLook>;
}

/** Who answers so refuses, whatever the path: a gate is no answer to what is not found. */
const refuses = (status: number): boolean =>
  (status >= 300 && status < 400) || [401, 402, 403, 407, 429].includes(status) || status >= 500;

/** An app that is loaded here. */
export class LoadedApp implements OwnApp {
  /** A path that no app has. */
  readonly #nobodys = `/${crypto.randomUUID()}`;
  readonly #declares: Declares;
  #middleware: FetchApp | undefined;
  /** By method: whether the app answers to paths that it does not have. */
  readonly #takesAny = new Map<string, boolean>();

  constructor(private readonly app: FetchApp) {
    this.#declares = declaredRoutes(app, this.#nobodys);
  }

  async answer(request: Request): Promise<Response> {
    return this.app.fetch(request);
  }

  async look(request: Request): Promise<AppLook> {
    const before = new Headers(request.headers);
    // Made for the first request: until then an app may be given routes.
    this.#middleware ??= withoutNotFound(this.app);
    const response = await this.#middleware.fetch(request);
    const { status } = response;
    const passes = status === 404 || (await this.#saysSoToAny(this.#middleware, request, before, status));
    const changed = [...request.headers].filter(([name, value]) => before.get(name) !== value);
    return { response, passes, changed };
  }

  /** Whether an answer is what the app says to whatever it does not have: asked once for each method. */
  async #saysSoToAny(app: FetchApp, { method, url }: Request, headers: Headers, status: number) {
    // Routers answer a HEAD as they do the GET.
    const declared = this.#declares(method === "HEAD" ? "GET" : method, new URL(url).pathname);
    if (refuses(status) || declared) return false;
    const known = this.#takesAny.get(method);
    if (known !== undefined) return known;
    const answer = await app.fetch(new Request(new URL(this.#nobodys, url), { method, headers }));
    await answer.body?.cancel().catch(() => undefined);
    const takesAny = answer.status !== 404;
    // A gate that this caller did not pass says nothing of what is behind it.
    if (!refuses(answer.status)) this.#takesAny.set(method, takesAny);
    return takesAny && !refuses(answer.status);
  }
}

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
function withoutNotFound(app: FetchApp): FetchApp {
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
