import type { Invalid } from "@berth/store";
import { Type } from "@sinclair/typebox";
import { json } from "./answer.ts";

/** A message of JSON-RPC 2.0; what is in it is for the protocol above to judge. */
export const JsonRpcMessage = Type.Record(Type.String(), Type.Unknown(), {
  title: "JsonRpcMessage",
  description: "A message of JSON-RPC 2.0: `jsonrpc`, `id`, `method`, `params`.",
});

const NOT_JSON = new Set(["json_invalid", "missing", "value_error"]);

/** Answers a body that is no such message, in the words of JSON-RPC. */
export function refuseMessage({ details }: Invalid): Response {
  if (details.some(({ loc }) => loc[0] === "header")) return failure(415, -32_700, "Send application/json");
  return details.some(({ type }) => NOT_JSON.has(type))
    ? failure(400, -32_700, "Parse error")
    : failure(400, -32_600, "Invalid Request");
}

/** The same in the words of A2A, which has a code for a body of another type. */
export function refuseA2aMessage(invalid: Invalid): Response {
  const isOther = invalid.details.some(({ loc }) => loc[0] === "header");
  return isOther
    ? failure(415, -32_005, "Content type not supported: send application/json")
    : refuseMessage(invalid);
}

const failure = (status: number, code: number, message: string) =>
  json({ jsonrpc: "2.0", id: null, error: { code, message } }, status);
