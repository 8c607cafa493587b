import { createHmac, timingSafeEqual } from "node:crypto";
import type { Clock } from "@berth/store";

/** In this header one Berth says to another that it passes a request on, and for whom. */
export const HOP_HEADER = "x-berth-hop";

/** With this header of its answer a Berth says that it runs no deployments at the moment: who asked looks again. */
export const MOVED_HEADER = "x-berth-moved";

/** A request that another Berth of the same database has passed on. */
export type PassedOn = {
  /** Whether it is known to be one: it proved that it has the key that both have. */
  isProven: boolean;
  /** Whose request it is; empty where nobody knows it. */
  client: string;
};

/** What is passed on takes no longer; the Berths of a database go by one clock. */
const GOOD_MS = 60_000;

type What = { method: string; path: string; client: string };

/**
 * What Berths that share a database say to each other about a request that one passes on to another. It opens nothing:
 * whoever calls proves to the second one who it is, as to the first. It only tells whose address it is.
 */
export class Hops {
  /** @param key that all Berths of the database have, and nobody else */
  constructor(
    private readonly key: Uint8Array,
    private readonly clock: Clock,
  ) {}

  /** The header's text for a request. */
  sign(what: What): string {
    const at = String(this.clock.now());
    const client = Buffer.from(what.client).toString("base64url");
    return `${at}.${client}.${this.#mac(at, what)}`;
  }

  /** What the header's text says of a request; nothing that is not proven is believed. */
  read(text: string, { method, path }: Omit<What, "client">): PassedOn {
    const [at = "", told = "", mac = ""] = text.split(".");
    const client = Buffer.from(told, "base64url").toString();
    const isNow = Math.abs(this.clock.now() - Number(at)) < GOOD_MS;
    const isProven = isNow && isSame(mac, this.#mac(at, { method, path, client }));
    return isProven ? { isProven, client } : UNPROVEN;
  }

  #mac(at: string, { method, path, client }: What): string {
    return createHmac("sha256", this.key).update([at, method, path, client].join("\n")).digest("base64url");
  }
}

const UNPROVEN: PassedOn = { isProven: false, client: "" };

/**
 * Takes what another Berth says off a request, whoever sent it: it is for nobody behind us.
 * @returns undefined where it says nothing
 */
export function takeHop(request: Request, hops: Hops | undefined): PassedOn | undefined {
  const text = request.headers.get(HOP_HEADER);
  if (text === null) return undefined;
  request.headers.delete(HOP_HEADER);
  const { method, url } = request;
  return hops?.read(text, { method, path: pathIn(url) }) ?? UNPROVEN;
}

/** Path and query of an address, byte for byte. */
export const pathIn = (url: string): string => {
  const rest = url.slice(url.indexOf("//") + 2);
  const at = rest.indexOf("/");
  return at === -1 ? "/" : rest.slice(at);
};

function isSame(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}
