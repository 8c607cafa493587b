import { request } from "node:http";

const HANDSHAKE = {
  connection: "Upgrade",
  upgrade: "websocket",
  "sec-websocket-version": "13",
  "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
};

/** Asks for a WebSocket as a browser does, lets go of it, and gives the status of the answer: 101 opens it. */
export function knock(address: string, headers: Record<string, string>): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const asked = request(address, { headers: { ...HANDSHAKE, ...headers } });
  asked.on("upgrade", (answer, socket) => {
    socket.destroy();
    resolve(answer.statusCode ?? 0);
  });
  asked.on("response", (answer) => {
    answer.resume();
    resolve(answer.statusCode ?? 0);
  });
  asked.on("error", reject);
  asked.end();
  return promise;
}
