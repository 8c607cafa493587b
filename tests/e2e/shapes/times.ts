// How long it takes from the command to the first answer, for each project of shapes.ts, beside the official in-memory
// server: `bun --no-install tests/e2e/shapes/times.ts [TIMES]`. Prints a table.
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@langchain/langgraph-sdk";
import { installPeer, PEER_CLI } from "../../bench/peer.ts";
import { berthProgram } from "../../smoke/program.ts";
import { until } from "../condition.ts";
import { SHAPES, type Shape } from "./shapes.ts";

const times = Number(process.argv[2] ?? 3);
/** What does not listen then never does: the official server waits for a change where a graph does not load. */
const LIMIT_MS = 20_000;

type Server = { name: string; command(path: string, port: number): string[] };

const SERVERS: Server[] = [
  {
    name: "Berth",
    command: (path, port) => [
      ...berthProgram(),
      ...["dev", "--project", path, "--port", `${port}`, "--data", join(path, ".data")],
    ],
  },
  {
    name: "official, in memory",
    command: (path, port) => [
      ...["node", PEER_CLI, "dev", "--no-browser", "--no-reload", "--host", "127.0.0.1", "--port", `${port}`],
      ...["--config", join(path, shapeFile(path))],
    ],
  },
];

const shapeFile = (path: string) =>
  ["graph.json", "langgraph.json"].find((name) => existsSync(join(path, name))) ?? "";

/** Milliseconds until the first answer is there; a text where there is none. */
async function firstAnswer({ command }: Server, shape: Shape, path: string): Promise<number | string> {
  const port = await freePort();
  const began = performance.now();
  const child = Bun.spawn(command(path, port), {
    cwd: path,
    env: { ...process.env, ...shape.environment, OFFLINE_TOKEN_MS: "0" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const printed = Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]).then(
    (texts) => texts.join(""),
  );
  const client = new Client({
    apiUrl: `http://127.0.0.1:${port}`,
    defaultHeaders: shape.headers,
    callerOptions: { maxRetries: 0 },
  });
  const input = { messages: [{ role: "user", content: "hello" }] };
  try {
    const listens = async () => {
      if (child.exitCode !== null) throw new Error(`it ended: ${(await printed).slice(-300)}`);
      return fetch(`http://127.0.0.1:${port}/ok`).then(
        ({ ok }) => ok,
        () => false,
      );
    };
    await until("it to listen", listens, Boolean, LIMIT_MS);
    const values = await client.runs.wait(null, shape.graphs[0] ?? "", { input });
    const took = performance.now() - began;
    const said = JSON.stringify(values);
    return said.includes(shape.says.hello) ? took : `no answer: ${said.slice(0, 100)}`;
  } catch (error) {
    return `none: ${String(error).slice(0, 300)}`;
  } finally {
    child.kill("SIGTERM");
    await Promise.race([child.exited, Bun.sleep(5_000)]);
    child.kill("SIGKILL");
  }
}

async function freePort(): Promise<number> {
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
  const { port = 0 } = server;
  await server.stop(true);
  return port;
}

await installPeer();
const folder = mkdtempSync(join(tmpdir(), "berth-times-"));
try {
  for (const shape of SHAPES) {
    const path = await shape.copy(join(folder, shape.name));
    await shape.install(join(folder, shape.name));
    for (const server of SERVERS) {
      const taken: (number | string)[] = [];
      for (let at = 0; at < times; at += 1) {
        const one = await firstAnswer(server, shape, path);
        taken.push(one);
        if (typeof one === "string") break;
      }
      console.log(
        `${shape.name} | ${server.name} | ${taken.map((one) => (typeof one === "number" ? `${(one / 1000).toFixed(2)} s` : one)).join(", ")}`,
      );
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
