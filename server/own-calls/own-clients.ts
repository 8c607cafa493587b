import type { OwnCalls } from "./own-calls.ts";

const URL_NAME = Symbol.for("langgraph_api:url");
const FETCH_NAME = Symbol.for("langgraph_api:fetch");

/**
 * Clients that graphs and custom routes make without an address find this server (`agent-server.md` §1.1), also
 * where only the gateway is let in.
 * @param url where this process listens
 * @returns takes that back
 */
export function tellClients(url: string, ownCalls: Pick<OwnCalls, "fetch"> | undefined): () => void {
  const told = { [URL_NAME]: url, ...(ownCalls && { [FETCH_NAME]: ownCalls.fetch }) };
  Object.assign(globalThis, told);
  return () => {
    for (const name of [URL_NAME, FETCH_NAME]) Reflect.deleteProperty(globalThis, name);
  };
}
