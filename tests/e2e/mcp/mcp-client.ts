import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

/** How the official client negotiates: the handshake of the revisions up to 2025-11-25, or 2026-07-28 if offered. */
const WIRES = { "2025-11-25": "legacy", "2026-07-28": "auto" } as const;

export type Wire = keyof typeof WIRES;
export const wires = Object.keys(WIRES) as Wire[];

export type Connected = { client: Client; wire: string | undefined; [Symbol.asyncDispose](): Promise<void> };

/** The official client, connected to a Berth on one of the two wires. */
export async function connect(
  url: string,
  wire: Wire,
  headers: Record<string, string> = {},
): Promise<Connected> {
  const client = new Client(
    { name: "test", version: "1.0.0" },
    { versionNegotiation: { mode: WIRES[wire] } },
  );
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } });
  await client.connect(transport);
  return {
    client,
    wire: client.getNegotiatedProtocolVersion(),
    [Symbol.asyncDispose]: () => client.close(),
  };
}
