import type { ToExecutor } from "@berth/agent";
import { serveExecutor } from "@berth/agent/code";
import { maskInProcess } from "@berth/store/mask";
import { compileAsUsual } from "../early/index.ts";
// Types only: what starts executors would load all that a process has beside them.
import type { ExecutorHome, OwnAddress, SaidByExecutor, ToldToExecutor } from "../executors/index.ts";
import { leave, refuseExits } from "../exit/index.ts";
import { levelConsole, provideSdkLogger, startProcessLog, surviveStrays } from "../log/index.ts";
import { letOwnCallsIn, tellClients } from "../own-calls/index.ts";

/**
 * The whole of a thread or a process that runs graphs: `main.ts` calls it there.
 * @param told in a thread: what that is told, and was told already
 */
export function runExecutor(told?: (hear: (message: unknown) => void) => void): void {
  if (told) {
    const hear = hearing((said) => postMessage(said));
    told((message) => hear(message as ToldToExecutor));
    return;
  }
  // Libraries of a project report to a parent process where `send` exists, as they do under a process manager.
  const send = process.send?.bind(process);
  process.send = undefined as never;
  process.on(
    "message",
    hearing((said) => send?.(said)),
  );
  // Without the process that it belongs to there is nobody to record a run.
  process.once("disconnect", () => leave(0));
  // A terminal sends them to both; the other one says when to end.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => undefined);
  send?.("up" satisfies SaidByExecutor);
}

function hearing(say: (said: SaidByExecutor) => void): (data: ToldToExecutor) => void {
  let hear: ((messages: ToExecutor[]) => void) | undefined;
  return (data) => {
    if (Array.isArray(data)) return hear?.(data);
    if ("address" in data) return tellAddress(data.address);
    replaceEnvironment(data.environment);
    // What code of the project prints is logged here.
    maskInProcess({ values: data.home.secrets, prefixes: data.home.log.secretPrefixes });
    setUp(data.home);
    surviveStrays();
    serveExecutor({
      send: afterFirst(compileAsUsual, say),
      listen: (listener) => {
        hear = listener;
      },
    });
  };
}

/** The first that an executor says is whether it has loaded its project. */
function afterFirst<Said>(loaded: () => void, say: (said: Said) => void): (said: Said) => void {
  let isFirst = true;
  return (said) => {
    say(said);
    if (isFirst) loaded();
    isFirst = false;
  };
}

/** A thread may have been started before it was known: what is not in it is not for a project's code. */
function replaceEnvironment(environment: Record<string, string>): void {
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
  Object.assign(process.env, environment);
}

/** As the process itself is set up: what a project's code meets is the same in both. */
function setUp({ log, secrets: _, ...address }: ExecutorHome): void {
  startProcessLog(log);
  provideSdkLogger();
  const isJson = log.logFormat === "json";
  if (log.gatewayToken !== null || isJson) levelConsole(log.gatewayToken === null);
  refuseExits();
  tellAddress(address);
}

let forgetOwnCalls: (() => void) | undefined;

function tellAddress({ url, port, ownToken }: OwnAddress): void {
  // Graphs call their own server there.
  if (port !== 0) process.env.PORT = String(port);
  forgetOwnCalls?.();
  const ownCalls = ownToken === undefined ? undefined : letOwnCallsIn(port, ownToken);
  forgetOwnCalls = ownCalls?.forget;
  tellClients(url, ownCalls);
}
