import { afterAll, beforeAll, expect, test } from "bun:test";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { AHEAD, compiledAhead, stampOf } from "../../server/ahead/index.ts";
import { until } from "../e2e/condition.ts";
import { freePort } from "../free-port.ts";
import { TEST_LIMIT_MS } from "../limits.ts";
import { ROOT, run, temporaryFolder } from "./program.ts";

const MAIN = "server/main.ts";

test("what was compiled is taken for the program, until a source, what is installed, or the place changes", () => {
  const { path: root, remove } = temporaryFolder();
  try {
    for (const folder of ["store", "agent", "server/http"])
      mkdirSync(join(root, folder), { recursive: true });
    writeFileSync(join(root, "bun.lock"), "1");
    writeFileSync(join(root, "server/http/a.ts"), "1");
    expect(compiledAhead(root, MAIN)).toBeUndefined();
    const compiled = () => join(root, AHEAD.folder, stampOf(root), AHEAD.main);
    const compile = () => {
      mkdirSync(dirname(compiled()), { recursive: true });
      writeFileSync(compiled(), "");
    };
    compile();
    expect(compiledAhead(root, MAIN)).toBe(compiled());
    expect(compiledAhead(root, "server/build.ts")).toBeUndefined();
    for (const change of ["server/http/a.ts", "store/b.ts", "bun.lock"]) {
      writeFileSync(join(root, change), "22");
      expect([change, compiledAhead(root, MAIN)]).toEqual([change, undefined]);
      compile();
    }
    rmSync(join(root, "store/b.ts"));
    expect(compiledAhead(root, MAIN)).toBeUndefined();
    compile();
    const { path: elsewhere, remove: forget } = temporaryFolder();
    cpSync(root, elsewhere, { recursive: true, preserveTimestamps: true });
    expect(compiledAhead(elsewhere, MAIN)).toBeUndefined();
    forget();
  } finally {
    remove();
  }
});

let folder: string;
beforeAll(() => {
  // Packages are found from there.
  folder = mkdtempSync(join(ROOT, "node_modules", ".berth-ahead-test-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test(
  "what is started from there starts executors and deployments from there, too",
  async () => {
    const program = join(ROOT, AHEAD.folder, "any", AHEAD.main);
    const words = (started: string) => {
      const script = `process.argv[1] = ${JSON.stringify(started)};
        const { executableOf, ownProgram } = await import(${JSON.stringify(join(ROOT, "server/machine/index.ts"))});
        process.stdout.write(JSON.stringify(executableOf(ownProgram()).berth(["serve"]).command.slice(1)));`;
      return run([process.execPath, "-e", script], ROOT);
    };
    const command = (module: string) => ["--no-install", "--no-env-file", module, "serve"];
    expect(JSON.parse((await words(program)).out)).toEqual(command(program));
    expect(JSON.parse((await words(join(ROOT, MAIN))).out)).toEqual(command(join(ROOT, MAIN)));
  },
  TEST_LIMIT_MS,
);

test(
  "compiled, Berth does what it does from its sources: runs, pages, its document, commands",
  async () => {
    const made = await run([process.execPath, "server/ahead/main.ts", folder], ROOT);
    expect([made.code, made.err]).toEqual([0, ""]);
    const program = [process.execPath, "--no-install", join(folder, AHEAD.main)];
    const { path: data, remove } = temporaryFolder();
    const port = freePort();
    const url = `http://127.0.0.1:${port}`;
    const project = join(ROOT, "agent/templates/deep-agent");
    const child = Bun.spawn(
      [...program, "start", "--project", project, "--port", `${port}`, "--data", data],
      {
        env: { ...process.env, OFFLINE_TOKEN_MS: "0", LOG_FORMAT: "json", LOG_LEVEL: "warning" },
        stdio: ["ignore", "ignore", "inherit"],
      },
    );
    try {
      await until("it to answer", async () => (await fetch(`${url}/ok`).catch(() => undefined))?.ok === true);
      const paths = [
        "/",
        "/console",
        "/docs",
        "/docs/swagger",
        "/docs/swagger-ui.css",
        "/openapi.json",
        "/info",
      ];
      for (const path of paths) expect([path, (await fetch(url + path)).status]).toEqual([path, 200]);
      const messages = [{ role: "user", content: "What is the weather in Lisbon?" }];
      const answer = await fetch(`${url}/runs/wait`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ assistant_id: "deep-agent", input: { messages } }),
      });
      expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining("Lisbon")]);
    } finally {
      child.kill("SIGTERM");
      expect(await child.exited).toBe(0);
      remove();
    }
    const doctor = await run([...program, "check", "--project", project], ROOT);
    expect([doctor.code, doctor.err]).toEqual([0, ""]);
  },
  TEST_LIMIT_MS,
);
