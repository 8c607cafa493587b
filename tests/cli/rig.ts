import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { berthCommand, type Finished } from "../e2e/command.ts";
import { FakeControlPlane } from "./fake-control-plane.ts";

/** Settings of whoever runs the tests: a command under test must not see them. */
const FOREIGN = [
  "PORT",
  "SERVICE_API_KEY",
  "SERVICE_ENDPOINT",
  "SERVICE_TENANT_ID",
  "SERVICE_DEPLOYMENT_NAME",
];
const PUBLIC = ["LANGGRAPH_HOST_API_KEY", "LANGGRAPH_HOST_URL", "LANGSMITH_API_KEY", "LANGSMITH_TENANT_ID"];
const CLEAR = Object.fromEntries([...FOREIGN, ...PUBLIC].map((name) => [name, ""]));

export const GRAPH_JSON = JSON.stringify({ graphs: { agent: "./agent.ts:graph" } });

/** A fake server and folders for projects; both are gone when the scope ends. */
export class Rig implements Disposable {
  readonly server = new FakeControlPlane();
  readonly folder = mkdtempSync(join(tmpdir(), "berth-cli-rig-"));

  /** A folder with these files, and a graph.json unless they bring one. */
  project(name: string, files: Record<string, string> = {}): string {
    const path = join(this.folder, name);
    for (const [file, text] of Object.entries({ "graph.json": GRAPH_JSON, "agent.ts": "", ...files })) {
      mkdirSync(dirname(join(path, file)), { recursive: true });
      writeFileSync(join(path, file), text);
    }
    return path;
  }

  /** Runs `berth deploy …` in a folder against the fake. */
  deploy(cwd: string, args: string[] = [], env: Record<string, string> = {}): Promise<Finished> {
    return berthCommand(["deploy", ...args], { cwd, env: { ...CLEAR, ...this.server.environment, ...env } });
  }

  [Symbol.dispose](): void {
    this.server[Symbol.dispose]();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
