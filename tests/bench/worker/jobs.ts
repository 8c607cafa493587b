import type { Bench } from "./bench.ts";
import { type Driven, drive, median, quantile } from "./drive.ts";
import type { Figures, Job, JobOf } from "./job.ts";
import { request } from "./requests.ts";
import { threads } from "./turns.ts";

const TOKENS = 200;

type Rates = { perSecond: number; median: number; p95: number; cpu?: number };

/**
 * Does one job and returns its figures: rates per second, times in ms. What a job needs is loaded for it only: a load
 * client must not carry it, and Berth's code of another commit may not have it.
 */
export async function work(bench: Bench, job: Job): Promise<Figures> {
  switch (job.kind) {
    case "runs":
      return runs(bench, job);
    case "cold":
      return cold(bench, job);
    case "pairs":
      return pairs(bench, job);
    case "streams":
      return streams(bench, job);
    case "age":
      return age(bench, job);
    case "busy-history":
      return busyHistory(bench, job);
    case "requests":
      return requests(bench, job);
    case "readers":
      return (await import("./protocol/readers.ts")).readers(server(bench), job);
    case "first-token":
      return (await import("./protocol/first-token.ts")).firstToken(server(bench), job);
    case "replay":
      return (await import("./protocol/replay.ts")).replay(server(bench), job);
    case "page-load":
    case "page-stream":
    case "runs-scrolled":
      return (await import("./page/in-browser.ts")).inBrowser(server(bench), job);
    default:
      return ofBerth(bench, job);
  }
}

/** What is measured of Berth only. */
async function ofBerth(bench: Bench, job: BerthJob): Promise<Figures> {
  switch (job.kind) {
    case "tracing":
      return (await import("./tracing.ts")).tracing(job);
    case "disk":
      return (await import("./disk.ts")).disk(bench);
    case "load-memory":
      return (await import("./load-memory.ts")).loadMemory(bench, job);
    case "executors":
      return (await import("./executors.ts")).executors(job);
    case "postgres":
      return (await import("./postgres.ts")).postgres(job);
    case "python":
      return (await import("./python.ts")).python(job);
    case "gateway":
      return (await import("./gateway.ts")).gateway({ url: server(bench), pid: bench.pid }, job);
    case "backlog":
      return (await import("./deliveries.ts")).backlog(job);
    case "beside-hanging":
      return (await import("./deliveries.ts")).besideHanging(job);
    case "engine-scan":
      return (await import("./engine-scan.ts")).engineScan(job);
    case "ingest":
      return (await import("./ingest.ts")).ingest({ url: server(bench), cpu: bench.cpu }, job);
    case "idle-deployments":
      return (await import("./idle-deployments.ts")).idleDeployments(
        { url: server(bench), pid: bench.pid },
        job,
      );
  }
}

type BerthJob = JobOf<
  | ("tracing" | "disk" | "load-memory" | "executors" | "postgres" | "python" | "gateway" | "backlog")
  | ("beside-hanging" | "engine-scan" | "ingest" | "idle-deployments")
>;

/** Where the server is that is measured. */
export function server({ url }: Bench): string {
  if (!url) throw new Error("only a server can be sent requests");
  return url;
}

async function runs({ calls, cpu }: Bench, job: JobOf<"runs">): Promise<Figures> {
  const thread = threads(job.turnsPerThread);
  const once = (client: number) => calls.run(job.graph, thread(client));
  return rates(await drive(job.bounds, job.clients, once, cpu));
}

/** Runs until they have all been made, by as many clients: the CPU of each, first of the first ones. */
async function cold({ calls, cpu }: Bench, job: JobOf<"cold">): Promise<Figures> {
  const thread = threads(job.turnsPerThread);
  const cpuOf = async (count: number) => {
    let left = count;
    const before = cpu();
    const client = async (_: unknown, client: number) => {
      while (left > 0) {
        left -= 1;
        await calls.run("echo", thread(client));
      }
    };
    await Promise.all(Array.from({ length: job.clients }, client));
    const after = cpu();
    return before === undefined || after === undefined ? undefined : (after - before) / count;
  };
  const first = await cpuOf(job.first);
  return { first, next: await cpuOf(job.next) };
}

async function pairs({ calls, cpu }: Bench, job: JobOf<"pairs">): Promise<Figures> {
  const thread = threads(20);
  const once = (client: number) => calls.interruptAndResume(thread(client) ?? "");
  return rates(await drive(job.bounds, job.clients, once, cpu));
}

async function streams({ calls, cpu }: Bench, job: JobOf<"streams">): Promise<Figures> {
  const driven = await drive(job.bounds, job.clients, () => calls.stream(job.graph), cpu);
  const times = driven.calls.map(({ value }) => value());
  const delivered = times.reduce((sum, { tokens }) => sum + tokens, 0);
  const closes = times.map((time) => time.lastEventToCloseMs);
  return {
    ...rates(driven),
    eventsPerSecond: driven.perSecond * (delivered / times.length),
    lost: TOKENS * times.length - delivered,
    firstEvent: median(times.map((time) => time.firstEventMs)),
    firstToLastToken: median(times.map((time) => time.firstToLastTokenMs)),
    lastEventToClose: median(closes),
    lastEventToCloseP95: quantile(closes, 0.95),
  };
}

/** One thread that grows old: its first runs (`sample` of them), its last ones, then its state and history. */
async function age({ calls, cpu }: Bench, job: JobOf<"age">): Promise<Figures> {
  const { graph, sample, turns } = job;
  const young = threads(sample);
  await drive(job.bounds, 1, (client) => calls.run(graph, young(client)), cpu);
  const old = Bun.randomUUIDv7();
  const turnsOf = async (limit: number) => {
    const bounds = { warmMs: 0, measureMs: 60_000, limit };
    const driven = await drive(bounds, 1, () => calls.run(graph, old), cpu);
    return rates(driven).median;
  };
  const first = await turnsOf(sample);
  if (job.filled) await calls.fill(graph, old, turns - 2 * sample);
  else await turnsOf(turns - 2 * sample);
  const last = await turnsOf(sample);
  const reads = { ...job.bounds, limit: 100 };
  const state = rates(await drive(reads, 1, () => calls.state(graph, old), cpu));
  const history = rates(await drive(reads, 1, () => calls.history(graph, old, 10), cpu));
  return { first, last, growth: last / first, state: state.median, history: history.median };
}

/** The history of threads of ordinary length, while runs stream: a page that opens asks for it, as others talk. */
async function busyHistory({ calls, cpu }: Bench, job: JobOf<"busy-history">): Promise<Figures> {
  const old = Array.from({ length: 20 }, () => Bun.randomUUIDv7());
  for (const thread of old) for (let turn = 0; turn < job.runs; turn += 1) await calls.run("echo", thread);
  let over = false;
  const stream = async () => {
    while (!over) await calls.stream(job.graph);
  };
  const streaming = Promise.all(Array.from({ length: job.streams }, stream));
  let asked = 0;
  const ask = () => {
    asked += 1;
    return calls.history("echo", old[asked % old.length] ?? "", 10);
  };
  const { median, p95 } = rates(await drive(job.bounds, 1, ask, cpu));
  over = true;
  await streaming;
  return { median, p95 };
}

async function requests(bench: Bench, job: JobOf<"requests">): Promise<Figures> {
  const { prepare, once } = request(server(bench), job.request);
  if (!bench.prepared.has(job.request)) await prepare?.();
  bench.prepared.add(job.request);
  return rates(await drive(job.bounds, job.clients, once, bench.cpu));
}

function rates(driven: Driven<unknown>): Rates {
  const ms = driven.calls.map((call) => call.ms);
  return { perSecond: driven.perSecond, median: median(ms), p95: quantile(ms, 0.95), cpu: driven.cpuMs };
}
