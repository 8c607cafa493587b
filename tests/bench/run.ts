import { COLD_LINES, coldRuns } from "./cold-lines.ts";
import { EXECUTABLE_LINES, executableAtRest } from "./executable-lines.ts";
import { chosen, labour } from "./labour.ts";
import { type Line, type Measure, type Row, SERVERS, TARGETS, type TargetName } from "./line.ts";
import { GROUPS, REST_LINES } from "./lines.ts";
import type { Options } from "./options.ts";
import { installPeer } from "./peer.ts";
import { BENCH_KEY, type Server, startServer } from "./servers.ts";
import { median } from "./worker/drive.ts";
import type { Bounds, Figures } from "./worker/job.ts";

export type Outcome = { rows: Row[]; failures: string[]; versions: Record<string, unknown> };

/** Takes every selected measure, on each target in turn; the figures come in the order of the table. */
export async function runBench(options: Options): Promise<Outcome> {
  const wanted = (lines: Line[]) =>
    options.only.length === 0 || lines.some(({ id }) => options.only.some((prefix) => id.startsWith(prefix)));
  const outcome: Outcome = { rows: [], failures: [], versions: {} };
  if (![REST_LINES, EXECUTABLE_LINES, COLD_LINES, ...GROUPS.flat().map(({ lines }) => lines)].some(wanted)) {
    throw new Error(`no line starts with ${options.only.join(" or ")}`);
  }
  if (options.peer) await installPeer();
  if (wanted(REST_LINES)) outcome.rows.push(...(await rest(options)));
  if (options.berth && wanted(EXECUTABLE_LINES)) outcome.rows.push(...(await executableAtRest(options)));
  if (wanted(COLD_LINES)) outcome.rows.push(...(await coldRuns(options)));
  for (const group of GROUPS) {
    const measures = group.filter(({ lines }) => wanted(lines));
    if (measures.length > 0) await takeAll(measures, options, outcome);
  }
  return outcome;
}

async function takeAll(measures: Measure[], options: Options, outcome: Outcome): Promise<void> {
  const servers = new Map<TargetName, Server>();
  try {
    const served = measures.some((measure) => measure.served);
    for (const name of chosen(options, served ? TARGETS : SERVERS)) {
      const keyed = measures.some((measure) => measure.keyed);
      const server = await startServer(name, keyed ? { SERVICE_API_KEY: BENCH_KEY } : {});
      servers.set(name, server);
      const headers = { "x-api-key": BENCH_KEY };
      if (name !== "bare")
        outcome.versions[name] = await (await fetch(`${server.url}/info`, { headers })).json();
      server.pause();
    }
    for (const measure of measures) {
      outcome.rows.push(...(await take(measure, options, servers, outcome.failures)));
    }
  } finally {
    for (const server of servers.values()) await server.stop();
  }
}

async function take(
  measure: Measure,
  options: Options,
  servers: Map<TargetName, Server>,
  failures: string[],
) {
  const rows = measure.lines.map((line): Row => ({ line, values: {} }));
  for (const name of chosen(options, measure.on)) {
    const server = name === "bare" && !measure.served ? undefined : servers.get(name);
    server?.resume();
    try {
      const target = server ? { url: server.url, pid: server.pid } : ({ bare: true } as const);
      const figures = await labour(target, measure.job(bounds(name, options), name));
      for (const { line, values } of rows) values[name] = figures[line.figure];
    } catch (error) {
      failures.push(`${measure.lines[0]?.id} on ${name}: ${error instanceof Error ? error.message : error}`);
    }
    server?.pause();
  }
  console.error(`measured ${measure.lines[0]?.id}`);
  return rows;
}

/** Cold start (median of several, each on a fresh data folder) and memory two seconds after the last of them. */
async function rest(options: Options): Promise<Row[]> {
  const starts = options.quick ? 2 : 5;
  const rows = REST_LINES.map((line): Row => ({ line, values: {} }));
  const startMs = new Map<TargetName, number[]>();
  for (let round = 1; round <= starts; round += 1) {
    for (const name of chosen(options, TARGETS)) {
      const server = await startServer(name);
      startMs.set(name, [...(startMs.get(name) ?? []), server.startMs]);
      if (round === starts) await Bun.sleep(2000);
      const figures: Figures = { start: median(startMs.get(name) ?? []), ...server.memory() };
      for (const { line, values } of rows) values[name] = figures[line.figure];
      await server.stop();
    }
  }
  return rows;
}

/** The peer gets longer to measure, since it does less per second, and less to warm up, since it mostly waits. */
function bounds(target: TargetName, { quick }: Options): Bounds {
  const slow = target === "peer";
  if (quick)
    return { warmMs: slow ? 300 : 500, measureMs: slow ? 1200 : 700, limit: Number.MAX_SAFE_INTEGER };
  return { warmMs: slow ? 1000 : 4500, measureMs: slow ? 4000 : 3000, limit: Number.MAX_SAFE_INTEGER };
}
