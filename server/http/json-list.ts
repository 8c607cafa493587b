import { Turns } from "@berth/store";
import { jsonText } from "./answer.ts";
import { jsonStream } from "./sse.ts";
import type { StreamReader } from "./text-stream.ts";

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
