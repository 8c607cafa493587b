import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase } from "@berth/store";
import { berthCommand } from "../e2e/command.ts";

let folder: string;
const SECRET = "a-long-key-that-nobody-sees";

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "berth-config-"));
  await (await openDatabase(`sqlite:${join(folder, "berth.db")}`)).close();
  writeFileSync(join(folder, ".env"), "HANG_SECONDS=7\nDRAIN_SECONDS=8\n");
  writeFileSync(join(folder, ".dev.vars"), "DRAIN_SECONDS=9\n");
  mkdirSync(join(folder, "project"));
  writeFileSync(join(folder, "project", "graph.json"), "{}");
  writeFileSync(join(folder, "project", ".env"), "HANG_SECONDS=1\nPORT=2\nBERTH_DRAIN_SECONDS=3\n");
  writeFileSync(
    join(folder, "service.env"),
    `SERVICE_API_KEY=${SECRET}\nHOST=0.0.0.0\nENGINE_INTERVALL=5\nN_JOBS_PER_WORKER=4\n`,
  );
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const cleared = { SERVICE_API_KEY: "", PUBLIC_URL: "", HOST: "", PORT: "", DATA_DIR: "", LOG_LEVEL: "" };
const berth = (args: string[], env: Record<string, string> = {}, cwd = folder) =>
  berthCommand([...args, "--data", folder], { cwd, env: { ...cleared, ...env } });

type Told = { settings: { name: string; value: string | null; from: string; set_as?: string }[] };

async function told(args: string[], env: Record<string, string> = {}, cwd = folder) {
  const { code, stdout, stderr } = await berth(["config", "--json", ...args], env, cwd);
  expect([code, stderr]).toEqual([0, ""]);
  const { settings }: Told = JSON.parse(stdout);
  return Object.fromEntries(settings.map(({ name, ...rest }) => [name, rest]));
}

test("config shows what is in force and where it came from, and no secret", async () => {
  const settings = await told(["--port", "9", "--project", join(folder, "project")], {
    ...{ SERVICE_API_KEY: SECRET, RUN_CONCURRENCY: "3", LOG_LEVEL: "warn" },
    CHAT_API_URL: "https://hooks.example.com/services/secret-part",
    OTEL_EXPORTER_OTLP_ENDPOINT: "https://ada:pass-word@collector.example.com",
    LANGGRAPH_CONFIG: '{"agent":{"configurable":{"api_key":"secret-part","max":3}}}',
  });
  expect(settings).toMatchObject({
    PORT: { value: "9", from: "flag" },
    DATA_DIR: { value: folder, from: "flag" },
    RUN_CONCURRENCY: { value: "3", from: "environment" },
    DRAIN_SECONDS: { value: "9", from: ".dev.vars" },
    HANG_SECONDS: { value: "7", from: ".env" },
    HOST: { value: "127.0.0.1", from: "default" },
    PUBLIC_URL: { value: "http://127.0.0.1:9", from: "default" },
    SERVICE_API_KEY: { value: "***", from: "environment" },
    CHAT_API_URL: { value: "https://hooks.example.com/***" },
    OTEL_EXPORTER_OTLP_ENDPOINT: { value: "https://***@collector.example.com" },
    LANGGRAPH_CONFIG: { value: '{"agent":{"configurable":{"api_key":"***","max":3}}}' },
    SECRETS_KEY: { value: null, from: "default" },
  });
  expect(JSON.stringify(settings)).not.toMatch(/secret-part|pass-word|nobody-sees/);
});

test("in the folder of a project, only names with BERTH_ in its files are settings", async () => {
  const settings = await told([], { BERTH_RUN_CONCURRENCY: "3" }, join(folder, "project"));
  expect(settings).toMatchObject({
    RUN_CONCURRENCY: { value: "3", from: "environment", set_as: "BERTH_RUN_CONCURRENCY" },
    DRAIN_SECONDS: { value: "3", from: ".env", set_as: "BERTH_DRAIN_SECONDS" },
    HANG_SECONDS: { from: "default" },
    PORT: { value: "8123", from: "default" },
  });
});

test("config and doctor judge the environment of the service, and not that of whoever calls", async () => {
  const file = join(folder, "service.env");
  const settings = await told(["--env-file", file], { RUN_TIMEOUT: "1", DEPLOY_CONCURRENCY: "9" });
  expect(settings).toMatchObject({
    HOST: { value: "0.0.0.0", from: file },
    RUN_CONCURRENCY: { value: "4", from: file, set_as: "N_JOBS_PER_WORKER" },
    DEPLOY_CONCURRENCY: { from: "default" },
  });
  const shown = await berth(["config", "--changed", "--env-file", file]);
  expect(shown.stdout).toMatch(/^SERVICE_API_KEY +\S+service\.env +\*{3}$/m);
  expect(shown.stdout).toContain("no setting of this name: ENGINE_INTERVALL (ENGINE_INTERVAL?)");
  expect(shown.stdout).not.toContain("DEPLOY_CONCURRENCY");
  const without = await berth(["doctor", "--only", "keys", "--host", "0.0.0.0"]);
  expect([without.code, without.stdout]).toEqual([1, expect.stringContaining("there is none")]);
  const withFile = await berth(["doctor", "--only", "keys,settings", "--env-file", file]);
  expect([withFile.code, withFile.stdout]).toEqual([0, expect.stringContaining("and SERVICE_API_KEY")]);
  expect(withFile.stdout).toContain("ENGINE_INTERVALL (ENGINE_INTERVAL?)");
  const nowhere = await berth(["doctor", "--env-file", join(folder, "nowhere")]);
  expect([nowhere.code, nowhere.stderr]).toEqual([1, expect.stringContaining("ENOENT")]);
});

test("health asks the Berth of a file with the settings of a service", async () => {
  const asked: string[] = [];
  using server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: (request) => {
      asked.push(new URL(request.url).pathname);
      return Response.json({ ok: true });
    },
  });
  const file = join(folder, "health.env");
  writeFileSync(file, `HOST=127.0.0.1\nPORT=${server.port}\nMOUNT_PREFIX=/agents\n`);
  const health = (...args: string[]) =>
    berthCommand(["health", "--env-file", ...args], { cwd: folder, env: cleared });
  expect(await health(file)).toMatchObject({ code: 0, stdout: "ok\n" });
  expect(asked).toEqual([expect.stringContaining("/ok")]);
  expect(await health(join(folder, "none.env"))).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("none.env"),
  });
});
