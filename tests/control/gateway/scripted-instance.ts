import { request as httpRequest, type IncomingMessage } from "node:http";
import { createServer, type Socket } from "node:net";

export type Seen = { method: string; path: string; headers: Record<string, string>; bytes: number };

/** What a deployed process could be: answers with what it was asked, and does what its paths say. */
export function scriptedInstance(name = "instance") {
  const seen: Seen[] = [];
  const gone: string[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 60,
    async fetch(request, server) {
      const url = new URL(request.url);
      const path = request.url.slice(request.url.indexOf("/", 8));
      if (request.headers.get("upgrade")) return upgraded(request, url, server);
      request.signal.addEventListener("abort", () => gone.push(url.pathname));
      const bytes = await sizeOf(request);
      const entry = { method: request.method, path, headers: Object.fromEntries(request.headers), bytes };
      seen.push(entry);
      return answerTo(url, entry, name);
    },
    websocket: {
      open: (socket) => void socket.send(`hello from ${name}`),
      message(socket, frame) {
        if (frame === "flood") for (let n = 0; n < 24; n += 1) socket.send("x".repeat(262_144));
        else if (typeof frame === "string" && frame.startsWith("close "))
          socket.close(Number(frame.slice(6)), "as you wish");
        else if (frame === "crash") socket.terminate();
        else socket.send(frame);
      },
      close: (_socket, code, reason) => void gone.push(`socket ${code} ${reason}`),
      maxPayloadLength: 16 * 1_048_576,
    },
  });
  return { port: server.port ?? 0, seen, gone, stop: () => server.stop(true) };
}

function upgraded(request: Request, url: URL, server: Bun.Server<undefined>): Response | undefined {
  if (url.pathname === "/refused") return Response.json({ detail: "not here" }, { status: 404 });
  const protocol = request.headers.get("sec-websocket-protocol")?.split(",").at(-1)?.trim();
  const headers = protocol === undefined ? undefined : { "sec-websocket-protocol": protocol };
  return server.upgrade(request, { ...(headers && { headers }) })
    ? undefined
    : new Response("no", { status: 400 });
}

async function sizeOf({ body }: Request): Promise<number> {
  let size = 0;
  for await (const chunk of body ?? []) size += chunk.byteLength;
  return size;
}

function answerTo(url: URL, asked: Seen, name: string): Response | Promise<Response> {
  const headers = new Headers([
    ["x-instance", name],
    ["connection", "x-of-this-hop"],
    ["x-of-this-hop", "1"],
    ["clear-site-data", '"*"'],
    ["X-Berth-Moved", "1"],
    ["x-berth-own-auth", "1"],
    ["set-cookie", "own=1; Path=/; Domain=example.com; HttpOnly"],
    ["set-cookie", "berth_session=stolen; Path=/"],
  ]);
  switch (url.pathname) {
    case "/file":
      return new Response("0123456789".slice(2, 5), {
        status: 206,
        headers: { "content-range": "bytes 2-4/10", "accept-ranges": "bytes" },
      });
    case "/empty":
      return new Response(null, { status: 204 });
    case "/same":
      return new Response(null, { status: 304, headers: { etag: '"1"' } });
    case "/moved":
      return new Response(null, { status: 307, headers: { location: url.searchParams.get("to") ?? "/" } });
    case "/page":
      return new Response("<h1>mine</h1>", { headers: { "content-type": "text/html" } });
    case "/packed":
      return new Response(Bun.gzipSync(Buffer.from("packed")), { headers: { "content-encoding": "gzip" } });
    case "/big":
      return new Response(new Blob([new Uint8Array(5_000_000)]));
    case "/events":
      return events(Number(url.searchParams.get("ms") ?? 0));
    case "/origins":
      return Response.json({}, { headers: { "access-control-allow-origin": "https://only.example" } });
    case "/slow":
      return Bun.sleep(Number(url.searchParams.get("ms") ?? 30)).then(() => Response.json({ name }));
    case "/bad":
      return Response.json({ detail: "bad" }, { status: 500 });
    default:
      return Response.json(asked, { headers });
  }
}

/** An event at once, another one later, and so on, with no end. */
function events(everyMs: number): Response {
  let number = 0;
  const body = new ReadableStream({
    async pull(controller) {
      if (number > 0) await Bun.sleep(everyMs);
      number += 1;
      controller.enqueue(Buffer.from(`id: ${number}\ndata: ${number}\n\n`));
    },
  });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

/** Speaks HTTP badly: what it is given is what it sends, then it does as it is told. */
export async function rawInstance(bytes: string, then: (socket: Socket) => void) {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.on("error", () => undefined);
    socket.once("data", () => socket.write(bytes, () => then(socket)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const place = server.address();
  const port = typeof place === "object" && place !== null ? place.port : 0;
  return {
    port,
    connections: () => connections,
    stop: () => new Promise<void>((resolve) => void server.close(() => resolve())),
  };
}

export type Answer = { status: number; headers: IncomingMessage["headers"]; body: string; broke: boolean };

export type Asking = {
  method?: string;
  headers?: Record<string, string>;
  body?: Iterable<string | Uint8Array>;
};

/** A request as it goes over the wire: `fetch` adds headers, unpacks, and takes other paths than it is told. */
export function ask(url: string, path: string, { method = "GET", headers = {}, body }: Asking = {}) {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const { hostname, port } = new URL(url);
  const sent = httpRequest({ hostname, port, path, method, headers, agent: false }, (message) => {
    const chunks: Buffer[] = [];
    const done = (broke: boolean) =>
      resolve({
        status: message.statusCode ?? 0,
        headers: message.headers,
        body: Buffer.concat(chunks).toString(),
        broke,
      });
    message.on("data", (chunk: Buffer) => chunks.push(chunk));
    message.once("end", () => done(false));
    message.on("error", () => done(true));
    sent.off("error", reject).on("error", () => done(true));
  });
  sent.on("error", reject);
  for (const chunk of body ?? []) sent.write(chunk);
  sent.end();
  return promise;
}
