import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export type Balancer = {
  url: string;
  /** How many requests each of them got, in the order of the targets. */
  requests(): number[];
  /** Sends no more new requests there, as after a failed health check; the answer takes it in again. */
  without(target: string): () => void;
  stop(): Promise<void>;
};

const HEAD_END = "\r\n\r\n";
const NOBODY = "HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";

/**
 * A load balancer that switches at each request: every request comes on a connection of its own, and the next one goes
 * to the next target. One that cannot be reached is passed over; what broke after that, the client sees.
 */
export async function balancer(targets: () => string[]): Promise<Balancer> {
  const open = new Set<Socket>();
  const resting = new Set<string>();
  const counts: number[] = [];
  let turn = 0;
  const inTurn = (): string[] => {
    const all = targets();
    turn += 1;
    const ordered = all.map((_, at) => all[(turn + at) % all.length] ?? "");
    const fit = ordered.filter((target) => !resting.has(target));
    return fit.length > 0 ? fit : ordered;
  };
  const server = createServer((client) => {
    track(open, client);
    serve(client, open, inTurn, (target) => {
      const at = targets().indexOf(target);
      counts[at] = (counts[at] ?? 0) + 1;
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: () => targets().map((_, at) => counts[at] ?? 0),
    without: (target) => {
      resting.add(target);
      return () => void resting.delete(target);
    },
    stop: async () => {
      for (const socket of open) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

function track(open: Set<Socket>, socket: Socket): void {
  open.add(socket);
  socket.on("close", () => open.delete(socket));
  // What broke is closed, too.
  socket.on("error", () => undefined);
}

/** Reads the head of a client's request, and gives the connection to a target. */
function serve(
  client: Socket,
  open: Set<Socket>,
  inTurn: () => string[],
  count: (target: string) => void,
): void {
  collectHead(client, async (head, rest) => {
    for (const target of inTurn()) {
      const upstream = await reached(target);
      if (!upstream) continue;
      track(open, upstream);
      count(target);
      join(client, upstream, Buffer.concat([Buffer.from(`${onlyOnce(head)}${HEAD_END}`, "latin1"), rest]));
      return;
    }
    client.end(NOBODY);
  });
}

/** Calls back with a head and what came behind it; the socket is paused then. */
function collectHead(socket: Socket, then: (head: string, rest: Buffer) => void): void {
  let seen = Buffer.alloc(0);
  const take = (bytes: Buffer) => {
    seen = Buffer.concat([seen, bytes]);
    const end = seen.indexOf(HEAD_END);
    if (end < 0) return;
    socket.pause();
    socket.off("data", take);
    then(seen.subarray(0, end).toString("latin1"), seen.subarray(end + HEAD_END.length));
  };
  socket.on("data", take);
}

function reached(target: string): Promise<Socket | undefined> {
  const { hostname, port } = new URL(target);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    socket.once("connect", () => resolve(socket));
    socket.once("error", () => resolve(undefined));
  });
}

function join(client: Socket, upstream: Socket, request: Buffer): void {
  upstream.on("close", () => client.destroy());
  client.on("close", () => upstream.destroy());
  if (client.destroyed) return void upstream.destroy();
  upstream.write(request);
  client.pipe(upstream);
  collectHead(upstream, (head, rest) => {
    client.write(Buffer.concat([Buffer.from(`${onlyOnce(head)}${HEAD_END}`, "latin1"), rest]));
    upstream.pipe(client);
  });
}

/** The head of a message whose connection is not used again, unless it becomes a socket of another kind. */
function onlyOnce(head: string): string {
  const lines = head.split("\r\n");
  if (lines.some((line) => /^upgrade:/i.test(line))) return head;
  return [...lines.filter((line) => !/^(connection|keep-alive):/i.test(line)), "connection: close"].join(
    "\r\n",
  );
}
