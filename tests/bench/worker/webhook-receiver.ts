// A receiver of webhooks as a process of its own: answers at once, or on `/hang` never. Says where it listens;
// `GET /count` says how many deliveries came.
let count = 0;
export const receiver = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  idleTimeout: 0,
  fetch: async (request) => {
    if (request.method === "GET") return new Response(String(count));
    await request.arrayBuffer();
    if (request.url.endsWith("/hang")) return new Promise<Response>(() => undefined);
    count += 1;
    return new Response(null, { status: 204 });
  },
});
console.log(receiver.url.href);
