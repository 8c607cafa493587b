import { lookup } from "node:dns/promises";
import { BlockList, isIP } from "node:net";

/** Where machines of a cloud get their own credentials, and addresses that are valid on one wire only. */
const NEVER = new BlockList();
NEVER.addSubnet("169.254.0.0", 16);
NEVER.addSubnet("fe80::", 10, "ipv6");
NEVER.addAddress("fd00:ec2::254", "ipv6");
NEVER.addAddress("100.100.100.200");
// As a gateway to IPv4 spells the first of them.
NEVER.addSubnet("64:ff9b::a9fe:0", 112, "ipv6");
NEVER.addSubnet("0.0.0.0", 8);
NEVER.addAddress("::", "ipv6");
NEVER.addSubnet("224.0.0.0", 4);
NEVER.addSubnet("ff00::", 8, "ipv6");

/** Whether nothing may be fetched from an IP address. */
export function isForbidden(address: string): boolean {
  const kind = isIP(address);
  if (kind === 4) return NEVER.check(address);
  // An IPv4 address in IPv6 clothes is that IPv4 address: `::ffff:a9fe:a9fe`.
  return kind === 6 && NEVER.check(address, "ipv6");
}

export type Resolve = (host: string) => Promise<string[]>;

/** Every address of a name, as the system knows them. */
export const resolveHost: Resolve = async (host) =>
  (await lookup(host, { all: true })).map(({ address }) => address);

export type HostCheck =
  | { kind: "reachable"; addresses: string[] }
  | { kind: "unknown" }
  | { kind: "forbidden"; address: string };

/** Looks at every address of a host: one that must not be reached is enough to refuse it. */
export async function checkHost(host: string, resolve: Resolve = resolveHost): Promise<HostCheck> {
  const name = host.replace(/^\[|\]$/g, "");
  const addresses = isIP(name) ? [name] : await resolve(name).catch(() => []);
  const address = addresses.find(isForbidden);
  if (address !== undefined) return { kind: "forbidden", address };
  return addresses.length === 0 ? { kind: "unknown" } : { kind: "reachable", addresses };
}
