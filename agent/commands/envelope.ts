import { isRecord } from "../record.ts";
import { Params } from "./params.ts";
import { ProtocolError } from "./reply.ts";

/** A command as clients send it. Ids repeat across tabs and reloads: they only pair a reply with its question. */
export type Envelope = { id: number; method: string; params: Params };

/**
 * Reads the outer form of a command.
 * @throws ProtocolError when it is no command at all
 */
export function readEnvelope(given: unknown): Envelope {
  if (!isRecord(given)) throw malformed("a command is an object with id, method and params");
  const { id, method, params } = given;
  if (typeof id !== "number" || !Number.isSafeInteger(id) || id < 0) {
    throw malformed("id must be a whole number, 0 or more");
  }
  if (typeof method !== "string" || method === "") throw malformed("method must be a text");
  if (params !== undefined && params !== null && !isRecord(params))
    throw malformed("params must be an object");
  return { id, method, params: new Params(params ?? {}) };
}

const malformed = (message: string) => new ProtocolError("invalid_argument", message);
