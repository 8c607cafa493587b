import { type FromExecutor, type Port, serveExecutor, type ToExecutor } from "@berth/agent";
import { refuseExits } from "../exit/index.ts";
import { levelConsole, provideSdkLogger, startProcessLog, surviveStrays } from "../log/index.ts";
import { letOwnCallsIn, tellClients } from "../own-calls/index.ts";
import type { Settings } from "../settings/index.ts";

/** What a thread is told of the process that it belongs to. */
export type ThreadPlace = {
  settings: Settings;
  /** Where the process listens. */
  url: string;
  port: number;
  /** What requests of this process's own graphs bring, where only the gateway is let in. */
  ownToken: string | undefined;
};

/** What the first message to a thread is. */
export type ThreadStart = { place: ThreadPlace };

/** What a thread says once it can hear. */
export const UP = "up";

/** The whole of a thread that runs graphs: `main.ts` calls it where it is not the main thread's. */
export function runThread(): void {
  let hear: ((messages: ToExecutor[]) => void) | undefined;
  const port: Port<FromExecutor, ToExecutor> = {
    send: (messages) => postMessage(messages),
    listen: (listener) => {
      hear = listener;
    },
  };
  globalThis.onmessage = ({ data }: MessageEvent<ThreadStart | ToExecutor[]>) => {
    if (Array.isArray(data)) return hear?.(data);
    setUp(data.place);
    surviveStrays();
    serveExecutor(port);
  };
  postMessage(UP);
}

/** As the process itself is set up: what a project's code meets is the same in both. */
function setUp({ settings, url, port, ownToken }: ThreadPlace): void {
  startProcessLog(settings);
  provideSdkLogger();
  const isJson = settings.logFormat === "json";
  if (settings.gatewayToken !== null || isJson) levelConsole(settings.gatewayToken === null);
  refuseExits();
  tellClients(url, ownToken === undefined ? undefined : letOwnCallsIn(port, ownToken));
}
