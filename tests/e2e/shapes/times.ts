// How long it takes from the command to the first answer, for each project of shapes.ts, beside the official in-memory
// server: `bun --no-install tests/e2e/shapes/times.ts [TIMES [SHAPE…]]`.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@langchain/langgraph-sdk";
import { installPeer, OLDER_PEER } from "../../bench/peer.ts";
import { berthProgram } from "../../smoke/program.ts";
import { until } from "../condition.ts";
import { SHAPES, type Shape } from "./shapes.ts";

const [asked = "3", ...named] = process.argv.slice(2);
const times = Number(asked);
/** What does not listen then never does: the official server waits for a change where a graph does not load. */
const LIMIT_MS = 20_000;

type Server = { name: string; command(path: string, port: number): string[] };

const BERTH: Server = {
  name: "Berth",
  command: (path, port) => [
    ...berthProgram(),
    ...["dev", "--project", path, "--port", `${port}`, "--data", join(path, ".data")],
  ],
};

const official = (name: string, cli: string): Server => ({
  name: `official, in memory, ${name}`,
  command: (path, port) => [
    ...["node", cli, "dev", "--no-browser", "--no-reload", "--host", "127.0.0.1", "--port", `${port}`],
    ...["--config", withoutNames(path)],
  ],
});

/** Its configuration for the official server, which refuses names of variables; their values it has from us. */
function withoutNames(path: string): string {
  const file = ["graph.json", "langgraph.json"].find((name) => existsSync(join(path, name))) ?? "";
  const { env, ...rest } = JSON.parse(readFileSync(join(path, file), "utf8"));
  if (!Array.isArray(env)) return join(path, file);
  const changed = join(path, "without-names.json");
  writeFileSync(changed, JSON.stringify(rest));
  return changed;
}

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
      return fetch(`http://127.0.0.1:${port}/ok`, { headers: shape.headers }).then(
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

/** @returns whether there was an answer each time */
async function told(server: Server, shape: Shape, path: string): Promise<boolean> {
  const taken: (number | string)[] = [];
  for (let at = 0; at < times && typeof taken.at(-1) !== "string"; at += 1)
    taken.push(await firstAnswer(server, shape, path));
  const words = taken.map((one) => (typeof one === "number" ? `${(one / 1000).toFixed(2)} s` : one));
  console.log(`${shape.name} | ${server.name} | ${words.join(", ")}`);
  return typeof taken.at(-1) === "number";
}

const newest = official("newest", await installPeer());
const older = official("older", await installPeer(OLDER_PEER));
const folder = mkdtempSync(join(tmpdir(), "berth-times-"));
try {
  for (const shape of SHAPES.filter(({ name }) => named.length === 0 || named.includes(name))) {
    const path = await shape.copy(join(folder, shape.name));
    await shape.install(join(folder, shape.name));
    await told(BERTH, shape, path);
    if (!(await told(newest, shape, path))) await told(older, shape, path);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
