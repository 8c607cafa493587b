// The least that a server with this project can be: the graphs called from Bun.serve, with no queue, no log, no
// checks and nothing kept. What Berth is slower than this is Berth; the rest is the price of a socket.
import { bareCalls, STATELESS } from "./bare-calls.ts";
import type { GraphName } from "./job.ts";

type Body = { assistant_id: GraphName; input: Record<string, unknown> };

bareCalls();
Bun.serve({
  hostname: "127.0.0.1",
  port: Number(process.argv[2]),
  fetch: async (request) => {
    if (request.method !== "POST") return Response.json({ ok: true });
    const body: Body = await request.json();
    if (request.url.endsWith("/stream")) return new Response(streamOf(events(body)), { headers: SSE });
    return new Response(encode(await STATELESS[body.assistant_id].invoke(body.input)), {
      headers: JSON_TYPE,
    });
  },
});

const SSE = { "content-type": "text/event-stream" };
const JSON_TYPE = { "content-type": "application/json" };

async function* events({ assistant_id, input }: Body) {
  for await (const token of await STATELESS[assistant_id].stream(input, { streamMode: "messages" })) {
    yield `event: messages\ndata: ${encode(token)}\n\n`;
  }
}

function streamOf(texts: AsyncGenerator<string>): ReadableStream<string> {
  return new ReadableStream({
    async pull(controller) {
      const { value, done } = await texts.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
  });
}

/** Messages flat, as clients read them. */
function encode(value: unknown): string {
  return JSON.stringify(value, function (this: Record<string, unknown>, key, plain) {
    const raw = this[key];
    if (!isMessage(raw)) return plain;
    const { type, data } = raw.toDict();
    return { ...data, type };
  });
}

function isMessage(value: unknown): value is { toDict(): { type: string; data: object } } {
  return typeof value === "object" && value !== null && "toDict" in value;
}
