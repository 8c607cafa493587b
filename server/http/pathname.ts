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
