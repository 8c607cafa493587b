import { cpSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { installPeer, peerCommand } from "../../bench/peer.ts";
import { freePort } from "../../free-port.ts";
import { ROOT } from "../../runner/run.ts";
import { until } from "../condition.ts";

/** The released server that the comparison was made with. */
const PYTHON_SERVER = ["langgraph-cli[inmem]==0.4.40", "langgraph-api==0.16.7", "langgraph==1.2.24"];
const PYTHON_FOLDER = join(ROOT, "node_modules", ".berth-official");

export type OfficialServer = { url: string; stop(): Promise<void> };

/** Installs the official Python server once, where an index can be reached; returns its command or undefined. */
export async function installPythonServer(): Promise<string | undefined> {
  const command = join(PYTHON_FOLDER, "bin", "langgraph");
  const mark = join(PYTHON_FOLDER, "complete");
  if (existsSync(mark)) return command;
  mkdirSync(PYTHON_FOLDER, { recursive: true });
  const pip = [join(PYTHON_FOLDER, "bin", "python"), "-m", "pip", "install", "--quiet", ...PYTHON_SERVER];
  for (const step of [["python3", "-m", "venv", PYTHON_FOLDER], pip])
    if ((await Bun.spawn(step, { stdio: ["ignore", "ignore", "inherit"] }).exited) !== 0) return undefined;
  writeFileSync(mark, "");
  return command;
}

/** Starts the official Python server with a copy of a project in `scratch`. */
export function startPythonServer(
  command: string,
  project: string,
  scratch: string,
): Promise<OfficialServer> {
  const folder = join(scratch, "official-python");
  cpSync(project, folder, { recursive: true });
  const port = freePort();
  const options = ["--no-browser", "--no-reload", "--host", "127.0.0.1", "--port", `${port}`];
  return started([command, "dev", ...options, "--config", "graph.json"], port, folder);
}

/** Starts the official JavaScript server on Bun; its configuration is in `scratch`, where it writes. */
export async function startJavaScriptServer(project: string, scratch: string): Promise<OfficialServer> {
  await installPeer();
  const folder = join(scratch, "official-javascript");
  const port = freePort();
  return started(await peerCommand(port, folder, { project }), port, folder);
}

async function started(command: string[], port: number, cwd: string): Promise<OfficialServer> {
  const child = Bun.spawn(command, { cwd, stdio: ["ignore", "ignore", "ignore"] });
  const url = `http://127.0.0.1:${port}`;
  await until(
    "the official server to answer",
    async () => (await fetch(`${url}/ok`).catch(() => undefined))?.ok,
    (isThere) => isThere === true,
  );
  return {
    url,
    stop: async () => {
      child.kill();
      await child.exited;
    },
  };
}
