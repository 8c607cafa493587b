import { afterAll, beforeAll, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { TEST_LIMIT_MS, WAIT_LIMIT_MS } from "../../limits.ts";
import { testPython } from "../../python-here.ts";
import { because, describeUnless } from "../../skips.ts";
import { type CuttingProxy, cuttingProxy } from "../cutting-proxy.ts";
import { servedBerth } from "../served-berth.ts";

const FOLDER = join(import.meta.dir, "python");
const KEY = "a-key-for-python";

/** The files of checks, and the package that each needs. */
const PARTS: Record<string, string> = {
  "access.py": "langgraph_sdk",
  "assistants.py": "langgraph_sdk",
  "threads.py": "langgraph_sdk",
  "runs.py": "langgraph_sdk",
  "run_streams.py": "langgraph_sdk",
  "crons.py": "langgraph_sdk",
  "store.py": "langgraph_sdk",
  "thread_streams.py": "langgraph_sdk",
  "stream_cuts.py": "langgraph_sdk",
  "remote_graph.py": "langgraph.pregel",
  "langsmith_client.py": "langsmith",
  "mcp_client.py": "mcp",
};

/** How a check is declared, and what of its name tells its variants apart. */
const VARIANTS: Record<string, string[]> = {
  once: [""],
  both: [", async", ", sync"],
  ways: [", async, sse", ", sync, sse", ", async, websocket", ", sync, websocket"],
  wires: [", legacy", ", auto", ", 2026-07-28"],
};

type Outcome = { file: string; name: string | null; error: string | null; seconds: number };

/** A Python, and which of the packages it has. */
function pythonHere(): { python: string; packages: Set<string> } {
  const look = `
import sys
from importlib.util import find_spec
for name in sys.argv[1:]:
    top, _, _ = name.partition(".")
    if find_spec(top) and find_spec(name): print(name)`;
  for (const python of [testPython(), "python3", "python"]) {
    if (python === undefined || !Bun.which(python)) continue;
    const { stdout } = Bun.spawnSync([python, "-c", look, ...new Set(Object.values(PARTS))]);
    const packages = new Set(stdout.toString().split(/\s+/).filter(Boolean));
    if (packages.size > 0) return { python, packages };
  }
  return { python: "", packages: new Set() };
}

/** The names of a file's checks, whether they can run or not. */
function checksIn(file: string): string[] {
  const source = readFileSync(join(FOLDER, file), "utf8");
  return [...source.matchAll(/^@([a-z]+)\("(.+?)"[,)]/gm)].flatMap(([, kind = "", name = ""]) =>
    (VARIANTS[kind] ?? []).map((variant) => name + variant),
  );
}

/** Makes proxies in front of Berth for whoever asks, cuts their connections, and counts them. */
function proxyMaker(target: () => string) {
  const proxies = new Map<string, CuttingProxy>();
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const { cut, count } = (await request.json()) as { cut?: string; count?: string };
      const proxy = proxies.get(cut ?? count ?? "") ?? (await cuttingProxy(target));
      proxies.set(proxy.url, proxy);
      if (cut) proxy.cut();
      const { url } = proxy;
      return Response.json({ url, connections: proxy.connections(), answered: proxy.answered() });
    },
  });
  const stop = async () => {
    await Promise.all([...proxies.values()].map((proxy) => proxy.stop()));
    await server.stop(true);
  };
  return { url: String(server.url), stop };
}

const { python, packages } = pythonHere();
/** Why what needs this package is skipped. tests/e2e/python-wire.test.ts sends what langgraph_sdk would send. */
const lacking = (name: string) =>
  because(!packages.has(name), `no Python here has the package ${name.split(".")[0]}`);

describeUnless(
  because(packages.size === 0, `no Python here has any of ${[...new Set(Object.values(PARTS))].join(", ")}`),
)("the official Python clients", () => {
  const berth = servedBerth({
    project: FOLDER,
    env: { SERVICE_API_KEY: KEY, RUN_CONCURRENCY: "50", WEBHOOK_ALLOW: "127.0.0.0/8" },
  });
  const outcomes: Outcome[] = [];
  let printed = "";
  let proxies: ReturnType<typeof proxyMaker> | undefined;

  beforeAll(async () => {
    proxies = proxyMaker(() => berth.url);
    const files = Object.entries(PARTS).flatMap(([file, needs]) => (packages.has(needs) ? [file] : []));
    const child = Bun.spawn([python, join(FOLDER, "main.py"), ...files], {
      env: {
        ...{ ...process.env, PYTHONDONTWRITEBYTECODE: "1" },
        ...{ BERTH_URL: berth.url, BERTH_KEY: KEY, BERTH_PROXIES: proxies.url },
        BERTH_WAIT_LIMIT_S: String(WAIT_LIMIT_MS / 1000),
      },
      stdio: ["ignore", "pipe", "pipe"],
      timeout: TEST_LIMIT_MS,
    });
    const [lines, errors] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ]);
    printed = errors;
    for (const line of lines.split("\n").filter(Boolean)) outcomes.push(JSON.parse(line));
  }, 2 * TEST_LIMIT_MS);
  afterAll(() => proxies?.stop());

  for (const [file, needs] of Object.entries(PARTS)) {
    describeUnless(lacking(needs))(file, () => {
      for (const name of checksIn(file)) {
        test(name, () => {
          const mine = outcomes.filter((outcome) => outcome.file === file);
          // A file that cannot be loaded has one outcome, without a name.
          const outcome = mine.find((one) => one.name === name) ?? mine.find((one) => one.name === null);
          if (!outcome) throw new Error(`it did not run:\n${printed}`);
          if (outcome.error) throw new Error(outcome.error);
        });
      }
    });
  }
});
