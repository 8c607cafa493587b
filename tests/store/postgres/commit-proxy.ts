import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** Where the connection of the next commit breaks: on its way there, or on the way of its answer. */
export type Break = "before" | "after";

export type CommitProxy = {
  /** The address of the database through it. */
  url: string;
  /** Breaks the connection of the next commit. */
  breakNext(where: Break): void;
  stop(): Promise<void>;
};

/** A proxy in front of a Postgres server that can lose a commit, or the answer to one. */
export async function commitProxy(target: string): Promise<CommitProxy> {
  const to = new URL(target);
  const open = new Set<Socket>();
  let armed: Break | undefined;
  const server = createServer((client) => {
    const upstream = connect(Number(to.port), to.hostname);
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => open.delete(socket));
    }
    const cut = () => {
      client.resetAndDestroy();
      upstream.destroy();
    };
    let isLost = false;
    const commits = new Commits();
    client.on("data", (bytes) => {
      const isCommit = commits.isIn(bytes);
      const breaks = armed && isCommit ? armed : undefined;
      if (breaks) armed = undefined;
      if (breaks === "before") return cut();
      isLost ||= breaks === "after";
      upstream.write(bytes);
    });
    upstream.on("data", (bytes) => {
      // It has said that it is committed.
      if (isLost && bytes.includes("COMMIT")) return cut();
      client.write(bytes);
    });
    client.on("close", () => upstream.destroy());
    upstream.on("close", () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const through = new URL(target);
  through.port = String((server.address() as AddressInfo).port);
  return {
    url: through.href,
    breakNext: (where) => {
      armed = where;
    },
    stop: async () => {
      for (const socket of open) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** Commits among what a client sends: as text, or by the name that it has given the statement on its connection. */
class Commits {
  #name: string | undefined;

  isIn(bytes: Buffer | string): boolean {
    const text = typeof bytes === "string" ? bytes : bytes.toString("latin1");
    this.#name = /(\w+)\0commit\0/.exec(text)?.[1] ?? this.#name;
    return text.includes("commit\0") || (this.#name !== undefined && text.includes(`\0${this.#name}\0`));
  }
}
