import type { FromExecutor, Spawned, ToExecutor } from "@berth/agent";
import { takeEarly } from "../early/index.ts";
import { BYTES_IN_MB, executableOf, MEMORY_LOOK_MS, memoryAbove, ownProgram } from "../machine/index.ts";
import type { Home } from "./home.ts";
import { messageFault } from "./message-check.ts";
import type { ToldToExecutor } from "./messages.ts";

/** A thread or a process as it is started: what it says is heard, and its end once. */
type Started = {
  /** Resolves when what is posted is heard; at once where it is kept. */
  up: Promise<void>;
  post(message: ToldToExecutor): void;
  end(): void;
  /** Of a process. */
  pid?: number;
};

type Environment = Record<string, string>;

type Hearing = { said(messages: FromExecutor[]): void; ended(why: string): void };

type SpawnOptions = {
  kind: "thread" | "process";
  /** What a process may take, with the programs that it starts, in MiB; null: whatever there is. */
  memoryMb: number | null;
};

/**
 * Starts a thread or a process that runs graphs; it is this same program, which looks what it is.
 * @param environment as this process has it now, and not as it was started with
 * @param home told once it can hear and the home is known, and again when that changes
 */
export function spawnExecutor(
  { kind, memoryMb }: SpawnOptions,
  environment: Record<string, string | undefined>,
  home: Home,
): Spawned {
  let hear: ((messages: FromExecutor[]) => void) | undefined;
  let early: ToExecutor[][] | undefined = [];
  const env = Object.fromEntries(Object.entries(environment).filter(isSet));
  const gone = Promise.withResolvers<string>();
  const begin = () => {
    started.post({ home: home.now, environment: env });
    gone.promise.then(home.follow((address) => started.post({ address })));
    for (const messages of early ?? []) started.post(messages);
    early = undefined;
  };
  const started = (kind === "thread" ? startThread : startProcess)(env, {
    said: (messages) => hear?.(messages),
    ended: gone.resolve,
  });
  Promise.all([home.known, started.up]).then(begin);
  return {
    port: {
      send: (messages) => {
        if (early) early.push(messages);
        else started.post(messages);
      },
      listen: (listener) => {
        hear = listener;
      },
    },
    gone: (told) => void gone.promise.then(told),
    end: () => started.end(),
    excess: excessOf(started.pid, memoryMb),
  };
}

/** Tells what a process takes beyond its limit, in words; it looks as often as that is cheap. */
function excessOf(pid: number | undefined, limitMb: number | null): (now: number) => string | undefined {
  if (pid === undefined || limitMb === null) return () => undefined;
  let lookedAt = 0;
  return (now) => {
    if (Math.abs(now - lookedAt) < MEMORY_LOOK_MS) return undefined;
    lookedAt = now;
    const bytes = memoryAbove(pid, limitMb * BYTES_IN_MB);
    if (bytes === undefined) return undefined;
    const taken = Math.round(bytes / BYTES_IN_MB);
    return `The process of its executor took ${taken} MiB of memory, more than its limit of ${limitMb} MiB`;
  };
}

function startThread(env: Environment, { said, ended }: Hearing): Started {
  const early = takeEarly();
  const worker = early?.worker ?? new Worker(executableOf(ownProgram()).module, { env });
  let error: string | undefined;
  if (early) early.listen((message) => said(message as FromExecutor[]));
  else worker.onmessage = ({ data }) => said(data);
  (worker as unknown as Bun.Worker).ref();
  worker.addEventListener("error", (event) => {
    event.preventDefault();
    error ??= event.message.split("\n").at(-1);
  });
  worker.addEventListener("close", (event) => {
    const code = "code" in event ? ` (code ${event.code})` : "";
    ended(`The thread of its executor ended${error === undefined ? code : `: ${error}`}`);
  });
  return {
    up: Promise.resolve(),
    post: (message) => worker.postMessage(message),
    end: () => worker.terminate(),
  };
}

function startProcess(env: Environment, { said, ended }: Hearing): Started {
  const { command } = executableOf(ownProgram()).berth(["executor"]);
  const up = Promise.withResolvers<void>();
  const hear = (message: unknown) => {
    if (message === "up") return up.resolve();
    // Code of the project may use the channel, too: only lists are messages of the protocol.
    if (!Array.isArray(message)) return;
    const fault = messageFault(message);
    if (fault === undefined) return said(message);
    ended(`The process of its executor sent an invalid message: ${fault}`);
    child.kill("SIGKILL");
  };
  const child = Bun.spawn(command, {
    env,
    stdio: ["ignore", "inherit", "inherit"],
    serialization: "advanced",
    ipc: hear,
    onExit: (_, code, signal) => ended(`The process of its executor ended (${endOf(code, signal)})`),
  });
  return {
    up: up.promise,
    // One that has ended is told so by its end.
    post: (message) => void (child.exitCode === null && child.send(message)),
    end: () => child.kill("SIGKILL"),
    pid: child.pid,
  };
}

const isSet = (entry: [string, string | undefined]): entry is [string, string] => entry[1] !== undefined;

const endOf = (code: number | null, signal: unknown): string =>
  code === null ? `signal ${signal}` : `code ${code}`;
