import { timingSafeEqual } from "node:crypto";
import { Unauthenticated } from "@berth/store";
import type { Policy } from "../access/index.ts";
import { OWN_HEADER } from "../own-calls/index.ts";
import { callOf } from "./call.ts";
import { keyMissing } from "./keys.ts";

/** In this header the gateway says who it is. */
export const GATEWAY_HEADER = "x-berth-gateway";

/** With this header the gateway says that nobody proved to it who calls: only what is open may be answered. */
export const NOBODY_HEADER = "x-berth-nobody";

/** With this header of its health check a deployed process says that its project says itself who may call. */
export const OWN_AUTH_HEADER = "x-berth-own-auth";

/** Where Berth tells a deployed process whether to take up runs: no matter of the project's. */
export const CLAIM_PATH = "/internal/claim";

/** Where a deployed process says whether it has something to do. */
export const REST_PATH = "/internal/rest";

/**
 * The door of a deployed process: only the gateway knows the token, so that whatever else runs on this machine gets
 * nothing but the news that the process lives.
 */
export class GatewayToken {
  readonly #digest: Buffer;
  readonly #own: Buffer | undefined;
  readonly #hasProjectAuth: boolean;

  /**
   * @param options.ownToken what the process's own calls bring
   * @param options.hasProjectAuth the project itself asks nobody in particular who it is
   */
  constructor(token: string, { hasProjectAuth = false, ownToken }: GatewayTokenOptions = {}) {
    this.#digest = digestOf(token);
    this.#own = ownToken === undefined ? undefined : digestOf(ownToken);
    this.#hasProjectAuth = hasProjectAuth;
  }

  /** Throws `Unauthenticated`. Takes what the gateway says off the request: nothing of the project may see it. */
  take(request: Request, policy: Policy): void {
    const { method } = request;
    const given = taken(request, GATEWAY_HEADER);
    const own = taken(request, OWN_HEADER);
    const isNobody = taken(request, NOBODY_HEADER) !== null;
    if (policy.asks === "nobody" && (method === "GET" || method === "HEAD")) return;
    // Who takes up runs is not for the project to say.
    const isClaim = policy.asks === "gateway token";
    if (isSame(own, this.#own) && !isClaim) return;
    if (isNobody) callOf(request).isNobody = true;
    if (!isSame(given, this.#digest))
      throw new Unauthenticated("Only the gateway of this deployment may call it");
    // A preflight is never more than that: it is answered before anything of the project sees it.
    if (isNobody && method !== "OPTIONS" && !this.#mayBeNobody(policy)) throw keyMissing();
  }

  /** Nobody in particular gets no further than what the project's auth is asked about. */
  #mayBeNobody({ asks, owner }: Policy): boolean {
    if (asks === "component file") return true;
    return this.#hasProjectAuth && owner === "project" && asks !== "gateway token";
  }
}

type GatewayTokenOptions = { hasProjectAuth?: boolean; ownToken?: string | undefined };

const isSame = (given: string | null, digest: Buffer | undefined): boolean =>
  given !== null && digest !== undefined && timingSafeEqual(digestOf(given), digest);

function taken({ headers }: Request, name: string): string | null {
  const value = headers.get(name);
  if (value !== null) headers.delete(name);
  return value;
}

/** Equal lengths, whatever was given. */
function digestOf(token: string): Buffer {
  return Buffer.from(new Bun.CryptoHasher("sha256").update(token).digest());
}
