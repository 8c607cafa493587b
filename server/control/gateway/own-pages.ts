import { NotFound } from "@berth/store";
import type { Connection, Operation } from "../../http/operation.ts";

type Found = { operation: Operation; params: Record<string, string> };

/**
 * What Berth itself answers under a deployment's address: the chat, signing in, the page of the API reference. A
 * deployment's own pages get no hold of our sign-in (`response-headers.ts`); these need it.
 */
export class OwnPages {
  constructor(
    private readonly operations: readonly Operation[],
    private readonly maxBodyBytes: number,
  ) {}

  /** Undefined for what the deployment has to answer. */
  async answer(request: Request, server: Connection | null, rest: string): Promise<Response | undefined> {
    const found = this.#find(request, rest);
    if (!found) return undefined;
    try {
      return await found.operation.serve({ request, server, params: found.params }, this.maxBodyBytes);
    } catch (error) {
      // A file that our page does not know may be one that the deployment's does.
      if (error instanceof NotFound) return undefined;
      throw error;
    }
  }

  #find({ method, headers }: Request, rest: string): Found | undefined {
    const wanted = method === "HEAD" ? "GET" : method;
    for (const operation of this.operations) {
      const { spec } = operation;
      const params = spec.method === wanted ? paramsOf(spec.path, rest) : undefined;
      if (!params) continue;
      // Programs that ask for the same paths mean the deployment's API.
      const isDocument = wanted === "GET" && documents.test(spec.path);
      if (!isDocument || headers.get("accept")?.includes("text/html")) return { operation, params };
    }
    return undefined;
  }
}

const documents = /^\/(?:chat\/:thread_id|sign-in)?$/;

/** The values of a path's parameters; undefined when it is another path. */
function paramsOf(template: string, path: string): Record<string, string> | undefined {
  const wanted = template.split("/");
  const given = path.split("/");
  if (wanted.length !== given.length) return undefined;
  const params: Record<string, string> = {};
  for (const [at, name] of wanted.entries()) {
    const value = given[at] ?? "";
    if (name.startsWith(":") && value !== "") params[name.slice(1)] = value;
    else if (name !== value) return undefined;
  }
  return params;
}
