import { type AppLook, appAt, type OwnApp, type OwnApps } from "@berth/agent";
import { withinBudget } from "../http/index.ts";
import { type Bounded, boundedRequest } from "./bounded-request.ts";

type CustomAppOptions = {
  app: OwnApp;
  /** Whether it sees requests before it is known who sends them. */
  first: boolean;
  /** Whether its own routes are only for whoever may call; undefined: where keys or the network decide. */
  guarded: boolean | undefined;
  /** Bytes of body that it may be sent. */
  maxBodyBytes: number;
};

/** The routes that a project brings (`http.app`): who may call them, and how much they are sent. */
export class CustomApp {
  constructor(private readonly options: CustomAppOptions) {}

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
   * @throws TooLarge | TooMany | BodyTimeout
   */
  answer(request: Request, pathname: string): Promise<Response> {
    return bounded(request, this.#bounded(at(pathname, request)), async (seen) =>
      writable(await this.options.app.answer(seen)),
    );
  }

  /**
   * What the app says to a path that we have, too: it may answer it itself, or be no more than middleware.
   * @throws TooLarge | TooMany | BodyTimeout
   */
  look(request: Request, pathname: string): Promise<AppLook> {
    // A copy: the app may read the body, and we must be able to as well.
    const copy = request.body === null ? request : request.clone();
    const seen = at(pathname, new Request(copy, { headers: new Headers(request.headers) }));
    return bounded(request, this.#bounded(seen), async (seen) => {
      const { response, ...look } = await this.options.app.look(seen);
      return { ...look, response: writable(response) };
    });
  }

  #bounded(request: Request): Bounded {
    return boundedRequest(request, this.options.maxBodyBytes);
  }
}

/** A body that broke off is refused, whatever the app makes of it. */
async function bounded<Made>(
  original: Request,
  { request, bytes, check }: Bounded,
  make: (seen: Request) => Promise<Made>,
): Promise<Made> {
  try {
    return bytes === 0 ? await make(request) : await withinBudget(original, bytes, () => make(request));
  } finally {
    check();
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

/** All apps that a project brings: which one sees a request. */
export class CustomApps {
  constructor(
    private readonly own: OwnApps,
    private readonly options: Omit<CustomAppOptions, "app">,
  ) {}

  /** The app that a path belongs to, and what the path is to it; undefined where the project has none for it. */
  at(pathname: string): { custom: CustomApp; inside: string } | undefined {
    const found = appAt(this.own, pathname);
    return found && { custom: new CustomApp({ app: found.app, ...this.options }), inside: found.pathname };
  }
}
