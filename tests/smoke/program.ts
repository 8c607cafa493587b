import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WAIT_LIMIT_MS } from "../limits.ts";

export const ROOT = join(import.meta.dir, "..", "..");

/** Berth from its sources, as the scripts of package.json start it: Bun reads no `.env` of the project. */
export const SOURCES = [process.execPath, "--no-install", "--no-env-file", join(ROOT, "server", "main.ts")];

/** Where a run of many files says that it has compiled the executable already. */
export const COMPILED = "BERTH_COMPILED";

/**
 * Berth for a test that does not care what it is made of: the executable where one is compiled, which starts in
 * half the time, else the sources. `BERTH_E2E=sources` takes the sources in any case.
 */
export function berthProgram(): string[] {
  const compiled = process.env[COMPILED];
  return compiled && process.env.BERTH_E2E !== "sources" ? [compiled] : SOURCES;
}

/** A folder of its own for one test; `remove` takes it away. */
export function temporaryFolder(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), "berth-smoke-"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

export type Ended = { code: number; out: string; err: string };

/** Runs a program to its end. */
export const run = (command: string[], cwd: string, env: Record<string, string> = {}): Promise<Ended> =>
  ended(command, { cwd, env: { ...process.env, ...env } });

/** The same with this environment and nothing of the tests' own but where programs are. */
export const runAlone = (command: string[], env: Record<string, string>): Promise<Ended> =>
  ended(command, { env: { PATH: process.env.PATH, ...env } });

type Where = { cwd?: string; env: Record<string, string | undefined> };

async function ended(command: string[], where: Where): Promise<Ended> {
  const child = Bun.spawn(command, { ...where, stdio: ["ignore", "pipe", "pipe"] });
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { code, out, err };
}

export type Berth = AsyncDisposable & {
  url: string;
  /** What it has printed to stdout. */
  printed(): string;
  /** Asks it to stop and gives its exit code. */
  stop(): Promise<number>;
};

type StartOptions = {
  cwd?: string;
  env?: Record<string, string>;
  args?: string[];
  /** With nothing of the tests' own environment but where programs are. */
  alone?: boolean;
};

/** Starts Berth on a free port and waits for the line that says where it listens. */
export async function startBerth(
  command: string[],
  { cwd, env = {}, args = [], alone = false }: StartOptions,
): Promise<Berth> {
  const child = Bun.spawn([...command, "start", "--port", "0", ...args], {
    ...(cwd !== undefined && { cwd }),
    env: {
      ...(alone ? { PATH: process.env.PATH } : process.env),
      ...{ OFFLINE_TOKEN_MS: "0", LOG_LEVEL: "warning", DEPLOY_SETTLE_SECONDS: "0", ...env },
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const limit = setTimeout(() => child.kill("SIGKILL"), WAIT_LIMIT_MS);
  const decoder = new TextDecoder();
  let text = "";
  let url: string | undefined;
  const ready = Promise.withResolvers<string>();
  void (async () => {
    for await (const bytes of child.stdout) {
      text += decoder.decode(bytes, { stream: true });
      url ??= /ready at (http:\/\/[^\s"]+)/.exec(text)?.[1];
      if (url) ready.resolve(url);
    }
    ready.reject(new Error(`ended before it was ready, having printed: ${text}`));
  })();
  try {
    url = await ready.promise;
  } finally {
    clearTimeout(limit);
  }
  return {
    url,
    printed: () => text,
    stop: () => {
      child.kill("SIGINT");
      return child.exited;
    },
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL");
      await child.exited;
    },
  };
}

/** POSTs JSON and gives the status with the answer. */
export async function post(
  url: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: unknown }> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
}
