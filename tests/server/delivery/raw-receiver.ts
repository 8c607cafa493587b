import { createServer, type Server, type Socket } from "node:net";

/** A server that answers what it is told to, byte for byte. */
export type RawReceiver = { port: number; url: string; requests: string[]; close(): void };

/** @param answer what a connection gets when its first bytes are there */
export async function rawReceiver(
  answer: (socket: Socket, request: string) => void,
  server: (onSocket: (socket: Socket) => void) => Server = (onSocket) => createServer(onSocket),
): Promise<RawReceiver> {
  const sockets = new Set<Socket>();
  const requests: string[] = [];
  const listening = server((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
    socket.once("data", (data) => {
      requests.push(data.toString());
      answer(socket, data.toString());
    });
  });
  await new Promise<void>((resolve) => listening.listen(0, "127.0.0.1", resolve));
  const address = listening.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const close = () => {
    for (const socket of sockets) socket.destroy();
    listening.close();
  };
  return { port, url: `http://127.0.0.1:${port}/`, requests, close };
}
