import { setImmediate as turn } from "node:timers/promises";
import { BadRequest, Fault, type FaultDetail, TooLarge, Turns } from "@berth/store";
import { type BodyBudget, type BodyLease, SMALL_BODY } from "./body-budget.ts";
import { callOf } from "./call.ts";
import { networkOf } from "./client-address.ts";
import { JsonReader } from "./json-reader.ts";
import { ShapeScan, STEPS_A_TURN } from "./json-text.ts";

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

/** Maximum UTF-16 units of a text that is parsed at once: `JSON.parse` takes at most a few milliseconds for it. */
const MAX_PARSED_AT_ONCE = 131_072;
/** So many steps of a {@link JsonReader} take a few milliseconds at most. */
const STEPS_BETWEEN_CHECKS = 100;

/** As {@link parseJson}; others are served while it reads a long text. */
export async function parseInTurns(text: string): Promise<ReadBody> {
  if (text.length <= MAX_PARSED_AT_ONCE) return parseJson(text);
  const reader = new JsonReader(text);
  const turns = new Turns();
  for (;;) {
    const result = reader.advance(STEPS_BETWEEN_CHECKS);
    if (result) return toReadBody(result);
    const rest = turns.rest();
    if (rest) await rest;
  }
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
    const read = await parseInTurns(text.slice(from, to));
    if ("fault" in read) return read;
    rest += `${text.slice(kept, from)}{"piece":${pieces.length}}`;
    kept = to;
    pieces.push(read.value);
    await turns.rest();
  }
  const read = await parseInTurns(rest + text.slice(kept));
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
  if (scan.excess !== undefined) return { fault: excessive(scan.excess) };
  try {
    return { value: JSON.parse(text) };
  } catch {
    return toReadBody(new JsonReader(text).finish());
  }
}

function toReadBody(result: ReturnType<JsonReader["finish"]>): ReadBody {
  if ("value" in result) return result;
  if ("excess" in result) return { fault: excessive(result.excess) };
  const { position, reason } = result.fault;
  const fault = { loc: ["body", position], msg: "JSON decode error", type: "json_invalid" };
  return { fault: { ...fault, input: {}, ctx: { error: reason } } };
}

/** Deeper values parse, but whatever walks them later (JSON.stringify for one) runs out of stack. */
const excessive = (excess: string) => faultAt(["body"], `Value error, ${excess}`);

/** A body is slower than {@link Pace} allows (408). */
export class BodyTimeout extends Fault {
  override name = "BodyTimeout";
}

/** How slow a body may be. */
export type Pace = {
  /** How long (ms) the bytes of a body may be waited for, whatever arrives. */
  graceMs: number;
  /** Extends the grace by one second for each of so many bytes that have arrived. */
  bytesPerSecond: number;
};

/** 256 kbit/s, as of a slow mobile connection, after half a minute without any demand. */
const PACE: Pace = { graceMs: 30_000, bytesPerSecond: 32_768 };

/** What reading a body depends on; by default the process's budget and {@link PACE}. */
type BodyReading = { budget?: BodyBudget; pace?: Pace };

/**
 * Reads a body of at most `maxBytes` as UTF-8 text.
 * @throws TooLarge | TooMany | BodyTimeout | BadRequest the connection broke
 */
export async function readText(
  request: Request,
  maxBytes: number,
  { budget, pace = PACE }: BodyReading = {},
): Promise<string> {
  const declared = declaredBytes(request);
  if (declared !== null && declared > maxBytes) throw tooLarge(maxBytes);
  // Without `body`: reading that property makes a stream, which costs more than the rest of a small request.
  if (!budget && declared !== null && declared <= SMALL_BODY) return inTime(request.text(), pace);
  const bytes = await readBytes(request, maxBytes, { ...(budget && { budget }), pace });
  return new TextDecoder().decode(bytes);
}

/**
 * Reads a body of at most `maxBytes` as it came.
 * @throws TooLarge | TooMany | BodyTimeout | BadRequest the connection broke
 */
export async function readBytes(
  request: Request,
  maxBytes: number,
  { budget, pace = PACE }: BodyReading = {},
): Promise<Buffer> {
  const declared = declaredBytes(request);
  if (declared !== null && declared > maxBytes) throw tooLarge(maxBytes);
  if (!budget && declared !== null && declared <= SMALL_BODY)
    return Buffer.from(await inTime(request.arrayBuffer(), pace));
  return withinBudget(
    request,
    declared,
    async (lease) => {
      const chunks: Uint8Array[] = [];
      let size = 0;
      for await (const chunk of bodyPieces(request.body, pace)) {
        size += chunk.byteLength;
        if (size > maxBytes) throw tooLarge(maxBytes);
        lease.grow(size);
        chunks.push(chunk);
      }
      return Buffer.concat(chunks, size);
    },
    budget,
  );
}

/**
 * Does `work` with a request's body once the budget has room for it.
 * @param bytes what it takes; null where the request does not declare it
 * @param budget by default that of the process
 * @throws TooMany
 */
export async function withinBudget<Result>(
  request: Request,
  bytes: number | null,
  work: (lease: Pick<BodyLease, "grow">) => Promise<Result>,
  budget: BodyBudget | undefined = callOf(request).bodies,
): Promise<Result> {
  const lease = await budget?.acquire(networkOf(callOf(request).client), bytes);
  try {
    return await work(lease ?? { grow: () => undefined });
  } finally {
    lease?.release();
  }
}

/**
 * The pieces of a body as they arrive. Only the time that the sender takes counts, not that of the reader.
 * @throws BodyTimeout | BadRequest the connection broke
 */
export async function* bodyPieces(
  body: ReadableStream<Uint8Array> | null,
  pace: Pace = PACE,
): AsyncGenerator<Uint8Array> {
  if (body === null) return;
  const reader = body.getReader();
  let size = 0;
  let waitedMs = 0;
  try {
    for (;;) {
      const begun = performance.now();
      const graceMs = pace.graceMs + (size / pace.bytesPerSecond) * 1_000 - waitedMs;
      const { done, value } = await inTime(reader.read(), { ...pace, graceMs });
      if (done) return;
      waitedMs += performance.now() - begun;
      size += value.byteLength;
      yield value;
    }
  } finally {
    // Not awaited: the copy of a body ends only when the other copy has been read or cancelled, too.
    void reader.cancel().catch(() => undefined);
  }
}

/** @throws BodyTimeout | BadRequest */
function inTime<Read>(reading: Promise<Read>, { graceMs }: Pace): Promise<Read> {
  const { promise, resolve, reject } = Promise.withResolvers<Read>();
  const timer = setTimeout(
    () =>
      reject(new BodyTimeout("The request body arrives too slowly: send it faster, or send less at once")),
    Math.max(0, graceMs),
  );
  // A read fails where the connection broke, or where its bytes were not HTTP.
  reading.then(resolve, () => reject(new BadRequest("The request body was cut off")));
  return promise.finally(() => clearTimeout(timer));
}

/** The length that a request declares; null where it declares none. */
function declaredBytes({ headers }: Request): number | null {
  const declared = headers.get("content-length");
  return declared === null ? null : Number(declared);
}

export function tooLarge(maxBytes: number): TooLarge {
  return new TooLarge(`Request body is larger than the limit of ${maxBytes} bytes`);
}

function faultAt(loc: (string | number)[], msg: string): FaultDetail {
  return { loc, msg, type: "value_error", ctx: { error: {} } };
}
