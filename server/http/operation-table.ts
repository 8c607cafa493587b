import { Elysia } from "elysia";
import { PathMap, type Place, type Policy, SURROUNDINGS } from "../access/index.ts";
import { pathnameOf } from "./address.ts";
import { json } from "./answer.ts";
import { callOf } from "./call.ts";
import type { Draining } from "./draining.ts";
import { appError, renderError } from "./errors.ts";
import type { Connection, Method, Operation } from "./operation.ts";

/** One declared route at the place where it was mounted. */
export type Mounted = {
  method: Method;
  path: string;
  operation: Operation;
  /** Who may call it there, and how. */
  policy: Policy;
  /** Where it is mounted under a second address, too, which the API document does not repeat. */
  isTwin: boolean;
};

type TableOptions = { maxBodyBytes: number; prefix?: string; draining?: Draining | undefined };

/** How operations are mounted that are there already, or are not at their own path. */
type Mounting = {
  /** In front of their paths. */
  prefix?: string;
  /** Other policies than their own. */
  policyOf?: (operation: Operation) => Policy;
  /** With a slash at the end it is another path. */
  isExact?: boolean;
};

/**
 * Every route of a process, and the one reader of paths: who may call, which operation answers, what the 405 names and
 * the API document lists all come from it.
 */
export class OperationTable {
  readonly #mounted: Mounted[] = [];
  readonly #paths = new PathMap<Mounted>(SURROUNDINGS);
  readonly #maxBodyBytes: number;
  readonly #prefix: string;
  readonly #draining: Draining | undefined;
  /** While more is on its way. */
  #coming: Promise<unknown> | undefined;
  /** So many were there before. */
  #first = 0;

  /**
   * @param options.prefix every route answers behind it, too
   * @param options.draining refuses what starts runs while the process ends
   */
  constructor({ maxBodyBytes, prefix = "", draining }: TableOptions) {
    this.#maxBodyBytes = maxBodyBytes;
    this.#prefix = prefix;
    this.#draining = draining;
  }

  get mounted(): readonly Mounted[] {
    return this.#mounted;
  }

  /** Serves `operations` from now on. A path twice throws. */
  mount(operations: readonly Operation[], { prefix = "", policyOf, isExact }: Mounting = {}): void {
    for (const operation of operations) {
      const { method } = operation.spec;
      const path = prefix + operation.spec.path;
      const policy = policyOf?.(operation) ?? operation.spec.access;
      const mounted = { method, path, operation, policy, isTwin: prefix !== "" };
      if (this.#coming) this.#checkFree(method, path);
      this.#paths.add(method, path, mounted, policy, isExact);
      this.#mounted.push(mounted);
    }
  }

  /**
   * Serves at once what is mounted, and later what `mount` adds. Until that is there, a request that is for nothing of
   * what is there waits: {@link awaited}.
   * @throws what `mount` throws
   */
  async mountLater<Made>(mount: () => Promise<Made>): Promise<Made> {
    this.#first = this.#mounted.length;
    const made = Promise.resolve().then(mount);
    this.#coming = made.catch(() => undefined);
    try {
      return await made;
    } finally {
      this.#coming = undefined;
    }
  }

  /** What a request has to wait for before anybody asks where it came to. */
  awaited(request: Request): Promise<unknown> | undefined {
    if (this.#coming === undefined || this.#find(request).target !== undefined) return undefined;
    return this.#coming;
  }

  /** Where a request came to; its path is read the first time that somebody asks. */
  placeOf(request: Request): Place {
    const call = callOf(request);
    call.place ??= this.#find(request);
    return call.place;
  }

  /** Until now requests for it would have come to another operation, and not waited. */
  #checkFree(method: Method, path: string): void {
    const { target } = this.#paths.find(method === "ANY" ? "GET" : method, path);
    if (target && this.#mounted.indexOf(target) < this.#first)
      throw new Error(`${target.path} would take what is for ${path}, which is mounted later`);
  }

  #find(request: Request): Place<Mounted> {
    return this.#paths.find(request.method, pathnameOf(request.url, this.#prefix));
  }

  /** An Elysia plugin that serves what is mounted. */
  router(): Elysia {
    const router = new Elysia();
    router.all("/*", ({ request, server }) => this.#answer(request, server ?? null), { parse: "none" });
    return router;
  }

  async #answer(request: Request, server: Connection | null): Promise<Response> {
    try {
      const place = this.placeOf(request);
      const { target, params } = place as Place<Mounted>;
      if (target === undefined) return nothingAt(request, place);
      const arrival = { request, params: decoded(params), server, draining: this.#draining };
      return await target.operation.serve(arrival, this.#maxBodyBytes);
    } catch (error) {
      // Here and not in Elysia's hook, which takes a `code`, `status` or `toResponse` of any error for its own.
      return renderError(error, request);
    }
  }
}

/** 405 with the methods that the path has, 404 where it has none. */
function nothingAt(request: Request, { methods }: Place): Response {
  if (methods.length === 0) return json(failure(request, 404, "Not Found"), 404);
  const allowed = methods.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]));
  return json(failure(request, 405, "Method Not Allowed"), 405, { allow: allowed.join(", ") });
}

const failure = (request: Request, status: number, message: string) => ({
  detail: message,
  ...appError(request, { status, message }),
});

function decoded(params: Readonly<Record<string, string>>): Record<string, string> {
  const values: Record<string, string> = {};
  for (const [name, text] of Object.entries(params)) values[name] = text.includes("%") ? plain(text) : text;
  return values;
}

/** What cannot be decoded is nothing. */
function plain(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}
