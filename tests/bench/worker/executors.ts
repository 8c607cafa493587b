import { type Server, startServer } from "../servers.ts";
import { median, quantile } from "./drive.ts";
import { httpCalls, send } from "./http-calls.ts";
import type { ExecutorLoad, Figures, GraphName, JobOf } from "./job.ts";
import { takeTurns } from "./turns.ts";

type ExecutorJob = JobOf<"executors">;

const SPIN_MS = 8_000;
const ASK_EVERY_MS = 5;
const STREAMS = 8;
const CLIENTS = 32;
const WAITING = 200;
const MANY_WAITING = 1_000;
const REST_MS = 2_000;
const STARTS = 5;
/** Longer than any measure here. */
const WAIT_MS = 120_000;

/** Servers whose graphs run in executors, and such as run them themselves. */
export function executors(job: ExecutorJob): Promise<Figures> {
  const measures: Record<ExecutorLoad, () => Promise<Figures>> = {
    computes: () => rates(job, "computes", 16),
    echo: () => rates(job, "echo", 16),
    tokens: () => rates(job, "tokens", 8),
    latency: () => latency(job),
    spin: () => beside(spin),
    first: () => beside(first, { RUN_CONCURRENCY: "512" }),
    waiting: () => beside(waiting, { RUN_CONCURRENCY: "2000" }),
    rest,
  };
  return measures[job.load]();
}

async function beside(
  measure: (server: Server) => Promise<Figures>,
  environment: Record<string, string> = {},
): Promise<Figures> {
  const server = await startServer("berth", { environment });
  try {
    return await measure(server);
  } finally {
    await server.stop();
  }
}

const SIDES: [Record<string, string>, Record<string, string>] = [{}, { EXECUTORS: "0" }];

async function rates(job: ExecutorJob, graph: GraphName, clients: number): Promise<Figures> {
  const [withThem, without] = await takeTurns({ bounds: job.bounds, graph, clients }, SIDES);
  const each = graph === "tokens" ? 200 : 1;
  const rate = ({ calls, ms }: typeof withThem) => (calls.length * each * 1_000) / ms;
  return { beside: rate(withThem), within: rate(without), ratio: rate(withThem) / rate(without) };
}

async function latency(job: ExecutorJob): Promise<Figures> {
  const [withThem, without] = await takeTurns({ bounds: job.bounds, graph: "echo", clients: 1 }, SIDES);
  const [beside, within] = [median(withThem.calls), median(without.calls)];
  return { beside, within, extra: beside - within };
}

/** Other runs and requests while a node spins. */
async function spin({ url }: Server): Promise<Figures> {
  const calls = httpCalls(url);
  // Both executors are there, and everybody's code is compiled.
  await Promise.all(Array.from({ length: STREAMS }, () => calls.stream("timed")));
  const body = { assistant_id: "spins", input: { ms: SPIN_MS } };
  const spinning = send(url, "POST", "/runs/wait", body).then((answer) => answer.text());
  let isOver = false;
  spinning.finally(() => {
    isOver = true;
  });
  await Bun.sleep(SPIN_MS / 16);
  const pauses: number[] = [];
  const read = async () => {
    while (!isOver) pauses.push(...(await pausesOf(url)));
  };
  const asked: number[] = [];
  const ask = async () => {
    while (!isOver) {
      const begun = performance.now();
      await send(url, "GET", "/ok");
      asked.push(performance.now() - begun);
      await Bun.sleep(ASK_EVERY_MS);
    }
  };
  await Promise.all([spinning, ask(), ...Array.from({ length: STREAMS }, read)]);
  return { ok: quantile(asked, 0.99), tokens: quantile(pauses, 0.99) };
}

/** Between the pieces of one stream, behind its first. */
async function pausesOf(url: string): Promise<number[]> {
  const body = {
    ...{ assistant_id: "timed", stream_mode: ["messages-tuple"] },
    input: { messages: [{ role: "user", content: "hello" }] },
  };
  const reader = (await send(url, "POST", "/runs/stream", body)).body?.getReader();
  const at: number[] = [];
  for (let read = await reader?.read(); read && !read.done; read = await reader?.read())
    at.push(performance.now());
  return at.slice(1).map((time, index) => time - (at[index] ?? time));
}

async function first({ url }: Server): Promise<Figures> {
  const calls = httpCalls(url);
  const round = async () => {
    const read = await Promise.all(Array.from({ length: CLIENTS }, () => calls.stream("brisk")));
    return median(read.map((times) => times().firstEventMs));
  };
  const rounds = async () => {
    const medians: number[] = [];
    for (let at = 0; at < 7; at += 1) medians.push(await round());
    return median(medians);
  };
  await rounds();
  const alone = await rounds();
  await wait(url, WAITING);
  const besideWaiting = await rounds();
  return { first: alone, besideWaiting, growth: besideWaiting / alone };
}

/** Resolves when so many runs wait in a node. */
async function wait(url: string, count: number): Promise<void> {
  const body = { assistant_id: "waits", input: { ms: WAIT_MS } };
  await Promise.all(Array.from({ length: count }, () => send(url, "POST", "/runs", body)));
  const running = async () =>
    Number(/^berth_runs_running (\d+)$/m.exec(await (await send(url, "GET", "/metrics")).text())?.[1]);
  while ((await running()) < count) await Bun.sleep(50);
  await Bun.sleep(REST_MS);
}

async function waiting(server: Server): Promise<Figures> {
  const calls = httpCalls(server.url);
  await Promise.all(Array.from({ length: CLIENTS }, () => calls.run("echo")));
  await Bun.sleep(REST_MS);
  const before = server.memory()?.tree ?? Number.NaN;
  await wait(server.url, MANY_WAITING);
  const after = server.memory()?.tree ?? Number.NaN;
  return { each: ((after - before) * 1_000) / MANY_WAITING };
}

async function rest(): Promise<Figures> {
  const starts: Record<"1" | "0", number[]> = { "1": [], "0": [] };
  const memory: Record<"1" | "0", number[]> = { "1": [], "0": [] };
  for (let at = 0; at < STARTS; at += 1) {
    for (const EXECUTORS of ["1", "0"] as const) {
      const at = async (server: Server) => {
        starts[EXECUTORS].push(server.startMs);
        await Bun.sleep(REST_MS);
        memory[EXECUTORS].push(server.memory()?.tree ?? Number.NaN);
        return {};
      };
      await beside(at, { EXECUTORS });
    }
  }
  const [one, within] = [median(memory["1"]), median(memory["0"])];
  const [oneBusy, two] = [
    await beside(withRun, { EXECUTORS: "1" }),
    await beside(withRun, { EXECUTORS: "2" }),
  ];
  return {
    ...{ beside: one, within, extra: one - within },
    ...{ start: median(starts["1"]), startWithin: median(starts["0"]) },
    further: (two.memory ?? Number.NaN) - (oneBusy.memory ?? Number.NaN),
  };
}

/** Memory with a run that waits: then there is a further executor, if there may be one. */
async function withRun(server: Server): Promise<Figures> {
  await Bun.sleep(REST_MS);
  await wait(server.url, 1);
  return { memory: server.memory()?.tree };
}
