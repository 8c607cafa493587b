/** The path of a request's address, without the prefix that the project has in front of all of them. */
export function pathnameOf(url: string, prefix = ""): string {
  const start = url.indexOf("/", url.indexOf("//") + 2);
  if (start === -1) return "/";
  const end = url.indexOf("?", start);
  const path = end === -1 ? url.slice(start) : url.slice(start, end);
  if (prefix === "" || !path.startsWith(prefix)) return path;
  const rest = path.slice(prefix.length);
  if (rest === "") return "/";
  return rest.startsWith("/") ? rest : path;
}
