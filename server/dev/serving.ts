import { dirname, resolve } from "node:path";
import type { ServedProject } from "@berth/agent";
import { leave } from "../exit/index.ts";
import type { Running } from "../process.ts";
import type { Settings } from "../settings/index.ts";
import { type FromServing, isMessage, type ToServing, WATCHED_OVER } from "./messages.ts";

/** Whether this process serves for another that watches the project. */
export const isWatchedOver = (): boolean => process.env[WATCHED_OVER] !== undefined;

/** Says that the project loads, and waits until it is this process's turn; gives the port to listen at. */
export async function awaitTurn(
  { dir, graphs, config }: ServedProject,
  { dataDir }: Settings,
): Promise<number | null> {
  const modules = Object.values(graphs).flatMap(({ path }) => (path === undefined ? [] : [dirname(path)]));
  const folders = [...new Set([...(dir === null ? [] : [dir]), ...modules])];
  const { promise, resolve: begin } = Promise.withResolvers<number | null>();
  listen((message) => {
    if (message.type === "serve") begin(message.port);
    if (message.type === "leave") leave(0);
  });
  // Without the one who watches there is nobody to stop this process.
  process.once("disconnect", () => leave(0));
  const { env } = config;
  const files = dir !== null && typeof env === "string" ? [resolve(dir, env)] : [];
  tell({ type: "loaded", folders, except: [dataDir], files });
  return promise;
}

/** Says that it serves; from now on it may be asked to make room. */
export function takeTurn(running: Running, port: number): void {
  const makeRoom = (deployments: "stop" | "leave") =>
    void running.stop({ graceSeconds: 0, deployments }).finally(() => leave(0));
  process.removeAllListeners("disconnect");
  process.once("disconnect", () => makeRoom("stop"));
  listen((message) => {
    // The process that has loaded the change adopts what is deployed.
    if (message.type === "leave") makeRoom("leave");
  });
  tell({ type: "ready", port });
}

function listen(heard: (message: ToServing) => void): void {
  process.removeAllListeners("message");
  process.on("message", (message: unknown) => {
    if (isMessage(message)) heard(message);
  });
}

function tell(message: FromServing): void {
  process.send?.(message);
}
