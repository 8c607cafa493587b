import { databaseOn, execute, PostgresServer } from "../../postgres/server.ts";
import { processTree } from "../processes.ts";
import { type Server, startServer } from "../servers.ts";
import { drive, median, quantile } from "./drive.ts";
import { httpCalls, send } from "./http-calls.ts";
import type { Figures, JobOf, PostgresLoad } from "./job.ts";
import { queueAlone } from "./postgres-queue.ts";
import { type Sent, StatementCount } from "./statement-count.ts";
import { takeTurns, threads } from "./turns.ts";

type PostgresJob = JobOf<"postgres">;

const CLIENTS = 16;
const TURNS_PER_THREAD = 20;
/** So many runs of a process later, what it does is compiled: before, a run takes twice the processor and more. */
const WARM_RUNS = 2_000;
const COUNTED_RUNS = 40;
const PAUSE_MS = 100;
const SETTLE_MS = 20_000;
const REST_MS = 30_000;
const ELSEWHERE_RUNS = 10;
/** In the environment of every Berth that shares a database. */
const SECRETS_KEY = "a key for the secrets of the bench only";

/** Berths with their database on a Postgres server, which is started for each measure and keeps what it is told. */
export async function postgres(job: PostgresJob): Promise<Figures> {
  const server = await PostgresServer.start(["fsync=on"]);
  try {
    return await MEASURES[job.load](job, server);
  } finally {
    await server.remove();
  }
}

const MEASURES: Record<PostgresLoad, (job: PostgresJob, server: PostgresServer) => Promise<Figures>> = {
  threads: (job, server) => compared(job, server, TURNS_PER_THREAD),
  stateless: (job, server) => compared(job, server, 0),
  statements: (_, server) => statements(server),
  second,
  elsewhere: (_, server) => elsewhere(server),
  rest: (_, server) => rest(server),
  queue: (_, server) => queueAlone(server.url()),
};

const on = (server: PostgresServer, url = server.url()) => ({ DATABASE_URL: url, SECRETS_KEY });

async function compared({ bounds }: PostgresJob, server: PostgresServer, turnsPerThread: number) {
  const load = { bounds, graph: "echo" as const, clients: CLIENTS, turnsPerThread };
  const [withServer, withFile] = await takeTurns(load, [on(server), {}]);
  const rate = ({ calls, ms }: typeof withFile) => (calls.length * 1_000) / ms;
  const ratio = rate(withServer) / rate(withFile);
  return { server: rate(withServer), file: rate(withFile), ratio };
}

/** One run after the other on an old thread: while one is under way, and with what comes behind it. */
async function statements(server: PostgresServer): Promise<Figures> {
  const count = new StatementCount(server.port);
  const url = new URL(server.url());
  url.port = String(await count.listen());
  const berth = await startServer("berth", { environment: on(server, url.href) });
  try {
    const calls = httpCalls(berth.url);
    const thread = Bun.randomUUIDv7();
    for (let at = 0; at < COUNTED_RUNS; at += 1) await calls.run("echo", thread);
    await Bun.sleep(SETTLE_MS / 10);
    const underWay: Sent[] = [];
    const behind: Sent[] = [];
    for (let at = 0; at < COUNTED_RUNS; at += 1) {
      count.take();
      await calls.run("echo", thread);
      underWay.push(count.take());
      await Bun.sleep(PAUSE_MS);
      behind.push(count.take());
    }
    // The median: what the loop asks falls into some of them.
    const each = median(underWay.map(({ statements }) => statements));
    const later = behind.reduce((sum, { statements }) => sum + statements, 0) / COUNTED_RUNS;
    return { statements: each, trips: median(underWay.map(({ trips }) => trips)), all: each + later };
  } finally {
    await berth.stop();
    count.close();
  }
}

/** What a run costs, with one Berth and with two that do the same together. */
async function second(job: PostgresJob, server: PostgresServer): Promise<Figures> {
  const one = await costs(job, server, 1);
  const two = await costs(job, server, 2);
  return { one: one.berth, two: two.berth, server: two.server, gain: (2 * one.berth) / two.berth };
}

/** CPU (ms) of a run: of all Berths together, and of Postgres. */
async function costs({ bounds }: PostgresJob, server: PostgresServer, count: number) {
  const name = `with_${count}`;
  await execute(server.url(), `create database ${name}`);
  const environment = on(server, databaseOn(server.url(), name));
  const berths: Server[] = [];
  const spent = (pid: number) => processTree(pid)?.cpuMs ?? Number.NaN;
  try {
    for (let at = 0; at < count; at += 1) berths.push(await startServer("berth", { environment }));
    const calls = berths.map(({ url }) => httpCalls(url));
    const thread = threads(TURNS_PER_THREAD);
    const run = async (client: number) => calls[client % count]?.run("echo", thread(client));
    // Each process as often: two that were warmed for as long as one would still be cold.
    const warm = { warmMs: 0, measureMs: Number.POSITIVE_INFINITY, limit: (WARM_RUNS * count) / CLIENTS };
    await drive(warm, CLIENTS, run, () => undefined);
    const looks: number[] = [];
    const driven = await drive(bounds, CLIENTS, run, () => {
      looks.push(spent(server.pid));
      return berths.reduce((sum, { pid }) => sum + spent(pid), 0);
    });
    const [before = Number.NaN, after = Number.NaN] = looks;
    return { berth: driven.cpuMs ?? Number.NaN, server: (after - before) / driven.calls.length };
  } finally {
    for (const berth of berths) await berth.stop();
  }
}

/** How long a token takes from its commit at one Berth to a reader at another one: both have readers. */
async function elsewhere(server: PostgresServer): Promise<Figures> {
  const berths: Server[] = [];
  try {
    for (let at = 0; at < 2; at += 1) berths.push(await startServer("berth", { environment: on(server) }));
    const [here, there] = berths;
    if (!here || !there) throw new Error("a Berth is missing");
    const late: number[] = [];
    for (let at = 0; at < ELSEWHERE_RUNS; at += 1) late.push(...(await lateness(here.url, there.url)));
    return { median: median(late), p95: quantile(late, 0.95) };
  } finally {
    for (const berth of berths) await berth.stop();
  }
}

/** By how much each piece of a run's stream comes later at another Berth than at the one that executes it. */
async function lateness(here: string, there: string): Promise<number[]> {
  const thread = Bun.randomUUIDv7();
  const body = {
    ...{ assistant_id: "timed", if_not_exists: "create", stream_mode: ["messages-tuple"] },
    input: { messages: [{ role: "user", content: "hello" }] },
    stream_resumable: true,
  };
  const stream = await send(here, "POST", `/threads/${thread}/runs/stream`, body);
  const run = stream.headers.get("content-location")?.split("/").at(-1);
  const joined = await send(there, "GET", `/threads/${thread}/runs/${run}/stream?last_event_id=-1`);
  const [at, elsewhere] = await Promise.all([arrivals(stream), arrivals(joined)]);
  const late: number[] = [];
  for (const [id, time] of elsewhere) {
    const before = at.get(id);
    if (before !== undefined) late.push(time - before);
  }
  // What was there before the reader joined says nothing.
  return late.slice(Math.floor(late.length / 4));
}

async function arrivals(response: Response): Promise<Map<string, number>> {
  const at = new Map<string, number>();
  const decoder = new TextDecoder();
  let rest = "";
  for await (const bytes of response.body ?? []) {
    const now = performance.now();
    const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line.startsWith("id: ")) at.set(line.slice(4), now);
  }
  return at;
}

async function rest(server: PostgresServer): Promise<Figures> {
  const berths: Server[] = [];
  const commits = async () => {
    const text = "select xact_commit as count from pg_stat_database where datname = 'measured'";
    const [row] = await execute(server.url(), text);
    return Number(row?.count);
  };
  await execute(server.url(), "create database measured");
  try {
    const environment = on(server, databaseOn(server.url(), "measured"));
    for (let at = 0; at < 2; at += 1) berths.push(await startServer("berth", { environment }));
    await Bun.sleep(SETTLE_MS);
    const before = await commits();
    await Bun.sleep(REST_MS);
    return { commits: ((await commits()) - before) / (REST_MS / 1_000) / berths.length };
  } finally {
    for (const berth of berths) await berth.stop();
  }
}
