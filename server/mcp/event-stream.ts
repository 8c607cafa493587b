import { type StreamReader, sse } from "../http/index.ts";

/**
 * The library's answer, its events as one of our streams: with a heartbeat from the beginning. Of a stream without a
 * byte Bun has not sent all headers, and a cut would look as an end.
 */
export function asOurs(answer: Response, reader: StreamReader): Response {
  const { body, headers } = answer;
  if (!body || headers.get("content-type")?.startsWith("text/event-stream") !== true) return answer;
  return sse(reader, (gone) => textsOf(body, gone), { headers: Object.fromEntries(headers) });
}

async function* textsOf(body: ReadableStream<Uint8Array>, gone: AbortSignal): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  gone.addEventListener("abort", () => void reader.cancel().catch(() => undefined), { once: true });
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield decoder.decode(value, { stream: true });
  }
}
