import { join } from "node:path";
import { PythonWorker } from "../../../agent/python/index.ts";
import { testPython } from "../../python-here.ts";
import { type Server, startServer } from "../servers.ts";
import { drive, median } from "./drive.ts";
import { httpCalls } from "./http-calls.ts";
import type { Figures, JobOf } from "./job.ts";

const PROJECT = join(import.meta.dir, "..", "python");
const STARTS = 3;
const TOKENS = 200;
const TURNS_A_THREAD = 20;

type Bare = { stateless: number; threads: number; tokens: number; first: number; import: number };

/** Servers with Python graphs beside the same graphs in one process. */
export async function python({ bounds }: JobOf<"python">): Promise<Figures> {
  const interpreter = testPython();
  if (interpreter === undefined) throw new Error("no Python 3.11 with LangGraph is here: run test makes one");
  const bare = await bareFigures(interpreter, bounds);
  const one = await served(interpreter, "1", (server) => measure(server, bounds));
  const two = await served(interpreter, "2", ({ url }) => stateless(url, bounds));
  return {
    ...{ stateless: one.stateless, statelessBare: bare.stateless },
    ...{ statelessRatio: one.stateless / bare.stateless, statelessTwo: two / bare.stateless },
    ...{ threads: one.threads, threadsRatio: one.threads / bare.threads },
    ...{ tokens: one.tokens, tokensRatio: one.tokens / bare.tokens, firstExtra: one.first - bare.first },
    ...{ start: await startMs(interpreter), import: bare.import },
  };
}

async function bareFigures(
  interpreter: string,
  { warmMs, measureMs }: JobOf<"python">["bounds"],
): Promise<Bare> {
  const child = Bun.spawn([interpreter, "bare.py", `${warmMs / 1_000}`, `${measureMs / 1_000}`], {
    cwd: PROJECT,
    stdout: "pipe",
    stderr: "inherit",
  });
  const text = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new Error("the bare graphs failed");
  return JSON.parse(text);
}

async function served<Value>(
  interpreter: string,
  executors: string,
  take: (server: Server) => Promise<Value>,
): Promise<Value> {
  const environment = { PYTHON: interpreter, EXECUTORS: executors };
  const server = await startServer("berth", { environment, project: PROJECT });
  try {
    return await take(server);
  } finally {
    await server.stop();
  }
}

type Bounds = JobOf<"python">["bounds"];
const none = () => undefined;

async function stateless(url: string, bounds: Bounds): Promise<number> {
  return (await drive(bounds, 16, () => httpCalls(url).run("echo"), none)).perSecond;
}

async function measure({ url }: Server, bounds: Bounds) {
  const calls = httpCalls(url);
  const turns = new Map<number, { thread: string; left: number }>();
  const onThread = async (client: number) => {
    const turn = turns.get(client) ?? { thread: crypto.randomUUID(), left: TURNS_A_THREAD };
    turns.set(
      client,
      turn.left > 1
        ? { ...turn, left: turn.left - 1 }
        : { thread: crypto.randomUUID(), left: TURNS_A_THREAD },
    );
    await calls.run("flat", turn.thread);
  };
  const streams = await drive(bounds, 8, () => calls.stream("tokens"), none);
  for (const { value } of streams.calls)
    if (value().tokens !== TOKENS) throw new Error(`${value().tokens} of ${TOKENS} tokens came`);
  const first = await drive(bounds, 1, () => calls.stream("tokens"), none);
  return {
    stateless: await stateless(url, bounds),
    threads: (await drive(bounds, 16, onThread, none)).perSecond,
    tokens: streams.perSecond * TOKENS,
    first: median(first.calls.map(({ value }) => value().firstTokenMs)),
  };
}

/** Of a worker by itself: from its start to its loaded graphs. */
async function startMs(interpreter: string): Promise<number> {
  const spent: number[] = [];
  for (let at = 0; at < STARTS; at += 1) {
    const begun = performance.now();
    const worker = new PythonWorker(interpreter, PROJECT);
    const path = join(PROJECT, "graphs.py");
    const echo = { where: "graphs.echo", named: "./graphs.py", path, export: "echo" };
    await worker.call("load", { folder: PROJECT, paths: [], graphs: { echo } });
    spent.push(performance.now() - begun);
    worker.end();
  }
  return median(spent);
}
