import { afterAll, beforeAll, describe, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type CuttingProxy, cuttingProxy } from "../cutting-proxy.ts";
import { servedBerth } from "../served-berth.ts";

const FOLDER = join(import.meta.dir, "python");
const KEY = "a-key-for-python";
const LIMIT_MS = 90_000;

/** The files of checks, and the package that each needs. */
const PARTS: Record<string, string> = {
  "assistants.py": "langgraph_sdk",
};
const files = Object.keys(PARTS);

type Outcome = { file: string; name: string | null; error: string | null; seconds: number };

/** A Python, and which of the packages it has. */
function pythonHere(): { python: string; packages: Set<string> } {
  const look = `import sys; from importlib.util import find_spec as f; print(*(p for p in sys.argv[1:] if f(p)))`;
  for (const python of ["python3", "python"]) {
    if (!Bun.which(python)) continue;
    const { stdout } = Bun.spawnSync([python, "-c", look, ...new Set(Object.values(PARTS))]);
    const packages = stdout.toString().split(/\s+/).filter(Boolean);
    if (packages.length > 0) return { python, packages: new Set(packages) };
  }
  return { python: "", packages: new Set() };
}

const { python, packages } = pythonHere();
const missing = [...new Set(Object.values(PARTS))].filter((name) => !packages.has(name));
if (missing.length > 0) {
  console.log(`skipped: no ${missing.join(", ")} in Python; tests/e2e/python-wire.test.ts sends what it would send`);
}

/** The names that a file declares with `@both` or `@once`. */
function checksIn(file: string): string[] {
  const source = readFileSync(join(FOLDER, file), "utf8");
  return [...source.matchAll(/^@(both|once)\("(.+?)"/gm)].flatMap(([, kind, name = ""]) =>
    kind === "both" ? [`${name}, async`, `${name}, sync`] : [name],
  );
}

/** Makes proxies in front of Berth for whoever asks, and cuts their connections. */
function proxyMaker(target: () => string) {
  const proxies: CuttingProxy[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const { cut } = (await request.json()) as { cut?: string };
      if (!cut) proxies.push(await cuttingProxy(target));
      else proxies.find(({ url }) => url === cut)?.cut();
      return Response.json({ url: proxies.at(-1)?.url });
    },
  });
  const stop = () => Promise.all([server.stop(true), ...proxies.map((proxy) => proxy.stop())]);
  return { url: String(server.url), stop };
}

describe.skipIf(packages.size === 0)("the official Python clients", () => {
  const berth = servedBerth({ project: FOLDER, env: { SERVICE_API_KEY: KEY, RUN_CONCURRENCY: "50" } });
  const outcomes: Outcome[] = [];
  let printed = "";
  const proxies = packages.size === 0 ? undefined : proxyMaker(() => berth.url);

  beforeAll(async () => {
    const wanted = files.filter((file) => packages.has(PARTS[file] ?? ""));
    const child = Bun.spawn([python, join(FOLDER, "main.py"), ...wanted], {
      env: {
        ...process.env,
        ...{ BERTH_URL: berth.url, BERTH_KEY: KEY, BERTH_PROXIES: proxies?.url },
        PYTHONDONTWRITEBYTECODE: "1",
      },
      stdio: ["ignore", "pipe", "pipe"],
      timeout: LIMIT_MS,
    });
    const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
    printed = err;
    for (const line of out.trim().split("\n")) if (line) outcomes.push(JSON.parse(line));
  }, LIMIT_MS);
  afterAll(() => proxies?.stop());

  for (const file of files) {
    describe.skipIf(!packages.has(PARTS[file] ?? ""))(file, () => {
      test.each(checksIn(file))("%s", (name) => {
        const mine = outcomes.filter((one) => one.file === file);
        const outcome = mine.find((one) => one.name === name) ?? mine.find((one) => one.name === null);
        if (!outcome) throw new Error(`it did not run:\n${printed}`);
        if (outcome.error) throw new Error(outcome.error);
      });
    });
  }
});
