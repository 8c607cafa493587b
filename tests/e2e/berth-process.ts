import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { WAIT_LIMIT_MS } from "../limits.ts";
import { databaseSettings, forgetDatabase } from "../postgres/for-data.ts";
import { berthProgram, ROOT, SOURCES } from "../smoke/program.ts";
import { balancer } from "./postgres/balancer.ts";

/** Whether the graphs of the tests are those in Python: `GRAPHS=python` asks for it. */
export const IN_PYTHON = process.env.GRAPHS === "python";

/** Whether tests talk to two processes on one database as to one: `BEHIND=balancer` asks for it, on Postgres. */
const BEHIND_ONE = process.env.BEHIND === "balancer";

/** A folder with ten graphs at once; each of them says what it does. Both languages have the same. */
export const FIXTURES = join(import.meta.dir, "..", IN_PYTHON ? "python-fixtures" : "fixtures");

/** A template's folder, to be served as a project. */
export const template = (name: string): string => join(ROOT, "agent", "templates", name);

export type StartOptions = {
  /** What it is started as. */
  command?: "start" | "dev";
  /** From the sources, also where an executable is at hand: for what only they do. */
  sources?: boolean;
  /** Folder with the graph.json to serve (default: the fixtures). */
  project?: string;
  /** What runs the program in its place, with what it is to be told: another user, fewer rights. */
  prefix?: string[];
  /** More options of the command. */
  args?: string[];
  /** Where to listen; without one, at any port that is free. */
  port?: number;
  /** Folder of the database; without one the process gets its own and removes it when stopped. */
  data?: string;
  env?: Record<string, string>;
};

/** A Berth of its own: the real program, a real port, a real file. */
export type BerthProcess = {
  url: string;
  pid: number;
  data: string;
  /** What it printed so far, stdout and stderr. */
  output(): string;
  /** Asks it to stop with all that it runs, waits for its end, removes the data when they are its own; its exit code. */
  stop(): Promise<number>;
  /** Its exit code, once it has ended and everything it printed was read. */
  ended: Promise<number>;
  /** Asks it to stop as a supervisor does: what it has deployed goes on, and the data stays. */
  terminate(): Promise<number>;
  /** Kills it as a power cut would; the data stays. */
  kill9(): Promise<void>;
  /** Another process on the same data, which now removes them; this one may be dead or still alive. */
  restartOnSameData(env?: Record<string, string>): Promise<BerthProcess>;
  /** The same, where this one listened: for those who keep its address. This one must be dead. */
  restartInPlace(): Promise<BerthProcess>;
};

/** Starts Berth and waits until it says where it listens. */
export async function start(options: StartOptions = {}): Promise<BerthProcess> {
  const berth = await startOne(options);
  return BEHIND_ONE ? behindOne(berth, options) : berth;
}

/** With another one on its database, behind a load balancer that switches at each request. */
async function behindOne(berth: BerthProcess, options: StartOptions): Promise<BerthProcess> {
  const { data: _, port: __, ...same } = options;
  const env = { ...(await databaseSettings(berth.data)), ...options.env };
  const other = await startOne({ ...same, env });
  const between = await balancer(() => [berth.url, other.url]);
  return {
    ...berth,
    url: between.url,
    output: () => berth.output() + other.output(),
    stop: async () => {
      await between.stop();
      const codes = [await other.stop(), await berth.stop()];
      return Math.max(...codes);
    },
  };
}

async function startOne(options: StartOptions): Promise<BerthProcess> {
  const data = options.data ?? mkdtempSync(join(tmpdir(), "berth-e2e-"));
  try {
    return await spawn(options, { path: data, own: options.data === undefined });
  } catch (error) {
    if (options.data === undefined) rmSync(data, { recursive: true, force: true });
    throw error;
  }
}

type DataFolder = { path: string; own: boolean };

/** The test runner's `--no-orphans` would have whatever Berth starts die with it. */
export const OUTLIVED = { BUN_FEATURE_FLAG_NO_ORPHANS: "0" };

async function spawn(options: StartOptions, data: DataFolder): Promise<BerthProcess> {
  const project = resolve(options.project ?? FIXTURES);
  const command = [...(options.sources ? SOURCES : berthProgram()), options.command ?? "start"];
  const where = ["--project", project, "--port", String(options.port ?? 0), "--data", data.path];
  const database = await databaseSettings(data.path);
  const child = Bun.spawn([...(options.prefix ?? []), ...command, ...where, ...(options.args ?? [])], {
    cwd: project,
    env: {
      ...{ ...process.env, ...OUTLIVED },
      ...{ OFFLINE_TOKEN_MS: "0", LOG_FORMAT: "json", LOG_LEVEL: "warning", ...database, ...options.env },
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const printed = new Printed();
  const reading = Promise.all([printed.take(child.stdout), printed.take(child.stderr)]);
  const url = await readyUrl(child, printed, reading);
  // Whoever holds the data last removes them: a restart takes that over.
  let holdsData = data.own;
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    const code = await child.exited;
    await reading;
    return code;
  };
  const restart = async (changed: StartOptions) => {
    const next = await spawn({ ...options, ...changed }, { ...data, own: holdsData });
    holdsData = false;
    return next;
  };
  return {
    url,
    pid: child.pid,
    ended: reading.then(() => child.exited),
    data: data.path,
    output: () => printed.text,
    stop: async () => {
      const code = await end("SIGINT");
      if (holdsData) rmSync(data.path, { recursive: true, force: true });
      if (holdsData) await forgetDatabase(data.path);
      return code;
    },
    terminate: () => end("SIGTERM"),
    kill9: async () => void (await end("SIGKILL")),
    restartOnSameData: (env = {}) => restart({ port: 0, env: { ...options.env, ...env } }),
    restartInPlace: () => restart({ port: Number(new URL(url).port) }),
  };
}

class Printed {
  text = "";
  #listener: (() => void) | undefined;

  async take(stream: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<void> {
    const decoder = new TextDecoder();
    for await (const bytes of stream) {
      this.text += decoder.decode(bytes, { stream: true });
      this.#listener?.();
    }
  }

  onText(listener: () => void): void {
    this.#listener = listener;
  }
}

async function readyUrl(child: Bun.Subprocess, printed: Printed, ended: Promise<unknown>): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const look = () => {
    const url = /Berth is ready at (https?:\/\/[^\s"]+)[\s"]/.exec(printed.text)?.[1];
    if (url) resolve(url);
  };
  const limit = setTimeout(() => child.kill("SIGKILL"), WAIT_LIMIT_MS);
  printed.onText(look);
  void ended.then(() => reject(new Error(`Berth ended before it was ready:\n${printed.text}`)));
  try {
    return await promise;
  } finally {
    clearTimeout(limit);
    printed.onText(() => undefined);
  }
}
