import { tooLarge } from "../http/index.ts";

/** A request whose body breaks off where it is too large. */
export type Bounded = {
  request: Request;
  /** Throws `TooLarge` once it broke off. */
  checkSize(): void;
};

/**
 * A request for somebody who reads as much as there is.
 * @throws TooLarge it says itself that it is larger than `maxBytes`
 */
export function boundedRequest(request: Request, maxBytes: number): Bounded {
  const declared = request.headers.get("content-length");
  if (Number(declared) > maxBytes) throw tooLarge(maxBytes);
  const { body } = request;
  // No more than it says can come.
  if (declared !== null || body === null) return { request, checkSize: () => undefined };
  const reader = body.getReader();
  // Not waited for: of a copy, the cancelling is over only when the other one is read or cancelled, too.
  const cancel = () => void reader.cancel().catch(() => undefined);
  let size = 0;
  // Not a `TransformStream`: what breaks off in one also rejects where nobody can hear it, and ends the process.
  const counted = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done) return controller.close();
      size += value.byteLength;
      if (size <= maxBytes) return controller.enqueue(value);
      controller.error(tooLarge(maxBytes));
      cancel();
    },
    cancel,
  });
  const checkSize = () => {
    if (size > maxBytes) throw tooLarge(maxBytes);
  };
  return { request: new Request(request, { body: counted, duplex: "half" } as RequestInit), checkSize };
}
