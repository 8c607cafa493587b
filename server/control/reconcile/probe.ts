import { request } from "node:http";
import type { Instance } from "@berth/store";
import { CLAIM_PATH, GATEWAY_HEADER, OWN_AUTH_HEADER } from "../../http/index.ts";
import type { Probe } from "./parts.ts";

const LIMIT_MS = 2_000;

/** Asks instances over loopback, as the gateway does. */
export const httpProbe: Probe = {
  async isReady(instance) {
    return (await answerOf(instance, "GET", "/ok"))?.status === 200;
  },

  async answers(instance, limitMs) {
    return (await answerOf(instance, "GET", "/ok", undefined, limitMs)) !== undefined;
  },

  async claim(instance, claim) {
    const answer = await answerOf(instance, "POST", CLAIM_PATH, JSON.stringify({ claim }));
    // What is in a container need not be a Berth: it has no runs that could be claimed twice.
    return answer?.status === 200 || (instance.driver === "container" && answer?.status === 404);
  },

  async hasOwnAuth(instance) {
    const answer = await answerOf(instance, "GET", "/ok");
    return answer?.status === 200 ? answer.hasOwnAuth : undefined;
  },
};

type Answer = { status: number | undefined; hasOwnAuth: boolean };

/** Not `fetch`: that one would go through a proxy of this machine, to loopback as well. */
function answerOf(
  { port, token }: Instance,
  method: string,
  path: string,
  body?: string,
  limitMs = LIMIT_MS,
): Promise<Answer | undefined> {
  if (port === null) return Promise.resolve(undefined);
  const { promise, resolve } = Promise.withResolvers<Answer | undefined>();
  const headers = {
    [GATEWAY_HEADER]: token,
    // The next process may get the same port.
    connection: "close",
    ...(body !== undefined && { "content-type": "application/json", "content-length": body.length }),
  };
  // A connection of its own: Bun would take up the one before, which the instance has just closed.
  const where = { host: "127.0.0.1", port, method, path, headers, agent: false };
  const asking = request(where, (answer) => {
    answer.resume();
    resolve({ status: answer.statusCode, hasOwnAuth: answer.headers[OWN_AUTH_HEADER] === "1" });
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
