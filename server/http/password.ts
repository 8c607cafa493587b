import type { Policy } from "../access/index.ts";
import { callOf } from "./call.ts";

/**
 * The API key as the password that a browser asks for (RFC 7617; the user name does not matter): a person who
 * opens a page cannot send `X-Api-Key`. Nothing changes by reading such a page, so a foreign page wins nothing by making
 * a browser, which sends a password by itself once it has one, ask for it. Undefined where there is none, or where
 * passwords are not taken.
 */
export function passwordOf(request: Request, { password }: Policy): string | undefined {
  const encoded = /^Basic +(\S+)$/i.exec(request.headers.get("authorization") ?? "")?.[1];
  if (encoded === undefined || request.method !== "GET" || !password) return undefined;
  const credentials = Buffer.from(encoded, "base64").toString();
  const colon = credentials.indexOf(":");
  return colon === -1 ? undefined : credentials.slice(colon + 1);
}

/** `WWW-Authenticate` of a 401: a browser in which a person opens a page asks for the key. */
export function challengeOf(request: Request): string {
  const policy = callOf(request).place?.policy;
  if (policy?.asks === "registry token")
    return 'Basic realm="Berth: any name, a push token as password", charset="UTF-8"';
  const opened = request.method === "GET" && request.headers.get("accept")?.includes("text/html") === true;
  return opened && policy?.password
    ? 'Basic realm="Berth: any name, the API key as password", charset="UTF-8"'
    : "Bearer";
}
