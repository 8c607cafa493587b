import { pathnameOf } from "./pathname.ts";

/** What this server is told of its own address. */
export type AddressSettings = {
  /** As it was set, no slash at the end. */
  publicUrl: string | null;
  /** Every path answers behind it, too. */
  prefix: string;
};

/**
 * Where the sender of a request reaches us: what was set, or else what it called, with the prefix if that was in it.
 * A proxy that speaks TLS for us says so; of several, the first is the sender's.
 */
export function baseAddress({ url, headers }: Request, { publicUrl, prefix }: AddressSettings): string {
  if (publicUrl !== null) return publicUrl;
  const { protocol, host } = new URL(url);
  const said = headers.get("x-forwarded-proto")?.split(",")[0]?.trim().toLowerCase();
  const scheme = said === "https" || said === "http" ? said : protocol.slice(0, -1);
  return `${scheme}://${host}${pathnameOf(url, prefix) === pathnameOf(url) ? "" : prefix}`;
}
