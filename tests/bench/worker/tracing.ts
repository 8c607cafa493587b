import { processTree } from "../processes.ts";
import { type Server, startServer } from "../servers.ts";
import { drive } from "./drive.ts";
import { httpCalls } from "./http-calls.ts";
import type { Figures, JobOf } from "./job.ts";

/** Short turns, so that whatever else the machine does meanwhile falls on both sides alike. */
const TURN_MS = 250;
/** Until then everything that waits to be written is. */
const SETTLED_MS = 1_000;

/** Servers of each kind. */
const PAIRS = 3;
/** As often as long as other measures: until all is compiled that traces need, their compiling is what is measured. */
const WARM = 2;
const MEASURE = 2;

type Side = { name: string; server: Server; calls: number; cpuMs: number };

/**
 * CPU per run with and without traces: two servers take turns with the same runs. One process differs from the next
 * by some percent, however long it is measured, so there are several of each.
 */
export async function tracing(job: JobOf<"tracing">): Promise<Figures> {
  const sides: Side[] = [];
  for (let pair = 0; pair < PAIRS; pair += 1) sides.push(...(await onePair(job)));
  const perRun = (wanted: string) => {
    const same = sides.filter(({ name }) => name === wanted);
    return sum(same.map(({ cpuMs }) => cpuMs)) / sum(same.map(({ calls }) => calls));
  };
  const [on, off] = [perRun("on"), perRun("off")];
  return { on, off, extra: (on / off - 1) * 100 };
}

const sum = (numbers: number[]) => numbers.reduce((total, each) => total + each, 0);

async function onePair({ bounds, graph, clients }: JobOf<"tracing">): Promise<Side[]> {
  const sides: Side[] = [];
  try {
    for (const name of ["on", "off"]) {
      // What the engine makes of the traces, every minute, has a line of its own.
      const server = await startServer("berth", { TRACING: name, ENGINE_INTERVAL: "0" });
      const side = { name, server, calls: 0, cpuMs: 0 };
      sides.push(side);
      await runs(side, graph, clients, bounds.warmMs * WARM);
      await Bun.sleep(SETTLED_MS);
      side.cpuMs = -cpuOf(side);
      side.calls = 0;
      side.server.pause();
    }
    for (let spent = 0; spent < bounds.measureMs * MEASURE; spent += TURN_MS) {
      for (const side of sides) await turn(side, () => runs(side, graph, clients, TURN_MS));
      // Who went second goes first: one may leave the caches warm for the other.
      sides.reverse();
    }
    for (const side of sides) {
      await turn(side, () => Bun.sleep(SETTLED_MS));
      side.cpuMs += cpuOf(side);
    }
    return sides;
  } finally {
    for (const { server } of sides) await server.stop();
  }
}

async function turn(side: Side, body: () => Promise<void>): Promise<void> {
  side.server.resume();
  await body();
  side.server.pause();
}

async function runs(
  side: Side,
  graph: JobOf<"tracing">["graph"],
  clients: number,
  measureMs: number,
): Promise<void> {
  const calls = httpCalls(side.server.url);
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
