import type { FromExecutor, Spawned, ToExecutor } from "@berth/agent";
import { executableOf, ownProgram } from "../machine/index.ts";
import type { Home } from "./home.ts";
import { type SaidByExecutor, type ToldToExecutor, UP } from "./messages.ts";

/** A thread or a process as it is started: what it says is heard, and its end once. */
type Started = {
  post(message: ToldToExecutor): void;
  end(): void;
};

type Environment = Record<string, string>;

type Hearing = { said(message: SaidByExecutor): void; ended(why: string): void };

/**
 * Starts a thread or a process that runs graphs; it is this same program, which looks what it is.
 * @param environment as this process has it now, and not as it was started with
 * @param home told once it is up and the home is known, and again when that changes
 */
export function spawnExecutor(
  kind: "thread" | "process",
  environment: Record<string, string | undefined>,
  home: Home,
): Spawned {
  let hear: ((messages: FromExecutor[]) => void) | undefined;
  let early: ToExecutor[][] | undefined = [];
  const gone = Promise.withResolvers<string>();
  const begin = () => {
    started.post({ home: home.now });
    gone.promise.then(home.follow((address) => started.post({ address })));
    for (const messages of early ?? []) started.post(messages);
    early = undefined;
  };
  const env = Object.fromEntries(Object.entries(environment).filter(isSet));
  const started = (kind === "thread" ? startThread : startProcess)(env, {
    said: (message) => {
      if (message !== UP) return hear?.(message);
      home.known.then(begin);
    },
    ended: gone.resolve,
  });
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
  };
}

function startThread(env: Environment, { said, ended }: Hearing): Started {
  const worker = new Worker(executableOf(ownProgram()).module, { env });
  let error: string | undefined;
  worker.onmessage = ({ data }) => said(data);
  worker.addEventListener("error", (event) => {
    event.preventDefault();
    error ??= event.message.split("\n").at(-1);
  });
  worker.addEventListener("close", (event) => {
    const code = "code" in event ? ` (code ${event.code})` : "";
    ended(`The thread of its executor ended${error === undefined ? code : `: ${error}`}`);
  });
  return { post: (message) => worker.postMessage(message), end: () => worker.terminate() };
}

function startProcess(env: Environment, { said, ended }: Hearing): Started {
  const { command } = executableOf(ownProgram()).berth(["executor"]);
  const child = Bun.spawn(command, {
    env,
    stdio: ["ignore", "inherit", "inherit"],
    serialization: "advanced",
    ipc: said,
    onExit: (_, code, signal) => ended(`The process of its executor ended (${endOf(code, signal)})`),
  });
  return {
    // One that has ended is told so by its end.
    post: (message) => void (child.exitCode === null && child.send(message)),
    end: () => child.kill("SIGKILL"),
  };
}

const isSet = (entry: [string, string | undefined]): entry is [string, string] => entry[1] !== undefined;

const endOf = (code: number | null, signal: unknown): string =>
  code === null ? `signal ${signal}` : `code ${code}`;
