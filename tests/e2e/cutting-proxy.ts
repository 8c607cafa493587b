import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export type CuttingProxy = {
  url: string;
  /** How many connections were made through it so far. */
  connections(): number;
  /** How many bytes of answers have come through it so far. */
  answered(): number;
  /** Resets every open connection, as a network does that goes away. */
  cut(): void;
  stop(): Promise<void>;
};

/** A TCP proxy in front of `target`, wherever that is at the moment, that can cut its connections. */
export async function cuttingProxy(target: string | (() => string)): Promise<CuttingProxy> {
  const open = new Set<Socket>();
  let made = 0;
  let answered = 0;
  const server = createServer((client) => {
    made += 1;
    const { hostname, port } = new URL(typeof target === "string" ? target : target());
    const upstream = connect(Number(port), hostname);
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      open.add(socket);
      socket.on("error", () => other.destroy());
      socket.on("close", () => {
        open.delete(socket);
        other.destroy();
      });
    }
    client.pipe(upstream);
    upstream.on("data", ({ length }) => {
      answered += length;
    });
    upstream.pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const cut = () => {
    for (const socket of open) socket.resetAndDestroy();
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections: () => made,
    answered: () => answered,
    cut,
    stop: async () => {
      cut();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
