import { GATEWAY_HEADER } from "./http/gateway-token.ts";

const URL_NAME = Symbol.for("langgraph_api:url");
const FETCH_NAME = Symbol.for("langgraph_api:fetch");

/**
 * Clients that graphs and custom routes make without an address find this server (`agent-server.md` §1.1), also
 * where only the gateway is let in.
 * @param url where this process listens
 * @returns takes that back
 */
export function tellClients(url: string, gatewayToken: string | null): () => void {
  const told = {
    [URL_NAME]: url,
    ...(gatewayToken !== null && { [FETCH_NAME]: ownFetch(url, gatewayToken) }),
  };
  Object.assign(globalThis, told);
  return () => {
    for (const name of [URL_NAME, FETCH_NAME]) Reflect.deleteProperty(globalThis, name);
  };
}

/** A `fetch` that is let in here; to anybody else it says nothing of the token. */
function ownFetch(url: string, token: string) {
  return (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init);
    if (new URL(request.url).origin === url) request.headers.set(GATEWAY_HEADER, token);
    // A redirect elsewhere would take the token along.
    return fetch(request, { redirect: "manual" });
  };
}
