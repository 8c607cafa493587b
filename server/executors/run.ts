import { type FromExecutor, serveExecutor, type ToExecutor } from "@berth/agent";
import { leave, refuseExits } from "../exit/index.ts";
import {
  type LogSettings,
  levelConsole,
  provideSdkLogger,
  startProcessLog,
  surviveStrays,
} from "../log/index.ts";
import { letOwnCallsIn, tellClients } from "../own-calls/index.ts";

/** What an executor is told of the process that it belongs to. */
export type ExecutorHome = {
  /** Nothing else of the settings: a project's code runs there. */
  log: LogSettings;
  /** Where the process listens. */
  url: string;
  port: number;
  /** What requests of this process's own graphs bring, where only the gateway is let in. */
  ownToken: string | undefined;
};

/** The first message to an executor. */
export type ExecutorStart = { home: ExecutorHome };

/** What an executor says once it can hear. */
export const UP = "up";

type Said = typeof UP | FromExecutor[];
type Heard = ExecutorStart | ToExecutor[];

/** The whole of a thread or a process that runs graphs: `main.ts` calls it there. */
export function runExecutor(): void {
  if (!Bun.isMainThread) {
    const hear = hearing((said) => postMessage(said));
    globalThis.onmessage = ({ data }: MessageEvent<Heard>) => hear(data);
    postMessage(UP);
    return;
  }
  process.on(
    "message",
    hearing((said) => process.send?.(said)),
  );
  // Without the process that it belongs to there is nobody to record a run.
  process.once("disconnect", () => leave(0));
  // A terminal sends them to both; the other one says when to end.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => undefined);
  process.send?.(UP);
}

function hearing(say: (said: Said) => void): (data: Heard) => void {
  let hear: ((messages: ToExecutor[]) => void) | undefined;
  return (data) => {
    if (Array.isArray(data)) return hear?.(data);
    setUp(data.home);
    surviveStrays();
    serveExecutor({
      send: say,
      listen: (listener) => {
        hear = listener;
      },
    });
  };
}

/** As the process itself is set up: what a project's code meets is the same in both. */
function setUp({ log, url, port, ownToken }: ExecutorHome): void {
  startProcessLog(log);
  provideSdkLogger();
  const isJson = log.logFormat === "json";
  if (log.gatewayToken !== null || isJson) levelConsole(log.gatewayToken === null);
  refuseExits();
  tellClients(url, ownToken === undefined ? undefined : letOwnCallsIn(port, ownToken));
}
