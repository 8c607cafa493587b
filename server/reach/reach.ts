import { BlockList, isIP } from "node:net";
import { networkInterfaces } from "node:os";

/** Why something may not be called; the message is for whoever named it. */
export class Refused extends Error {
  override name = "Refused";
}

/**
 * Where clouds hand out credentials, addresses of one wire only, of many at once and of nobody: no setting
 * opens these.
 */
const NEVER_IPV4 = [
  ...["169.254.0.0/16", "0.0.0.0/8", "224.0.0.0/4", "255.255.255.255/32"],
  // Metadata of Alibaba, Azure and Oracle.
  ...["100.100.100.200/32", "168.63.129.16/32", "192.0.0.192/32"],
];
const NEVER_IPV6 = ["::/128", "fe80::/10", "ff00::/8", "fd00:ec2::254/128", "fd20:ce::254/128"];

/** Private, loopback, reserved, for documentation, or a way to IPv4 that cannot be judged from outside. */
const PRIVATE = [
  ...["10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24"],
  ...[
    "192.88.99.0/24",
    "192.168.0.0/16",
    "198.18.0.0/15",
    "198.51.100.0/24",
    "203.0.113.0/24",
    "240.0.0.0/4",
  ],
  ...["::1/128", "::/96", "::ffff:0:0:0/96", "fc00::/7", "fec0::/10", "100::/64", "2001:db8::/32"],
  ...["3fff::/20", "5f00::/16", "64:ff9b::/96", "64:ff9b:1::/48", "2002::/16", "2001::/32"],
];

/** What knows the machine's own addresses. */
type Interfaces = () => readonly string[];

const ownInterfaces: Interfaces = () =>
  Object.values(networkInterfaces()).flatMap((found) => (found ?? []).map(({ address }) => address));

type ReachOptions = {
  /** The ports of this machine that Berth listens on: nobody may make it call itself. */
  ownPorts?: () => readonly number[];
  interfaces?: Interfaces;
  /** Name of the setting that holds the opened ranges, which a refusal names where the setting would help. */
  setting?: string;
};

/** Whether an address is of this machine: programs on it can send requests from there. */
export const isOwnAddress = (address: string): boolean =>
  isIP(address) !== 0 && (matches(LOOPBACK, address) || ownInterfaces().includes(address));

/** Opens every range: what is never open stays closed. Of sources, for a private network has its own git and registry. */
export const PRIVATE_TOO = ["0.0.0.0/0", "::/0"] as const;

/** Which addresses outbound requests may go to: public ones, and those of ranges that were opened. */
export class Reach {
  readonly #opened: BlockList;
  readonly #ownPorts: () => readonly number[];
  readonly #interfaces: Interfaces;
  readonly #setting: string | undefined;

  /**
   * @param allow ranges such as `10.0.0.0/8`, or single addresses
   * @throws Refused one of them is neither
   */
  constructor(allow: readonly string[], { ownPorts, interfaces, setting }: ReachOptions = {}) {
    this.#opened = blockList(allow);
    this.#ownPorts = ownPorts ?? (() => []);
    this.#interfaces = interfaces ?? ownInterfaces;
    this.#setting = setting;
  }

  /** Why an IP address (without brackets) may not be called; undefined when it may. */
  refusal(address: string, port: number): string | undefined {
    if (isIP(address) === 0) return "is no address";
    if (matches(NEVER, address)) return "is a link-local, metadata or multicast address";
    if (!this.isOpened(address) && matches(CLOSED, address))
      return `is a private or reserved address${this.howToAllow([address])}`;
    return this.#isOwn(address, port) ? "is this server itself" : undefined;
  }

  /** Whether a setting opens an address, so that it is meant although it is not public. */
  isOpened(address: string): boolean {
    return matches(this.#opened, address);
  }

  /** How the operator can allow these addresses, as the end of a refusal; empty where no setting can. */
  howToAllow(addresses: readonly string[]): string {
    const closed = addresses.filter((address) => !this.isOpened(address));
    const canOpen = this.#setting !== undefined && !closed.some((address) => matches(NEVER, address));
    return canOpen ? `. To allow it, add ${closed.join(",")} to ${this.#setting}` : "";
  }

  #isOwn(address: string, port: number): boolean {
    if (!this.#ownPorts().includes(port)) return false;
    return matches(LOOPBACK, address) || this.#interfaces().includes(address);
  }
}

/**
 * A list of ranges; one of IPv4 addresses also matches them in IPv6 clothes (`::ffff:10.0.0.1`).
 * @throws Refused
 */
export function blockList(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = "", bits, ...more] = range.split("/");
    const kind = isIP(address);
    const most = kind === 4 ? 32 : 128;
    const length = bits === undefined ? most : /^\d{1,3}$/.test(bits) ? Number(bits) : -1;
    if (kind === 0 || more.length > 0 || length < 0 || length > most)
      throw new Refused(`"${range}" is no range of addresses such as 10.0.0.0/8`);
    list.addSubnet(address, length, kind === 4 ? "ipv4" : "ipv6");
  }
  return list;
}

function matches(list: BlockList, address: string): boolean {
  return list.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
}

/** An IPv4 range as gateways (NAT64), tunnels (6to4) and old forms spell it in IPv6. */
function inIpv6(range: string): string[] {
  const [address = "", bits = "32"] = range.split("/");
  const [a = 0, b = 0, c = 0, d = 0] = address.split(".").map(Number);
  const hex = `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  const length = Number(bits);
  return [`64:ff9b::${hex}/${96 + length}`, `2002:${hex}::/${16 + length}`, `::${hex}/${96 + length}`];
}

// `0.0.0.0/8` in the old form would be `::/104`, loopback's neighbours: those are closed, not forbidden.
const SPELT = NEVER_IPV4.filter((range) => !range.startsWith("0."));
const NEVER = blockList([...NEVER_IPV4, ...NEVER_IPV6, ...SPELT.flatMap(inIpv6)]);
const CLOSED = blockList(PRIVATE);
const LOOPBACK = blockList(["127.0.0.0/8", "::1"]);

const loopbackAddress = /^127(?:\.\d{1,3}){3}$/;

/** Whether a `Host` value (`localhost:8123`, `[::1]`), or an address to listen at (`::1`), is this machine's only. */
export function isLoopbackHost(host: string): boolean {
  if (host === "::1") return true;
  const name = host.replace(/:\d*$/, "").toLowerCase();
  return name === "localhost" || name === "[::1]" || loopbackAddress.test(name);
}

/** Whether an `Origin` value is a page served by this machine; the opaque origin `null` is not. */
export function isLoopbackOrigin(origin: string): boolean {
  const host = /^https?:\/\/([^/]+)$/i.exec(origin)?.[1];
  return host !== undefined && isLoopbackHost(host);
}
