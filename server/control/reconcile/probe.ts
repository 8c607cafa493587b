import { request } from "node:http";
import type { Instance } from "@berth/store";
import { CLAIM_PATH, GATEWAY_HEADER } from "../../http/gateway-token.ts";
import type { Probe } from "./parts.ts";

const LIMIT_MS = 2_000;

/** Asks instances over loopback, as the gateway does. */
export const httpProbe: Probe = {
  async isReady(instance) {
    return (await statusOf(instance, "GET", "/ok")) === 200;
  },

  async answers(instance, limitMs) {
    return (await statusOf(instance, "GET", "/ok", undefined, limitMs)) !== undefined;
  },

  async claim(instance, claim) {
    const status = await statusOf(instance, "POST", CLAIM_PATH, JSON.stringify({ claim }));
    // What is in a container need not be a Berth: it has no runs that could be claimed twice.
    return status === 200 || (instance.driver === "container" && status === 404);
  },
};

/** Not `fetch`: that one would go through a proxy of this machine, to loopback as well. */
function statusOf(
  { port, token }: Instance,
  method: string,
  path: string,
  body?: string,
  limitMs = LIMIT_MS,
): Promise<number | undefined> {
  if (port === null) return Promise.resolve(undefined);
  const { promise, resolve } = Promise.withResolvers<number | undefined>();
  const headers = {
    [GATEWAY_HEADER]: token,
    // The next process may get the same port.
    connection: "close",
    ...(body !== undefined && { "content-type": "application/json", "content-length": body.length }),
  };
  const asking = request({ host: "127.0.0.1", port, method, path, headers }, (answer) => {
    answer.resume();
    resolve(answer.statusCode);
  });
  const limit = setTimeout(() => asking.destroy(), limitMs);
  asking.on("error", () => resolve(undefined));
  asking.on("close", () => {
    clearTimeout(limit);
    resolve(undefined);
  });
  asking.end(body);
  return promise;
}
