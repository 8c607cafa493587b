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
 * @param headers lines that it adds to each request that has none of their name
 */
export async function balancer(targets: () => string[], headers: readonly string[] = []): Promise<Balancer> {
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
    const count = (target: string) => {
      const at = targets().indexOf(target);
      counts[at] = (counts[at] ?? 0) + 1;
    };
    serve(client, open, { inTurn, count, headers });
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

type Ways = { inTurn: () => string[]; count: (target: string) => void; headers: readonly string[] };

/** Gives a client's request to a target, with another head, and whatever comes behind it. */
function serve(client: Socket, open: Set<Socket>, { inTurn, count, headers }: Ways): void {
  let upstream: Socket | undefined;
  const request = new Head(async () => {
    for (const target of inTurn()) {
      const socket = await reached(target);
      if (!socket) continue;
      track(open, socket);
      count(target);
      if (client.destroyed) return void socket.destroy();
      answer(client, socket);
      socket.write(request.changed(headers));
      upstream = socket;
      return;
    }
    client.end(NOBODY);
  });
  client.on("data", (bytes: Buffer) => void (upstream ? upstream.write(bytes) : request.add(bytes)));
  client.on("close", () => upstream?.destroy());
}

/** Gives a client what comes from a target. */
function answer(client: Socket, upstream: Socket): void {
  let isBegun = false;
  const head = new Head(() => {
    isBegun = true;
    client.write(head.changed());
  });
  upstream.on("data", (bytes: Buffer) => void (isBegun ? client.write(bytes) : head.add(bytes)));
  upstream.on("end", () => client.end());
  upstream.on("error", () => client.destroy());
  upstream.on("close", () => client.end());
}

/** Collects what comes until the head of a message is whole. */
class Head {
  #seen = Buffer.alloc(0);
  #isWhole = false;

  constructor(private readonly whole: () => void) {}

  add(bytes: Buffer): void {
    this.#seen = Buffer.concat([this.#seen, bytes]);
    if (this.#isWhole || !this.#seen.includes(HEAD_END)) return;
    this.#isWhole = true;
    this.whole();
  }

  /** The head for a connection that is not used again, and whatever has come behind it. */
  changed(headers: readonly string[] = []): Buffer {
    const end = this.#seen.indexOf(HEAD_END);
    const given = onlyOnce(this.#seen.subarray(0, end).toString("latin1"));
    const missing = headers.filter((line) => !has(given, line));
    const head = `${[given, ...missing].join("\r\n")}${HEAD_END}`;
    return Buffer.concat([Buffer.from(head, "latin1"), this.#seen.subarray(end + HEAD_END.length)]);
  }
}

function reached(target: string): Promise<Socket | undefined> {
  const { hostname, port } = new URL(target);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    socket.once("connect", () => resolve(socket));
    socket.once("error", () => resolve(undefined));
  });
}

const has = (head: string, line: string): boolean =>
  head.toLowerCase().includes(`\r\n${line.split(":")[0]?.toLowerCase()}:`);

/** The head of a message whose connection is not used again, unless it becomes a socket of another kind. */
function onlyOnce(head: string): string {
  const lines = head.split("\r\n");
  if (lines.some((line) => /^upgrade:/i.test(line))) return head;
  return [...lines.filter((line) => !/^(connection|keep-alive):/i.test(line)), "connection: close"].join(
    "\r\n",
  );
}
