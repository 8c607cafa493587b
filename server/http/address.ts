/**
 * Whether a request says which host it is for. Where its `Host` is missing or no host at all, Bun gives the path
 * alone as its address.
 */
export const namesHost = (url: string): boolean => !url.startsWith("/");

/**
 * The path of a request's address, without the prefix that the project has in front of all of them. What the
 * guard reads here the router must read, too, or there would be a way around the guard.
 */
export function pathnameOf(url: string, prefix = ""): string {
  const start = namesHost(url) ? url.indexOf("/", url.indexOf("//") + 2) : 0;
  if (start === -1) return "/";
  const end = url.indexOf("?", start);
  const path = end === -1 ? url.slice(start) : url.slice(start, end);
  if (prefix === "" || !path.startsWith(prefix)) return path;
  const rest = path.slice(prefix.length);
  if (rest === "") return "/";
  return rest.startsWith("/") ? rest : path;
}

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
