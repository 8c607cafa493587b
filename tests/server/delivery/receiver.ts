/** A delivery as it came. */
export type Received = { path: string; headers: Headers; body: string; at: number };

/** What a receiver answers: a status, or anything else. */
export type Answering = (received: Received, count: number) => number | Response | Promise<number | Response>;

/** A receiver of webhooks on a port of its own. */
export type Receiver = { url: string; received: Received[]; answer(next: Answering): void; stop(): void };

export function startReceiver(first: Answering = () => 200): Receiver {
  const received: Received[] = [];
  let answering = first;
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    fetch: async (request) => {
      const { pathname } = new URL(request.url);
      const one = { path: pathname, headers: request.headers, body: await request.text(), at: Date.now() };
      received.push(one);
      const answer = await answering(one, received.length);
      return typeof answer === "number" ? new Response(null, { status: answer }) : answer;
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}/`,
    received,
    answer: (next) => {
      answering = next;
    },
    stop: () => void server.stop(true),
  };
}

/** The id in the envelope of what came. */
export const idOf = ({ body }: Received): string => JSON.parse(body).id;
