import { timingSafeEqual } from "node:crypto";
import { Unauthenticated } from "@berth/store";

/** In this header the gateway says who it is. */
export const GATEWAY_HEADER = "x-berth-gateway";

/** Where Berth tells a deployed process whether to take up runs: no matter of the project's. */
export const CLAIM_PATH = "/internal/claim";

/**
 * The door of a deployed process: only the gateway knows the token, so that whatever else runs on this machine gets
 * nothing but the news that the process lives.
 */
export class GatewayToken {
  readonly #digest: Buffer;

  constructor(token: string) {
    this.#digest = digestOf(token);
  }

  /** Throws `Unauthenticated`. Takes the token off the request: nothing of the project may see it. */
  take(request: Request, pathname: string): void {
    const given = request.headers.get(GATEWAY_HEADER);
    if (given !== null) request.headers.delete(GATEWAY_HEADER);
    if (pathname === "/ok" && (request.method === "GET" || request.method === "HEAD")) return;
    if (given === null || !timingSafeEqual(digestOf(given), this.#digest))
      throw new Unauthenticated("Only the gateway of this deployment may call it");
  }
}

/** Equal lengths, whatever was given. */
function digestOf(token: string): Buffer {
  return Buffer.from(new Bun.CryptoHasher("sha256").update(token).digest());
}
