import { createHmac, timingSafeEqual } from "node:crypto";
import type { Clock } from "@berth/store";

/** What somebody may do with the images of one deployment. */
export type ImageRight = { deploymentId: string; workspaceId: string; may: "push" | "pull" };

export const PUSH_TOKEN_MS = 3_600_000;
/** As long as an engine may take to pull. */
const PULL_TOKEN_MS = 1_800_000;

/**
 * Tokens for the images of one deployment. Nobody keeps them: each says by itself what it is good for, and proves that
 * a Berth of this database wrote it.
 */
export class RegistryTokens {
  /** @param key that all Berths of the database have, and nobody else */
  constructor(
    private readonly key: Uint8Array,
    private readonly clock: Clock,
  ) {}

  issue(right: ImageRight): string {
    const until = this.clock.now() + (right.may === "push" ? PUSH_TOKEN_MS : PULL_TOKEN_MS);
    const { deploymentId, workspaceId, may } = right;
    const said = Buffer.from([may, deploymentId, workspaceId, until].join("|")).toString("base64url");
    return `${said}.${this.#mac(said)}`;
  }

  /** Undefined for what is no token, or is one no longer. */
  read(token: string): ImageRight | undefined {
    const [said = "", mac = "", ...more] = token.split(".");
    if (more.length > 0 || !isSame(mac, this.#mac(said))) return undefined;
    const [may, deploymentId = "", workspaceId = "", until] = Buffer.from(said, "base64url")
      .toString()
      .split("|");
    if (may !== "push" && may !== "pull") return undefined;
    return Number(until) > this.clock.now() ? { may, deploymentId, workspaceId } : undefined;
  }

  #mac(said: string): string {
    return createHmac("sha256", this.key).update(said).digest("base64url");
  }
}

/** The token that a request brings: as a password, whoever it is said to be of, or by itself. */
export function tokenIn({ headers }: Request): string | undefined {
  const [, scheme = "", given = ""] =
    /^(Bearer|Basic) +(\S+)$/i.exec(headers.get("authorization") ?? "") ?? [];
  if (scheme.toLowerCase() === "bearer") return given;
  if (scheme === "") return undefined;
  const credentials = Buffer.from(given, "base64").toString();
  const colon = credentials.indexOf(":");
  return colon === -1 ? undefined : credentials.slice(colon + 1);
}

function isSame(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}
