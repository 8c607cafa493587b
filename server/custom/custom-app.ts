import type { FetchApp } from "@berth/agent";
import { type Bounded, boundedRequest } from "./bounded-request.ts";

/** What the project's app made of a request. */
export type Custom = {
  response: Response;
  /** Headers that it gave to the request, for whoever answers it instead. */
  changed: [name: string, value: string][];
};

export type CustomAppOptions = {
  app: FetchApp;
  /** Whether it sees requests before it is known who sends them. */
  first: boolean;
  /** Whether its own routes are only for whoever may call; undefined: where keys or the network decide. */
  guarded: boolean | undefined;
  /** Bytes of body that it may be sent. */
  maxBodyBytes: number;
};

/** The routes that a project brings (`http.app`); what it does not know, it answers with 404. */
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
    const response = await this.#fetch(seen);
    const { headers } = seen.request;
    return {
      response,
      changed: [...headers].filter(([name, value]) => request.headers.get(name) !== value),
    };
  }

  #bounded(request: Request): Bounded {
    return boundedRequest(request, this.options.maxBodyBytes);
  }

  /** Whatever the app makes of a body that broke off: it was too large. */
  async #fetch({ request, checkSize }: Bounded): Promise<Response> {
    try {
      return writable(await this.options.app.fetch(request));
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

/** Puts on an answer of ours what the app's middleware put on the 404 that let it through. */
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
