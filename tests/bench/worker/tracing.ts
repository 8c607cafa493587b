import { GATEWAY_HEADER } from "../../../server/http/gateway-token.ts";
import { processTree } from "../processes.ts";
import { type Server, startServer } from "../servers.ts";
import { drive } from "./drive.ts";
import { httpCalls } from "./http-calls.ts";
import type { Figures, JobOf } from "./job.ts";

/** Of a deployed process, which the gateway proves itself to. */
const GATEWAY_TOKEN = "the-token-of-the-gateway-of-the-bench";

/** Short turns, so that whatever else the machine does meanwhile falls on both sides alike. */
const TURN_MS = 250;
/** Until then everything that waits to be written is. */
const SETTLED_MS = 1_000;

type Side = { name: string; server: Server; calls: number; cpuMs: number };

/**
 * CPU per run with and without traces: two servers take turns with the same runs. One process differs from the next
 * by some percent, however long it is measured: a measure has several rounds.
 */
export async function tracing(job: JobOf<"tracing">): Promise<Figures> {
  using receiver = job.ships ? takesShipments() : undefined;
  const sides: Side[] = [];
  try {
    for (const name of ["on", "off"]) {
      // What the engine makes of the traces, every minute, has a line of its own.
      const environment = { TRACING: name, ENGINE_INTERVAL: "0", ...receiver?.environment };
      const server = await startServer("berth", { environment, deployed: job.ships });
      const side = { name, server, calls: 0, cpuMs: 0 };
      sides.push(side);
      await runs(side, job, job.bounds.warmMs);
      await Bun.sleep(SETTLED_MS);
      side.cpuMs = -cpuOf(side);
      side.calls = 0;
      side.server.pause();
    }
    for (let spent = 0; spent < job.bounds.measureMs; spent += TURN_MS) {
      for (const side of sides) await turn(side, () => runs(side, job, TURN_MS));
      // Who went second goes first: one may leave the caches warm for the other.
      sides.reverse();
    }
    for (const side of sides) {
      await turn(side, () => Bun.sleep(SETTLED_MS));
      side.cpuMs += cpuOf(side);
    }
    if (receiver && receiver.bytes() === 0) throw new Error("nothing was sent on");
    const perRun = (wanted: string) => {
      const side = sides.find(({ name }) => name === wanted);
      return side ? side.cpuMs / side.calls : Number.NaN;
    };
    const [on, off] = [perRun("on"), perRun("off")];
    return { on, off, extra: (on / off - 1) * 100 };
  } finally {
    for (const { server } of sides) await server.stop();
  }
}

/** As a Berth that deployed the process, which takes its traces: here what it makes of them costs nothing. */
function takesShipments() {
  let received = 0;
  const server = Bun.serve({
    ...{ hostname: "127.0.0.1", port: 0 },
    fetch: async (request) => {
      received += (await request.arrayBuffer()).byteLength;
      return Response.json({});
    },
  });
  return {
    environment: { SHIP_TRACES_TO: `${server.url}shipments`, GATEWAY_TOKEN },
    bytes: () => received,
    [Symbol.dispose]: () => void server.stop(true),
  };
}

async function turn(side: Side, body: () => Promise<void>): Promise<void> {
  side.server.resume();
  await body();
  side.server.pause();
}

async function runs(side: Side, job: JobOf<"tracing">, measureMs: number): Promise<void> {
  const { graph, clients, ships } = job;
  const calls = httpCalls(side.server.url, ships ? { [GATEWAY_HEADER]: GATEWAY_TOKEN } : {});
  const bounds = { warmMs: 0, measureMs, limit: Number.MAX_SAFE_INTEGER };
  const thread = () => (graph === "steps" ? Bun.randomUUIDv7() : undefined);
  const once = graph === "tokens" ? () => calls.stream(graph) : () => calls.run(graph, thread());
  const driven = await drive<unknown>(bounds, clients, once, () => undefined);
  side.calls += driven.calls.length;
}

function cpuOf({ server }: Side): number {
  const tree = processTree(server.pid);
  if (!tree) throw new Error("the server is gone");
  return tree.cpuMs;
}
