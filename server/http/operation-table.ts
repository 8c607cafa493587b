import { BadRequest } from "@berth/store";
import { Elysia } from "elysia";
import type { Draining } from "./draining.ts";
import { renderError } from "./errors.ts";
import type { Connection, Method, Operation } from "./operation.ts";
import { pathnameOf } from "./pathname.ts";

/** One declared route at the place where it was mounted. */
export type Mounted = {
  method: Method;
  path: string;
  operation: Operation;
  /** Where it is mounted under a second address, too, which the API document does not repeat. */
  isTwin: boolean;
};

export type TableOptions = { maxBodyBytes: number; prefix?: string; draining?: Draining | undefined };

/** Every route of a process: what the router, the API document and the 405 answer read. */
export class OperationTable {
  readonly #mounted: Mounted[] = [];
  readonly #maxBodyBytes: number;
  readonly #prefix: string;
  readonly #draining: Draining | undefined;

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

  /** An Elysia plugin that serves `operations`, under `prefix` as twins of others. A path twice throws. */
  mount(operations: readonly Operation[], prefix = ""): Elysia {
    // Unnamed: Elysia drops a second plugin of the same name without a word.
    const plugin = new Elysia();
    for (const operation of operations) this.#add(plugin, operation, prefix);
    return plugin;
  }

  /** The methods that `pathname` answers to; empty when no route has it. */
  methodsAt(pathname: string): Method[] {
    const segments = segmentsOf(pathnameOf(`http://-${pathname}`, this.#prefix));
    const methods = this.#mounted.filter(({ path }) => fits(segmentsOf(path), segments));
    return [...new Set(methods.map(({ method }) => method))];
  }

  #add(plugin: Elysia, operation: Operation, prefix: string): void {
    const { method } = operation.spec;
    const path = prefix + operation.spec.path;
    if (this.#mounted.some((other) => other.method === method && other.path === path))
      throw new Error(`two operations at ${method} ${path}`);
    this.#mounted.push({ method, path, operation, isTwin: prefix !== "" });
    const maxBodyBytes = this.#maxBodyBytes;
    const draining = this.#draining;
    // Elysia reads this function's text to see what it needs: naming no body, query, headers or set keeps it
    // from parsing any of them.
    const paths = this.#prefix === "" ? [path] : [path, this.#prefix + (path === "/" ? "" : path)];
    for (const at of paths)
      plugin.route(
        method,
        at,
        async ({ request, params, server, path }) => {
          try {
            // The guard has looked at another path: two readings of one address would be a way around it.
            if (path !== pathnameOf(request.url)) throw new BadRequest("The address can be read in two ways");
            const arrival = { request, params: params ?? noParams, server: connectionOf(server), draining };
            return await operation.serve(arrival, maxBodyBytes);
          } catch (error) {
            // Here and not in Elysia's hook, which takes a `code`, `status` or `toResponse` of any error for its own.
            return renderError(error, request);
          }
        },
        { parse: "none" },
      );
  }
}

const noParams: Record<string, string> = {};

function connectionOf(server: Connection | null | undefined): Connection | null {
  return server ?? null;
}

/** As the router has it: a slash at the end makes no other path, one too many in front or between does. */
function segmentsOf(path: string): string[] {
  return path.replace(/^\//, "").replace(/\/$/, "").split("/");
}

function fits(template: string[], segments: string[]): boolean {
  if (template.length !== segments.length) return false;
  return template.every((part, at) => part.startsWith(":") || part === segments[at]);
}
