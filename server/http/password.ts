// What a person opens by its address. Nothing changes by reading them, so a foreign page wins nothing by making
// a browser, which sends a password by itself once it has one, ask for them.
const pages = /^\/(?:docs(?:\/[\w.-]+)?|openapi\.json|info|metrics)$/;

/**
 * The API key as the password that a browser asks for (RFC 7617; the user name does not matter): a person who
 * opens a page cannot send `X-Api-Key`. Undefined where there is none, or where passwords are not taken.
 */
export function passwordOf(request: Request, pathname: string): string | undefined {
  const encoded = /^Basic +(\S+)$/i.exec(request.headers.get("authorization") ?? "")?.[1];
  if (encoded === undefined || request.method !== "GET" || !pages.test(pathname)) return undefined;
  const credentials = Buffer.from(encoded, "base64").toString();
  const colon = credentials.indexOf(":");
  return colon === -1 ? undefined : credentials.slice(colon + 1);
}

/** `WWW-Authenticate` of a 401: a browser in which a person opens a page asks for the key. */
export function challengeOf(request: Request): string {
  const opened = request.method === "GET" && request.headers.get("accept")?.includes("text/html") === true;
  return opened && pages.test(new URL(request.url).pathname)
    ? 'Basic realm="Berth: any name, the API key as password", charset="UTF-8"'
    : "Bearer";
}
