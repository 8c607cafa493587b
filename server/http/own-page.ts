/** Where a browser says that a request comes from; `unknown` for what no browser of today sends. */
export type Origin = "own page" | "elsewhere" | "unknown";

/**
 * Whether a page of ours made the request: as the browser says itself (`Sec-Fetch-Site`, which it leaves out
 * where there is no TLS), else by the origin of the page.
 * @param publicUrl our address as browsers know it; a proxy may put another name into `Host`
 */
export function originOf({ headers }: Request, publicUrl: string): Origin {
  const site = headers.get("sec-fetch-site");
  // "none": typed in, or from a bookmark.
  if (site !== null) return site === "same-origin" || site === "none" ? "own page" : "elsewhere";
  const origin = headers.get("origin");
  if (origin === null) return "unknown";
  if (!URL.canParse(origin)) return "elsewhere";
  const { host } = new URL(origin);
  return origin === new URL(publicUrl).origin || host === headers.get("host") ? "own page" : "elsewhere";
}

/**
 * Whether a request may lean on a cookie, which a browser sends by itself: one that changes something only from
 * a page of ours, a reading one also when somebody follows a link to it.
 */
export function mayUseCookie(request: Request, publicUrl: string): boolean {
  const origin = originOf(request, publicUrl);
  if (request.method !== "GET" && request.method !== "HEAD") return origin === "own page";
  return origin !== "elsewhere" || request.headers.get("sec-fetch-mode") === "navigate";
}

/** Whether a browser opens a page in a tab, and not in a frame of another page. */
export const isOpenedPage = ({ method, headers }: Request): boolean =>
  (method === "GET" || method === "HEAD") &&
  headers.get("sec-fetch-mode") === "navigate" &&
  headers.get("sec-fetch-dest") === "document";
