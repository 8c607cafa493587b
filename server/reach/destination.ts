import { lookup } from "node:dns/promises";
import { isIP, type LookupFunction } from "node:net";
import { type Reach, Refused } from "./reach.ts";

/** Every address of a name. */
export type Resolve = (name: string) => Promise<readonly string[]>;

/** As the system knows them. */
export const resolveName: Resolve = async (name) =>
  (await lookup(name, { all: true, verbatim: true })).map(({ address }) => address);

/** How long whoever names an address waits for its name to be looked up. */
const LOOKUP_MS = 5_000;
const MOST_CHARS = 2_048;

/** Ports of mail, shells and file shares: what is sent there could be read as commands. */
const CLOSED_PORTS = new Set([
  ...[0, 1, 7, 9, 19, 20, 21, 22, 23, 25, 53, 69, 110, 111, 119, 123, 135, 137, 139, 143, 161, 179, 389],
  ...[445, 465, 512, 513, 514, 515, 587, 636, 993, 995, 2049, 6000, 6379, 11211],
]);

/** Whether nothing that speaks HTTP is meant by a port. */
export const isClosedPort = (port: number): boolean => CLOSED_PORTS.has(port);

/** An address that is written as one may be: not yet whether what it names may be called. @throws Refused */
export function readUrl(text: string): URL {
  if (text.length > MOST_CHARS) throw new Refused(`must have at most ${MOST_CHARS} characters`);
  // Stricter than `URL`, which mends slashes and drops line ends: what is shown must be what is called.
  if (!/^https?:\/\/[^/\s\\]/i.test(text) || !URL.canParse(text) || hasControls(text))
    throw new Refused("must be an http:// or https:// address");
  const url = new URL(text);
  if (url.username !== "" || url.password !== "" || /^https?:\/\/[^/?#]*@/i.test(text))
    throw new Refused("must not hold a user or a password: send them in a header");
  if (url.hash !== "") throw new Refused("must not have a fragment");
  if (isClosedPort(portOf(url))) throw new Refused(`must not go to port ${portOf(url)}`);
  return url;
}

function hasControls(text: string): boolean {
  return [...text].some((character) => character <= " " || character === "\u007f");
}

export function portOf(url: URL): number {
  return url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port);
}

/** The host of a URL: a name in small letters without a dot at its end, or an address without brackets. */
export function hostOf(url: URL): string {
  return url.hostname
    .toLowerCase()
    .replace(/^\[|\]$/g, "")
    .replace(/\.+$/, "");
}

/**
 * The addresses that a host stands for, if each of them may be called: where only some may, somebody is trying
 * something.
 * @throws Refused one may not be called; whatever `resolve` throws
 */
export async function addressesOf(
  host: string,
  port: number,
  reach: Reach,
  resolve: Resolve,
): Promise<readonly string[]> {
  if (host === "") throw new Refused("names no host");
  if (isIP(host) !== 0) return judged(host, [host], port, reach);
  if (isLoopbackName(host)) return loopback(host, port, reach);
  const found = await resolve(host);
  if (found.length === 0) throw new Error(`${host} has no address`);
  if (isInternalName(host) && !found.every((address) => reach.isOpened(address)))
    throw new Refused(`${host} is a name of the inside${reach.howToAllow(found)}`);
  return judged(host, found, port, reach);
}

function judged(host: string, addresses: readonly string[], port: number, reach: Reach): readonly string[] {
  for (const address of addresses) {
    const reason = reach.refusal(address, port);
    if (reason !== undefined)
      throw new Refused(host === address ? `${address} ${reason}` : `${host} is ${address}, which ${reason}`);
  }
  return addresses;
}

function isLoopbackName(host: string): boolean {
  return host === "localhost" || host.endsWith(".localhost") || host === "localhost.localdomain";
}

function isInternalName(host: string): boolean {
  return host === "internal" || host.endsWith(".internal");
}

/** The machine itself is asked nobody for, and called only where it was opened. */
function loopback(host: string, port: number, reach: Reach): readonly string[] {
  const open = ["127.0.0.1", "::1"].filter((address) => reach.isOpened(address));
  if (open.length === 0) throw new Refused(`${host} is this machine${reach.howToAllow(["127.0.0.1"])}`);
  return judged(host, open, port, reach);
}

/**
 * The addresses of a host that each may be called, within a time that somebody waits for.
 * @throws Refused one may not be called
 * @throws UnknownHost its name cannot be looked up
 */
export async function lookUp(
  host: string,
  port: number,
  reach: Reach,
  resolve: Resolve = resolveName,
): Promise<readonly string[]> {
  const limit = Promise.withResolvers<never>();
  const timer = setTimeout(() => limit.reject(new Error("no answer in time")), LOOKUP_MS);
  try {
    return await Promise.race([addressesOf(host, port, reach, resolve), limit.promise]);
  } catch (error) {
    throw error instanceof Refused ? error : new UnknownHost(`${host} cannot be looked up`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

/** A name that nobody here knows. */
export class UnknownHost extends Refused {
  override name = "UnknownHost";
}

/**
 * Whether requests may go to an address, as far as can be known now; every delivery checks again.
 * @throws Refused also when its name cannot be looked up
 */
export async function checkUrl(text: string, reach: Reach, resolve: Resolve = resolveName): Promise<URL> {
  const url = readUrl(text);
  await lookUp(hostOf(url), portOf(url), reach, resolve);
  return url;
}

/**
 * What a socket looks its host up with: it connects to addresses that were judged and to no others, so that a
 * name cannot answer one thing to the check and another to the socket.
 */
export function judgingLookup(port: number, reach: Reach, resolve: Resolve): LookupFunction {
  return (name, { all }, done) => {
    addressesOf(name.toLowerCase().replace(/\.+$/, ""), port, reach, resolve).then(
      (addresses) => {
        const found = addresses.map((address) => ({ address, family: isIP(address) }));
        const [first] = found;
        if (all) done(null, found);
        else done(null, first?.address ?? "", first?.family);
      },
      (error) => done(error instanceof Error ? error : new Error(String(error)), ""),
    );
  };
}
