import type { IncomingMessage, OutgoingHttpHeaders } from "node:http";
import { readBytes, tearDown } from "../../http/index.ts";
import { NoAnswer, type Order, tooLarge } from "./upstream.ts";

/** Of less than this the whole is waited for: it costs less than a stream does, and can be sent again. */
const SMALL = 65_536;
/** Chunks that wait for a slow reader; a chunk is what came in one piece, 64 KiB at most. */
const MOST_WAITING = 8;

/**
 * The body of a request: bytes when it is small, otherwise a stream that can be sent once.
 * @throws TooLarge | BodyTimeout | BadRequest
 */
export async function bodyOf(
  request: Request,
  maxBytes: number,
): Promise<Uint8Array | ReadableStream | null> {
  const declared = request.headers.get("content-length");
  if (declared === null) return request.body;
  const length = Number(declared);
  if (length > maxBytes) throw tooLarge(maxBytes);
  if (length === 0) return null;
  return length <= SMALL ? await readBytes(request, SMALL) : request.body;
}

/** The body of an answer. What breaks off at the instance breaks off at the caller, who must not take it for whole. */
export async function answerBody(message: IncomingMessage, method: string): Promise<BodyInit | null> {
  const { statusCode = 0, headers } = message;
  if (method === "HEAD" || statusCode === 204 || statusCode === 304) {
    message.resume();
    return null;
  }
  const length = headers["content-length"];
  if (length !== undefined && Number(length) <= SMALL) return whole(message);
  return stream(message);
}

function whole(message: IncomingMessage): Promise<Uint8Array<ArrayBuffer>> {
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array<ArrayBuffer>>();
  const chunks: Buffer[] = [];
  message.on("data", (chunk: Buffer) => chunks.push(chunk));
  message.once("end", () => resolve(Buffer.concat(chunks)));
  message.once("close", () => reject(new NoAnswer(true)));
  return promise;
}

function stream(message: IncomingMessage): ReadableStream<Uint8Array> {
  let isOver = false;
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        message.on("data", (chunk: Buffer) => {
          controller.enqueue(chunk);
          if ((controller.desiredSize ?? 0) <= 0) message.pause();
        });
        message.once("end", () => {
          isOver = true;
          controller.close();
        });
        message.once("close", () => {
          if (!isOver) void tearDown(controller);
          isOver = true;
        });
      },
      pull: () => void message.resume(),
      cancel() {
        isOver = true;
        message.destroy();
      },
    },
    { highWaterMark: MOST_WAITING },
  );
}

/** Of a stream its length has to be said; what is at hand has it. */
export function lengthOf({ headers }: Request, body: Order["body"]): OutgoingHttpHeaders {
  const length = headers.get("content-length");
  return body instanceof ReadableStream && length !== null ? { "content-length": length } : {};
}
