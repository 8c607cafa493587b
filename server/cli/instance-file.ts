import { renameSync, writeFileSync } from "node:fs";

/** What is between the gateway and this process; the project that is served has no need of it. */
const BETWEEN_US = ["GATEWAY_TOKEN", "INSTANCE_FILE", "SHIP_TRACES_TO", "STANDBY"];

/** Takes what only this program was to know out of what the project, and whatever it starts, will see. */
export function hideGateway(environment: Record<string, string | undefined>): void {
  for (const name of BETWEEN_US) delete environment[name];
}

/** Says how this process is reached. Whoever waits for the file sees all of it or nothing. */
export function writeInstance(path: string, port: number): void {
  const unfinished = `${path}.${process.pid}`;
  writeFileSync(unfinished, JSON.stringify({ pid: process.pid, port }));
  renameSync(unfinished, path);
}
