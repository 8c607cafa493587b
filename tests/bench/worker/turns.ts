import { type Server, startServer } from "../servers.ts";
import { drive } from "./drive.ts";
import { httpCalls } from "./http-calls.ts";
import type { Bounds, GraphName } from "./job.ts";

/** Short turns, so that whatever else the machine does meanwhile falls on both sides alike. */
const TURN_MS = 250;

/** What one side did: what each call took, and how long it was at work. */
export type Side = { calls: number[]; ms: number };

type Load = {
  bounds: Bounds;
  graph: GraphName;
  clients: number;
  /** Runs on one thread before the next one is begun; 0: without a thread. */
  turnsPerThread?: number;
};

/** Two servers, which differ in their environment, take turns with the same runs. */
export async function takeTurns(
  load: Load,
  environments: [Record<string, string>, Record<string, string>],
): Promise<[Side, Side]> {
  const sides: (Side & { server: Server; thread: Threads })[] = [];
  try {
    for (const environment of environments) {
      const server = await startServer("berth", { environment });
      const side = { server, calls: [], ms: 0, thread: threads(load.turnsPerThread ?? 0) };
      sides.push(side);
      await turn(side, load, load.bounds.warmMs);
      Object.assign(side, { calls: [], ms: 0 });
      server.pause();
    }
    const [first, second] = sides;
    for (let spent = 0; spent < load.bounds.measureMs * 2; spent += TURN_MS) {
      for (const side of sides) {
        side.server.resume();
        await turn(side, load, TURN_MS);
        side.server.pause();
      }
      sides.reverse();
    }
    if (!first || !second) throw new Error("a side is missing");
    return [first, second];
  } finally {
    for (const { server } of sides) await server.stop();
  }
}

async function turn(
  side: Side & { server: Server; thread: Threads },
  { graph, clients }: Load,
  ms: number,
): Promise<void> {
  const calls = httpCalls(side.server.url);
  const bounds = { warmMs: 0, measureMs: ms, limit: Number.MAX_SAFE_INTEGER };
  const once =
    graph === "tokens"
      ? () => calls.stream(graph)
      : (client: number) => calls.run(graph, side.thread(client));
  const begun = performance.now();
  const driven = await drive<unknown>(bounds, clients, once, () => undefined);
  side.ms += performance.now() - begun;
  side.calls.push(...driven.calls.map((call) => call.ms));
}

type Threads = (client: number) => string | undefined;

/**
 * A thread id for each client, a new one after `turns` calls (0: none at all). The same length on every side:
 * otherwise the faster one would pay for the longer conversations that it gets done.
 */
export function threads(turns: number): Threads {
  const byClient = new Map<number, { id: string; used: number }>();
  return (client) => {
    if (turns === 0) return undefined;
    const current = byClient.get(client);
    const thread = current && current.used < turns ? current : { id: Bun.randomUUIDv7(), used: 0 };
    thread.used += 1;
    byClient.set(client, thread);
    return thread.id;
  };
}
