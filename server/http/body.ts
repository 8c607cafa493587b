import { BadRequest, type FaultDetail, TooLarge } from "@berth/store";
import { jsonFaultOf, nestsDeeperThan } from "./json-text.ts";

/** A body as JSON; `value` is undefined when nothing was sent. */
export type ReadBody = { value: unknown } | { fault: FaultDetail };

const deepest = 1_000;
const json = /^\s*application\/([\w.+-]*\+)?json\s*(;|$)/i;
// Clients send JSON as plain text too, to spare a browser the preflight.
const plainText = /^\s*text\/plain\s*(;|$)/i;

/**
 * Reads a JSON body of at most `maxBytes`. Throws `TooLarge` as soon as the limit is known to be passed: from
 * the declared length, or while reading. Text that is no JSON comes back as the fault FastAPI gives.
 * @param strict plain text is no JSON, either
 */
export async function readBody(request: Request, maxBytes: number, strict = false): Promise<ReadBody> {
  const mediaType = request.headers.get("content-type") ?? "";
  const isJson = mediaType === "" || json.test(mediaType) || (!strict && plainText.test(mediaType));
  // What is something else by its own word is not even read.
  if (!isJson && sendsBody(request))
    return { fault: faultAt(["header", "content-type"], "Value error, send the body as application/json") };
  const text = await readText(request, maxBytes);
  return text.trim() === "" ? { value: undefined } : parseJson(text);
}

function sendsBody(request: Request): boolean {
  const declared = request.headers.get("content-length");
  return declared === null ? request.body !== null : Number(declared) > 0;
}

/** Reads JSON text; what is none comes back as the fault FastAPI gives. */
export function parseJson(text: string): ReadBody {
  // Deeper values parse, but whatever walks them later (JSON.stringify for one) runs out of stack.
  if (nestsDeeperThan(text, deepest))
    return { fault: faultAt(["body"], `Value error, nested more than ${deepest} levels deep`) };
  try {
    return { value: JSON.parse(text) };
  } catch {
    const { position, reason } = jsonFaultOf(text);
    const fault = { loc: ["body", position], msg: "JSON decode error", type: "json_invalid" };
    return { fault: { ...fault, input: {}, ctx: { error: reason } } };
  }
}

/** A body as text, of at most `maxBytes`. Throws `TooLarge`, or `BadRequest` when the connection broke. */
export async function readText(request: Request, maxBytes: number): Promise<string> {
  try {
    return await wholeText(request, maxBytes);
  } catch (error) {
    if (error instanceof TooLarge) throw error;
    // The connection broke, or what came over it was no HTTP.
    throw new BadRequest("The request body ended before it was whole");
  }
}

async function wholeText(request: Request, maxBytes: number): Promise<string> {
  const declared = request.headers.get("content-length");
  if (declared !== null) {
    if (Number(declared) > maxBytes) throw tooLarge(maxBytes);
    // Without a look at `body`: that alone makes a stream of it, which costs more than the rest of the request.
    return request.text();
  }
  if (request.body === null) return "";
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = request.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.byteLength;
    if (size > maxBytes) {
      // Not waited for: where somebody has a copy of the body, it is over only when they are done, too.
      void reader.cancel().catch(() => undefined);
      throw tooLarge(maxBytes);
    }
    chunks.push(value);
  }
  return Buffer.concat(chunks, size).toString("utf8");
}

export function tooLarge(maxBytes: number): TooLarge {
  return new TooLarge(`Request body is larger than the limit of ${maxBytes} bytes`);
}

function faultAt(loc: (string | number)[], msg: string): FaultDetail {
  return { loc, msg, type: "value_error", ctx: { error: {} } };
}
