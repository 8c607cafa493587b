import { isIP } from "node:net";
import { blockList } from "../reach/index.ts";

/** Where a request came from, as the system tells it: the last one before us. */
export type PeerOf = (request: Request) => string | undefined;

/**
 * Whose request it is. A proxy tells in `X-Forwarded-For` for whom it asks, and each adds whom it heard: read from
 * the end, the first that is no proxy of ours is the client. Whatever stands before it may be made up.
 */
export class ClientAddress {
  readonly #trusted: (address: string) => boolean;

  /** @param proxies addresses and ranges of proxies that tell the truth (`TRUSTED_PROXIES`) */
  constructor(
    proxies: readonly string[],
    private readonly peerOf: PeerOf,
  ) {
    const list = blockList(proxies);
    this.#trusted = (address) =>
      proxies.length > 0 && list.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
  }

  /** An address, without the port; empty where nobody knows it. */
  of(request: Request): string {
    let client = plain(this.peerOf(request) ?? "");
    if (!this.#trusted(client)) return client;
    const told = request.headers.get("x-forwarded-for")?.split(",") ?? [];
    for (const part of told.toReversed()) {
      const address = plain(part.trim());
      if (isIP(address) === 0) return client;
      client = address;
      if (!this.#trusted(client)) return client;
    }
    return client;
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
