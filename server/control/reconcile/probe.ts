import { type IncomingMessage, request } from "node:http";
import type { Instance } from "@berth/store";
import { CLAIM_PATH, GATEWAY_HEADER, OWN_AUTH_HEADER, REST_PATH } from "../../http/index.ts";
import type { InstanceRest, Probe } from "./parts.ts";

const LIMIT_MS = 2_000;
/**
 * Maximum size of an answer's body that is read: Berth's own answers take less than 200 bytes. A project's code can
 * answer without an end, and what is read is in the memory of this process.
 */
const MAX_BODY_BYTES = 4_096;

/** Asks instances where they listen, as the gateway does. */
export const httpProbe: Probe = {
  async isReady(instance) {
    return (await answerOf(instance, "GET", healthPath(instance)))?.status === 200;
  },

  async answers(instance, limitMs) {
    return (await answerOf(instance, "GET", healthPath(instance), undefined, limitMs)) !== undefined;
  },

  async claim(instance, claim) {
    const answer = await answerOf(instance, "POST", CLAIM_PATH, JSON.stringify({ claim }));
    // What is in a container need not be a Berth: it has no runs that could be claimed twice.
    return answer?.status === 200 || (instance.driver === "container" && answer?.status === 404);
  },

  async rest(instance) {
    const answer = await answerOf(instance, "GET", REST_PATH);
    return answer?.status === 200 && answer.text !== undefined ? restIn(answer.text) : undefined;
  },

  async hasOwnAuth(instance) {
    const answer = await answerOf(instance, "GET", healthPath(instance));
    return answer?.status === 200 ? answer.hasOwnAuth : undefined;
  },
};

const healthPath = ({ health_path }: Instance): string => health_path ?? "/ok";

type Answer = {
  status: number | undefined;
  hasOwnAuth: boolean;
  /** Undefined where the body is larger than the limit. */
  text: string | undefined;
};

/** Undefined for anything else: what answers may be a project's code, and not a Berth. */
function restIn(text: string): InstanceRest | undefined {
  const told = parsed(text);
  const isRest =
    typeof told === "object" &&
    told !== null &&
    "busy" in told &&
    typeof told.busy === "boolean" &&
    "last_request_at" in told &&
    typeof told.last_request_at === "number" &&
    (!("idle_ms" in told) || typeof told.idle_ms === "number") &&
    "next_at" in told &&
    // A time that no column holds would fail where it is stored.
    (told.next_at === null || Number.isSafeInteger(told.next_at));
  return isRest ? (told as InstanceRest) : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Not `fetch`: that one would go through a proxy of this machine, to loopback as well. */
function answerOf(
  { port, address, token }: Instance,
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
  const host = address === null ? "127.0.0.1" : new URL(address).hostname;
  const where = { host, port, method, path, headers, agent: false };
  const asking = request(where, (answer) => {
    const { statusCode: status, headers } = answer;
    readBody(answer).then(
      (text) => resolve({ status, hasOwnAuth: headers[OWN_AUTH_HEADER] === "1", text }),
      () => resolve(undefined),
    );
  });
  const limit = setTimeout(() => asking.destroy(), limitMs);
  asking.on("error", () => resolve(undefined));
  asking.on("close", () => {
    clearTimeout(limit);
    // What was read is told first.
    setImmediate(() => resolve(undefined));
  });
  asking.end(body);
  return promise;
}

/** Reads a body as text; undefined for one that is larger than the limit, whose connection is closed. */
async function readBody(answer: IncomingMessage): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of answer) {
    size += chunk.length;
    // Leaving the loop destroys the connection.
    if (size > MAX_BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
