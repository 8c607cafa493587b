import { appAt, type FetchApp, type OwnApps } from "@berth/agent";
import { type Bounded, boundedRequest } from "./bounded-request.ts";
import { type Declares, declaredRoutes } from "./declared-routes.ts";

/** What the project's app made of a request. */
type Custom = {
  response: Response;
  /** Whether that is no answer to this path, and ours is to be given. */
  passes: boolean;
  /** Headers that it gave to the request, for whoever answers it instead. */
  changed: [name: string, value: string][];
};

type CustomAppOptions = {
  app: FetchApp;
  /** Whether it sees requests before it is known who sends them. */
  first: boolean;
  /** Whether its own routes are only for whoever may call; undefined: where keys or the network decide. */
  guarded: boolean | undefined;
  /** Bytes of body that it may be sent. */
  maxBodyBytes: number;
};

/** Who answers so refuses, whatever the path: a gate is no answer to what is not found. */
const refuses = (status: number): boolean =>
  (status >= 300 && status < 400) || [401, 402, 403, 407, 429].includes(status) || status >= 500;

/**
 * The routes that a project brings (`http.app`). To a path of ours, its answer counts where the app means that path: a 404
 * does not, nor does what it says to any path that it does not have.
 */
export class CustomApp {
  /** A path that no app has. */
  readonly #nobodys = `/${crypto.randomUUID()}`;
  readonly #declares: Declares;
  #middleware: FetchApp | undefined;
  /** By method: whether the app answers to paths that it does not have. */
  readonly #takesAny = new Map<string, boolean>();

  constructor(private readonly options: CustomAppOptions) {
    this.#declares = declaredRoutes(options.app, this.#nobodys);
  }

  /**
   * Whether it sees requests to our routes before it is known who sends them. Where keys or the network decide that,
   * it does not, also when its own routes are open.
   */
  isBeforeAuth(hasProjectAuth: boolean): boolean {
    return this.options.first && hasProjectAuth;
  }

  /** Whether a request to one of its own routes has to be admitted first. */
  isGuarded(hasProjectAuth: boolean): boolean {
    return this.options.guarded ?? !hasProjectAuth;
  }

  /** Whether the project has said of its own routes that nobody has to be known there. */
  get isOpen(): boolean {
    return this.options.guarded === false;
  }

  /**
   * The answer to a path that is the app's alone.
   * @throws TooLarge
   */
  async answer(request: Request, pathname: string): Promise<Response> {
    return this.#fetch(this.#bounded(at(pathname, request)));
  }

  /**
   * What the app says to a path that we have too: it may answer it itself, or be no more than middleware.
   * @throws TooLarge
   */
  async look(request: Request, pathname: string): Promise<Custom> {
    // A copy: the app may read the body, and we must be able to as well.
    const copy = request.body === null ? request : request.clone();
    const seen = this.#bounded(at(pathname, new Request(copy, { headers: new Headers(request.headers) })));
    // Made for the first request: until then an app may be given routes.
    this.#middleware ??= withoutNotFound(this.options.app);
    const response = await this.#fetch(seen, this.#middleware);
    const { headers } = seen.request;
    const passes = response.status === 404 || (await this.#saysSoToAny(request, pathname, response.status));
    return {
      response,
      passes,
      changed: [...headers].filter(([name, value]) => request.headers.get(name) !== value),
    };
  }

  /** Whether an answer is what the app says to whatever it does not have: asked once for each method. */
  async #saysSoToAny(request: Request, pathname: string, status: number): Promise<boolean> {
    const { method, headers, url } = request;
    // Routers answer a HEAD as they do the GET.
    if (refuses(status) || this.#declares(method === "HEAD" ? "GET" : method, pathname)) return false;
    const known = this.#takesAny.get(method);
    if (known !== undefined) return known;
    const nobodys = new Request(new URL(this.#nobodys, url), { method, headers: new Headers(headers) });
    const answer = await this.#fetch(this.#bounded(nobodys), this.#middleware);
    await answer.body?.cancel().catch(() => undefined);
    const takesAny = answer.status !== 404;
    // A gate that this caller did not pass says nothing of what is behind it.
    if (!refuses(answer.status)) this.#takesAny.set(method, takesAny);
    return takesAny && !refuses(answer.status);
  }

  #bounded(request: Request): Bounded {
    return boundedRequest(request, this.options.maxBodyBytes);
  }

  /** Whatever the app makes of a body that broke off: it was too large. */
  async #fetch({ request, checkSize }: Bounded, app: FetchApp = this.options.app): Promise<Response> {
    try {
      return writable(await app.fetch(request));
    } finally {
      checkSize();
    }
  }
}

/** The request as the app has to see it: it does not know of a prefix. */
function at(pathname: string, request: Request): Request {
  const url = new URL(request.url);
  if (url.pathname === pathname) return request;
  url.pathname = pathname;
  return new Request(url, request);
}

// What a 404 says of its own body is not about the answer that takes its place.
const aboutTheBody = new Set([
  "content-type",
  "content-length",
  "content-encoding",
  "transfer-encoding",
  "etag",
]);

/** Puts on an answer of ours what the app's middleware put on the one that let it through. */
export function withMiddlewareHeaders(ours: Response, passed: Response): Response {
  for (const [name, value] of passed.headers) {
    if (aboutTheBody.has(name)) continue;
    if (name === "set-cookie") ours.headers.append(name, value);
    else ours.headers.set(name, value);
  }
  return ours;
}

/** The headers of a response that was fetched from elsewhere cannot be added to. */
function writable(response: Response): Response {
  return new Response(response.body, response);
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

/** All apps that a project brings: which one sees a request. */
export class CustomApps {
  readonly #seen = new Map<FetchApp, CustomApp>();

  constructor(
    private readonly own: OwnApps,
    private readonly options: Omit<CustomAppOptions, "app">,
  ) {}

  /** The app that a path belongs to, and what the path is to it; undefined where the project has none for it. */
  at(pathname: string): { custom: CustomApp; inside: string } | undefined {
    const found = appAt(this.own, pathname);
    if (!found) return undefined;
    const { app } = found;
    // Kept: it remembers how its app answers.
    const custom = this.#seen.get(app) ?? new CustomApp({ app, ...this.options });
    this.#seen.set(app, custom);
    return { custom, inside: found.pathname };
  }
}
