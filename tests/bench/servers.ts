import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../free-port.ts";
import type { TargetName } from "./line.ts";
import { ROOT } from "./options.ts";
import { peerCommand } from "./peer.ts";
import { processTree, signalTree } from "./processes.ts";

/** Servers that are alive and their folders, so that neither outlives the bench however it ends. */
const alive = new Map<number, string>();
process.on("exit", () => {
  for (const pid of alive.keys()) kill(pid);
});
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(1));

const START_LIMIT_MS = 30_000;

/**
 * One environment for everything that is measured: no tracing, no log lines, no token lost to a late callback, and
 * neither the database nor the key of a Berth that is in use.
 */
export const ENVIRONMENT = {
  ...process.env,
  LANGCHAIN_CALLBACKS_BACKGROUND: "false",
  LANGCHAIN_TRACING_V2: "false",
  LANGSMITH_TRACING: "false",
  LOG_LEVEL: "error",
  LANGGRAPH_CLI_NO_ANALYTICS: "1",
  // What deploying takes is measured, and not how long somebody wants to look at what was deployed.
  DEPLOY_SETTLE_SECONDS: "0",
  DATABASE_URL: undefined,
  SERVICE_API_KEY: undefined,
};

/** Of servers that need one. */
export const BENCH_KEY = "the-key-of-the-bench";

export type Server = {
  url: string;
  pid: number;
  /** Its data folder. */
  data: string;
  /** From the start of the process to the first answer of /ok, in ms. */
  startMs: number;
  memory: () => { process: number; tree: number } | undefined;
  /** Stops and continues all its processes, so that an idle server takes no time from the one being measured. */
  pause: () => void;
  resume: () => void;
  /** Lets it end by itself, as whoever stops it does. */
  end: (limitMs: number) => Promise<void>;
  /** Kills it and removes what it wrote. */
  stop: () => Promise<void>;
};

export type Start = {
  environment?: Record<string, string> | undefined;
  /** What Berth is started as, if not from its sources. */
  program?: string[] | undefined;
  /** Whether Berth is a deployment, behind the gateway of another. */
  deployed?: boolean | undefined;
  /** What Berth serves, if not the bench project. */
  project?: string;
  /** The sources of Berth, if not these. */
  root?: string | undefined;
  /** Its data folder, if not a fresh one. */
  data?: string;
};

/** Starts the server of that name with the bench project, on a free port, until /ok answers. */
export async function startServer(name: TargetName, start: Start = {}): Promise<Server> {
  const folder = start.data ?? (await mkdtemp(join(tmpdir(), `berth-bench-${name}-`)));
  const port = freePort();
  const command = await commands[name](port, folder, start);
  const log = join(folder, "output.log");
  const startedAt = performance.now();
  const child = Bun.spawn(command, {
    cwd: folder,
    env: { ...ENVIRONMENT, ...start.environment },
    stdout: Bun.file(log),
    stderr: Bun.file(log),
  });
  alive.set(child.pid, folder);
  const url = `http://127.0.0.1:${port}`;
  const stop = async () => {
    kill(child.pid);
    await child.exited;
  };
  while (!(await answers(`${url}/ok`))) {
    if (child.exitCode === null && performance.now() - startedAt < START_LIMIT_MS) await Bun.sleep(5);
    else {
      const output = await Bun.file(log).text();
      await stop();
      throw new Error(`${name} did not start:\n${output.slice(-2000)}`);
    }
  }
  return {
    url,
    pid: child.pid,
    data: folder,
    startMs: performance.now() - startedAt,
    memory: () => memoryOf(child.pid),
    pause: () => signalTree(child.pid, "SIGSTOP"),
    resume: () => signalTree(child.pid, "SIGCONT"),
    end: async (limitMs) => {
      // Not SIGTERM, which leaves what a Berth has deployed running.
      child.kill("SIGINT");
      await Promise.race([child.exited, Bun.sleep(limitMs)]);
    },
    stop,
  };
}

type Command = (port: number, folder: string, start: Start) => Promise<string[]>;

const berth: Command = async (port, folder, { root = ROOT, program, project, deployed = false }) => [
  ...(program ?? [process.execPath, "run", "--cwd", root, "server/main.ts"]),
  deployed ? "serve" : "start",
  ...["--project", project ?? join(root, "tests/bench/project"), "--port", `${port}`, "--data", folder],
];

const commands: Record<TargetName, Command> = {
  berth,
  before: berth,
  peer: (port, folder) => peerCommand(port, folder),
  bare: async (port) => [process.execPath, join(import.meta.dir, "worker/bare-server.ts"), `${port}`],
};

function kill(pid: number): void {
  signalTree(pid, "SIGKILL");
  rmSync(alive.get(pid) ?? "", { recursive: true, force: true });
  alive.delete(pid);
}

function memoryOf(pid: number) {
  const tree = processTree(pid);
  return tree && { process: tree.largestRssBytes / 1e6, tree: tree.rssBytes / 1e6 };
}

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(url)).ok;
  } catch {
    return false;
  }
}
