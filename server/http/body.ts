import { setImmediate as turn } from "node:timers/promises";
import { BadRequest, type FaultDetail, TooLarge, Turns } from "@berth/store";
import { jsonFaultOf, ShapeScan, STEPS_A_TURN } from "./json-text.ts";

/** A body as JSON; `value` is undefined when nothing was sent. */
type ReadBody = { value: unknown } | { fault: FaultDetail };

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
  if (text.trim() === "") return { value: undefined };
  const turns = new Turns();
  const read = await parseInTurns(text);
  await turns.rest();
  return read;
}

function sendsBody(request: Request): boolean {
  const declared = request.headers.get("content-length");
  return declared === null ? request.body !== null : Number(declared) > 0;
}

/** As {@link parseJson}; others are served while it looks at a long text. */
export async function parseInTurns(text: string): Promise<ReadBody> {
  return parsed(text, await scanned(new ShapeScan(text)));
}

/**
 * The objects that stand `depth` deep in a JSON text, each read by itself: such a text may hold many times what
 * another may, and others are served meanwhile.
 * @returns the text's value with `{"piece": n}` in the place of the nth of them
 */
export async function parseInPieces(
  text: string,
  depth: number,
): Promise<{ fault: FaultDetail } | { value: unknown; pieces: unknown[] }> {
  const scan = await scanned(new ShapeScan(text, depth));
  if (scan.excess !== undefined) return { fault: excessive(scan.excess) };
  const pieces: unknown[] = [];
  const turns = new Turns();
  let rest = "";
  let kept = 0;
  for (const [from, to] of scan.pieces) {
    const read = parsed(text.slice(from, to));
    if ("fault" in read) return read;
    rest += `${text.slice(kept, from)}{"piece":${pieces.length}}`;
    kept = to;
    pieces.push(read.value);
    await turns.rest();
  }
  const read = parsed(rest + text.slice(kept));
  return "fault" in read ? read : { value: read.value, pieces };
}

async function scanned(scan: ShapeScan): Promise<ShapeScan> {
  while (!scan.advance(STEPS_A_TURN)) await turn();
  return scan;
}

/** Reads JSON text; what is none, or holds too much, comes back as a fault like FastAPI's. */
export function parseJson(text: string): ReadBody {
  const scan = new ShapeScan(text);
  scan.advance();
  return parsed(text, scan);
}

function parsed(text: string, { excess }: { excess?: string | undefined } = {}): ReadBody {
  if (excess !== undefined) return { fault: excessive(excess) };
  try {
    return { value: JSON.parse(text) };
  } catch {
    const { position, reason } = jsonFaultOf(text);
    const fault = { loc: ["body", position], msg: "JSON decode error", type: "json_invalid" };
    return { fault: { ...fault, input: {}, ctx: { error: reason } } };
  }
}

/** Deeper values parse, but whatever walks them later (JSON.stringify for one) runs out of stack. */
const excessive = (excess: string) => faultAt(["body"], `Value error, ${excess}`);

/** A body as text, of at most `maxBytes`. Throws `TooLarge`, or `BadRequest` when the connection broke. */
export async function readText(request: Request, maxBytes: number): Promise<string> {
  try {
    return await wholeText(request, maxBytes);
  } catch (error) {
    if (error instanceof TooLarge) throw error;
    // The connection broke, or what came over it was no HTTP.
    throw new BadRequest("The request body was cut off");
  }
}

/**
 * Reads a body of at most `maxBytes` as it came.
 * @throws TooLarge | BadRequest
 */
export async function readBytes(request: Request, maxBytes: number): Promise<Uint8Array> {
  const declared = request.headers.get("content-length");
  if (declared !== null && Number(declared) > maxBytes) throw tooLarge(maxBytes);
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = request.body?.getReader();
  try {
    for (;;) {
      const { done, value } = (await reader?.read()) ?? { done: true };
      if (done || value === undefined) return Buffer.concat(chunks, size);
      size += value.byteLength;
      if (size > maxBytes) throw tooLarge(maxBytes);
      chunks.push(value);
    }
  } catch (error) {
    void reader?.cancel().catch(() => undefined);
    if (error instanceof TooLarge) throw error;
    throw new BadRequest("The request body was cut off");
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
