import type { Fault } from "@berth/store";
import { BodyTimeout, bodyPieces, SMALL_BODY, tooLarge } from "../http/index.ts";

/** A request whose body breaks off where it is too large. */
export type Bounded = {
  request: Request;
  /** Throws `TooLarge` or `BodyTimeout` once the body broke off for that reason. */
  check(): void;
  /** Bytes of the body that may take memory: null where the request does not declare them, 0 for a small body. */
  bytes: number | null;
};

/**
 * A request for somebody who reads as much as there is.
 * @throws TooLarge it says itself that it is larger than `maxBytes`
 */
export function boundedRequest(request: Request, maxBytes: number): Bounded {
  const declared = request.headers.get("content-length");
  if (Number(declared) > maxBytes) throw tooLarge(maxBytes);
  const { body } = request;
  const isSmall = declared !== null && Number(declared) <= SMALL_BODY;
  if (isSmall || body === null) return { request, bytes: 0, check: () => undefined };
  const pieces = bodyPieces(body);
  const cancel = () => void pieces.return(undefined);
  let size = 0;
  let fault: Fault | undefined;
  // Not a `TransformStream`: what breaks off in one also rejects where nobody can hear it, and ends the process.
  const counted = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await pieces.next().catch((error) => {
        if (error instanceof BodyTimeout) fault = error;
        throw error;
      });
      if (done) return controller.close();
      size += value.byteLength;
      if (size <= maxBytes) return controller.enqueue(value);
      fault = tooLarge(maxBytes);
      controller.error(fault);
      cancel();
    },
    cancel,
  });
  const check = () => {
    if (fault) throw fault;
  };
  const bounded = new Request(request, { body: counted, duplex: "half" } as RequestInit);
  return { request: bounded, bytes: declared === null ? null : Number(declared), check };
}
