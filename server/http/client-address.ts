import { timingSafeEqual } from "node:crypto";
import { isIP } from "node:net";
import { blockList, isOwnAddress } from "../reach/index.ts";
import { digestOf } from "./keys.ts";

/** Where a request came from, as the system tells it: the last one before us. */
export type PeerOf = (request: Request) => string | undefined;

/** In this header a proxy proves that it is one of ours: `PROXY_SECRET`. */
export const PROXY_HEADER = "x-berth-proxy-secret";

type ClientAddressOptions = {
  peerOf: PeerOf;
  /** Addresses and ranges of our proxies (`TRUSTED_PROXIES`). */
  proxies: readonly string[];
  /** What a proxy sends in {@link PROXY_HEADER}; null where its address alone proves it. */
  secret?: string | null;
  /** Whether code of others runs on this machine, such as that of deployments: then its addresses prove nothing. */
  isShared?: () => boolean;
  /** Called once, where a proxy of this machine would need the secret to be believed. */
  onUnproven?: () => void;
};

/**
 * Whose request it is. A proxy says in `X-Forwarded-For` for whom it asks, and each one adds its own peer: read from
 * the end, the first address that is no proxy of ours is the client. Whatever stands before it may be made up.
 */
export class ClientAddress {
  readonly #options: ClientAddressOptions;
  readonly #digest: Buffer | undefined;
  readonly #listed: (address: string) => boolean;
  #isReported = false;

  constructor(options: ClientAddressOptions) {
    this.#options = options;
    this.#digest = options.secret ? digestOf(options.secret) : undefined;
    const list = blockList(options.proxies);
    this.#listed = (address) =>
      options.proxies.length > 0 && list.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
  }

  /** An address, without the port; empty where it is unknown. Takes the proxy's proof off the request. */
  of(request: Request): string {
    const proof = request.headers.get(PROXY_HEADER);
    // Project code reads the headers of requests.
    if (proof !== null) request.headers.delete(PROXY_HEADER);
    let client = plain(this.#options.peerOf(request) ?? "");
    const forwarded = request.headers.get("x-forwarded-for");
    if (forwarded === null || !this.#isProxy(client, proof)) return client;
    for (const part of forwarded.split(",").toReversed()) {
      const address = plain(part.trim());
      if (isIP(address) === 0) return client;
      client = address;
      if (!this.#listed(client) || this.#isSharedAddress(client)) return client;
    }
    return client;
  }

  /** Whether the peer of a request is a proxy of ours. */
  #isProxy(peer: string, proof: string | null): boolean {
    if (this.#digest) return proof !== null && timingSafeEqual(digestOf(proof), this.#digest);
    if (!this.#listed(peer)) return false;
    if (!this.#isSharedAddress(peer)) return true;
    if (!this.#isReported) this.#options.onUnproven?.();
    this.#isReported = true;
    return false;
  }

  /** Whether deployed code may have sent a request from this address. */
  #isSharedAddress(address: string): boolean {
    return this.#options.isShared?.() === true && isOwnAddress(address);
  }
}

/** Without what some proxies put around it: `[::1]:1234`, `10.0.0.1:1234`, `::ffff:10.0.0.1`. */
function plain(address: string): string {
  const bare = /^\[(.+)\](?::\d+)?$/.exec(address)?.[1] ?? address.replace(/^([\d.]+):\d+$/, "$1");
  return bare.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, "");
}

/**
 * The network that limits count a client by: an IPv6 client has a /64 of its own, with 2^64 addresses to choose from
 * (RFC 6177). An IPv4 address counts by itself.
 */
export function networkOf(address: string): string {
  if (isIP(address) !== 6) return address;
  // The URL parser writes every form of an address in the one way of RFC 5952.
  const bare = address.replace(/%.*$/, "");
  const [head = "", tail] = new URL(`http://[${bare}]`).hostname.slice(1, -1).split("::");
  const first = head === "" ? [] : head.split(":");
  const last = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = Array.from({ length: 8 - first.length - last.length }, () => "0");
  return `${[...first, ...zeros, ...last].slice(0, 4).join(":")}::/64`;
}
