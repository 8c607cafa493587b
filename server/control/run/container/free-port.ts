import { createServer } from "node:net";

/** Below what systems give to whoever asks for any port, so that nobody gets it by chance meanwhile. */
const FIRST = 20_000;
const LAST = 32_767;
const MOST_TRIES = 50;

/** A port on loopback at which nobody listens. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const port = FIRST + Math.floor(Math.random() * (LAST - FIRST + 1));
    if (await isFree(port)) return port;
  }
  throw new Error("no free port was found");
}

function isFree(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const server = createServer();
  server.once("error", () => resolve(false));
  server.listen({ port, host: "127.0.0.1", exclusive: true }, () => server.close(() => resolve(true)));
  return promise;
}
