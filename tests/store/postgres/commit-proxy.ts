import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** Where the connection of the next commit breaks: on its way there, or on the way of its answer. */
export type Break = "before" | "after";

export type CommitProxy = {
  /** The address of the database through it. */
  url: string;
  /** Breaks the connection of the next commit. */
  breakNext(where: Break, then?: () => void): void;
  /** Whether connections are refused: the database is away. */
  away: boolean;
  stop(): Promise<void>;
};

/** A proxy in front of a Postgres server that can lose a commit, or the answer to one. */
export async function commitProxy(target: string): Promise<CommitProxy> {
  const to = new URL(target);
  const open = new Set<Socket>();
  let armed: { where: Break; then: () => void } | undefined;
  const server = createServer((client) => {
    const upstream = connect(Number(to.port), to.hostname);
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => open.delete(socket));
    }
    const cut = (then: () => void) => {
      client.resetAndDestroy();
      upstream.destroy();
      then();
    };
    if (proxy.away) return cut(() => undefined);
    let lost: (() => void) | undefined;
    client.on("data", (bytes) => {
      const breaks = armed && bytes.includes("commit\0") ? armed : undefined;
      if (breaks) armed = undefined;
      if (breaks?.where === "before") return cut(breaks.then);
      lost = breaks?.then ?? lost;
      upstream.write(bytes);
    });
    upstream.on("data", (bytes) => {
      // It has said that it is committed.
      if (lost && bytes.includes("COMMIT")) return cut(lost);
      client.write(bytes);
    });
    client.on("close", () => upstream.destroy());
    upstream.on("close", () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const through = new URL(target);
  through.port = String((server.address() as AddressInfo).port);
  const proxy: CommitProxy = {
    url: through.href,
    breakNext: (where, then = () => undefined) => {
      armed = { where, then };
    },
    away: false,
    stop: async () => {
      for (const socket of open) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
  return proxy;
}
