import { Turns } from "@berth/store";
import { logger } from "../log/index.ts";
import { jsonText, streamed } from "./answer.ts";
import { callOf } from "./call.ts";
import { type StreamEnd, type StreamReader, type StreamSource, textStream } from "./text-stream.ts";

type StreamOptions = {
  headers?: Record<string, string>;
  /** Called exactly once; the place for `on_disconnect: "cancel"`. Must not throw. */
  onClose?(end: StreamEnd): void;
  /** Time between heartbeats, in ms. */
  beatMs?: number;
};

const log = logger("http");
const unbuffered = { "cache-control": "no-cache", "x-accel-buffering": "no" };

/**
 * Server-sent events from whole frames of text. Headers leave at once. A heartbeat is a comment line with no
 * blank line behind it: after a blank line the JavaScript client, whose event id is sticky, makes up an event.
 * When the source throws, the socket is torn down: a clean end would tell the client that the run is over.
 */
export function sse(reader: StreamReader, source: StreamSource, options: StreamOptions = {}): Response {
  const beat = { text: ": heartbeat\n", everyMs: options.beatMs ?? 5_000 };
  return answer(reader, source, beat, "text/event-stream", options);
}

/**
 * A JSON answer that may be long in coming: headers at once, then a newline every second (JSON allows blanks
 * in front), then the text that `result` resolves to. A rejection tears the socket down, so whatever the caller
 * did wrong must have been found before.
 */
export function waitJson(
  reader: StreamReader,
  result: Promise<string>,
  options: StreamOptions = {},
): Response {
  const source = async function* () {
    yield await result;
  };
  return answer(
    reader,
    source,
    { text: "\n", everyMs: options.beatMs ?? 1_000 },
    "application/json",
    options,
  );
}

/** A JSON answer that is sent while it is made, in pieces that a blank may stand between. */
function jsonStream(reader: StreamReader, source: StreamSource, options: StreamOptions = {}): Response {
  return answer(
    reader,
    source,
    { text: "\n", everyMs: options.beatMs ?? 5_000 },
    "application/json",
    options,
  );
}

function answer(
  reader: StreamReader,
  source: StreamSource,
  beat: { text: string; everyMs: number },
  mediaType: string,
  { headers, onClose }: StreamOptions,
): Response {
  const body = textStream(reader, source, {
    beat,
    onClose: (end, error) => {
      if (end === "failed") {
        const { id, route } = callOf(reader.request);
        log.error("stream failed", { request: id, route, error });
      }
      onClose?.(end);
    },
  });
  return streamed(body, { "content-type": mediaType, ...unbuffered, ...headers });
}

/** What is no longer than this leaves as one answer, with its length. */
const AT_ONCE_CHARS = 1_048_576;

/**
 * A JSON list whose elements come some at a time. A long one is sent while it is read, so that it is never in memory as
 * a whole, and others are served meanwhile. What goes wrong before that is an answer of its own; later it tears the
 * connection down.
 * @param textOf the JSON of one element
 * @param around what stands before and behind the list, where it is a member of an object
 */
export async function jsonList<Element>(
  reader: StreamReader,
  groups: AsyncIterable<Element[]>,
  textOf: (element: Element) => string,
  { headers = {}, around = ["", ""] }: { headers?: Record<string, string>; around?: [string, string] } = {},
): Promise<Response> {
  const texts = inTurns(groups, textOf);
  let begun = `${around[0]}[`;
  for (;;) {
    const { done, value } = await texts.next();
    if (done) return jsonText(`${begun}]${around[1]}`, 200, headers);
    begun += value;
    if (begun.length > AT_ONCE_CHARS) break;
  }
  const rest = async function* () {
    yield begun;
    yield* texts;
    yield `]${around[1]}`;
  };
  return jsonStream(reader, rest(), { headers });
}

async function* inTurns<Element>(
  groups: AsyncIterable<Element[]>,
  textOf: (element: Element) => string,
): AsyncGenerator<string> {
  const turns = new Turns();
  let comma = "";
  for await (const group of groups)
    for (const element of group) {
      // To read it may have taken its time already.
      await turns.rest();
      yield comma + textOf(element);
      comma = ",";
    }
}
