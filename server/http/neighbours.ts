import { Denied } from "@berth/store";
import { isLoopbackHost } from "../reach/index.ts";
import type { Cors } from "./cors.ts";

/** What proxies add to a request. */
const FORWARDED = /^(?:forwarded|via|x-real-ip|x-forwarded-.*)$/;
const REMEDY = 'set SERVICE_API_KEY, or create a key with "berth keys create"';

type Rules = {
  cors: Pick<Cors, "isNeighbour">;
  /** Where others reach this server, as it was set (`PUBLIC_URL`). */
  announced?: string | null | undefined;
  /** For a file that any page may load, from wherever: a component's document has no origin to name. */
  anyOrigin?: boolean;
};

/**
 * Without keys, whoever is on this machine may do everything, and nobody else may anything: neither a name that was
 * rebound to loopback, nor a page of another site, nor who comes through a proxy, which is on this machine itself.
 * @throws Denied
 */
export function refuseStranger(request: Request, { cors, announced, anyOrigin = false }: Rules): void {
  if (announced && !isLoopbackHost(new URL(announced).host))
    throw new Denied(
      `PUBLIC_URL is ${announced}, so others reach this server: it needs an API key. To make one, ${REMEDY}`,
    );
  const host = request.headers.get("host") ?? hostOf(request.url);
  if (!isLoopbackHost(host)) throw new Denied("Without an API key only loopback host names are served");
  for (const name of request.headers.keys())
    if (FORWARDED.test(name))
      throw new Denied(
        `This request came through a proxy (${name}), and without an API key everybody behind it could do everything: ${REMEDY}`,
      );
  const origin = request.headers.get("origin");
  if (origin !== null && !anyOrigin && !cors.isNeighbour(origin))
    throw new Denied("This origin may not call a server without an API key");
}

function hostOf(url: string): string {
  return /^https?:\/\/([^/?#]+)/i.exec(url)?.[1] ?? "";
}
