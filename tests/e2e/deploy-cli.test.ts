import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@langchain/langgraph-sdk";
import { TEST_LIMIT_MS, WAIT_LIMIT_MS } from "../limits.ts";
import { notLong, testUnless } from "../skips.ts";
import { type BerthProcess, start } from "./berth-process.ts";
import { berthCommand, type Finished } from "./command.ts";

const KEY = "a-key-for-deployments";
const SCRIPT = join(import.meta.dir, "..", "..", "docs", "examples", "deploy.sh");

const scratch = mkdtempSync(join(tmpdir(), "berth-deploy-cli-"));
let berth: BerthProcess;
beforeAll(async () => {
  berth = await start({ env: { SERVICE_API_KEY: KEY } });
});
afterAll(async () => {
  expect(await berth.stop()).toBe(0);
  rmSync(scratch, { recursive: true, force: true });
});

const environment = () => ({ SERVICE_API_KEY: KEY, SERVICE_ENDPOINT: berth.url });
const deploy = (cwd: string, ...args: string[]): Promise<Finished> =>
  berthCommand(["deploy", ...args], { cwd, env: environment() }, 2 * WAIT_LIMIT_MS);

const ANSWER_APART: Bun.BunPlugin = {
  name: "answer-apart",
  setup: (build) => void build.onResolve({ filter: /answer\.ts$/ }, ({ path }) => ({ path, external: true })),
};

/** A project that needs no packages: its graph brings LangGraph along, in one file. */
async function project(name: string, answer: string, files: Record<string, string> = {}): Promise<string> {
  const path = join(scratch, name);
  mkdirSync(path, { recursive: true });
  const { outputs } = await Bun.build({
    entrypoints: [join(import.meta.dir, "deploy-project", "agent.ts")],
    target: "bun",
    plugins: [ANSWER_APART],
  });
  await Bun.write(join(path, "agent.js"), outputs[0] ?? "");
  const config = { graphs: { agent: "./agent.js:graph" }, env: ".env" };
  writeFileSync(join(path, "graph.json"), JSON.stringify(config));
  for (const [file, text] of Object.entries(files)) writeFileSync(join(path, file), text);
  edit(path, answer);
  return path;
}

function edit(path: string, answer: string): void {
  writeFileSync(join(path, "answer.ts"), `export const answer = ${JSON.stringify(answer)};`);
}

/** What a deployed agent answers at its address. */
async function ask(url: string): Promise<unknown> {
  const response = await fetch(`${url}/runs/wait`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": KEY },
    body: JSON.stringify({ assistant_id: "agent", input: { said: "" } }),
  });
  expect(response.status).toBe(200);
  return response.json();
}

function urlIn(text: string): string {
  const url = /^ *(?:URL: )?(http\S+\/d\/\S+)$/m.exec(text)?.[1];
  if (url === undefined) throw new Error(`no address in:\n${text}`);
  return url;
}

describe("a project of one's own", () => {
  test("is deployed, updated in place, broken without harm, rolled back, and deleted", async () => {
    const cwd = await project("My Agent", "one", { ".env": "SUFFIX=!\nSERVICE_API_KEY=x\n" });
    const first = await deploy(cwd, "--no-input");
    expect([first.code, first.stderr]).toEqual([0, ""]);
    expect(first.stdout).toContain("Deployment successful!");
    const url = urlIn(first.stdout);
    expect(await ask(url)).toEqual({ said: "one!" });

    edit(cwd, "two");
    const second = await deploy(cwd);
    expect([second.code, urlIn(second.stdout)]).toEqual([0, url]);
    expect(second.stdout).toContain("Found existing deployment");
    expect(await ask(url)).toEqual({ said: "two!" });

    writeFileSync(join(cwd, "answer.ts"), "export const other = 1;");
    const broken = await deploy(cwd);
    expect(broken.code).toBe(1);
    expect(broken.stderr).toContain("BUILD_FAILED");
    expect(broken.stderr).toContain("answer");
    expect(await ask(url)).toEqual({ said: "two!" });

    const back = await deploy(cwd, "rollback");
    expect([back.code, back.stderr]).toEqual([0, ""]);
    expect(await ask(url)).toEqual({ said: "one!" });
    const { stdout: rows } = await deploy(cwd, "revisions", "list");
    const statuses = rows
      .split("\n")
      .slice(2)
      .flatMap((row) => /^\S+ +([A-Z_]+)/.exec(row)?.[1] ?? []);
    expect(statuses).toEqual(["BUILD_FAILED", "REPLACED", "DEPLOYED", "SKIPPED"]);

    expect((await deploy(cwd, "list")).stdout).toContain(url);
    expect((await deploy(cwd, "logs", "--type", "build", "--limit", "5")).code).toBe(0);
    expect((await deploy(cwd, "delete", "my-agent", "--force")).code).toBe(0);
    expect((await deploy(cwd, "list")).stdout).toBe("No deployments found.\n");
  });

  test("stops a build that hangs, and serves on meanwhile", async () => {
    const cwd = await project("hanging", "one");
    const url = urlIn((await deploy(cwd)).stdout);
    edit(cwd, "two");
    expect((await deploy(cwd, "--build-command", "sleep 600", "--no-wait")).code).toBe(0);
    const stopped = await deploy(cwd, "interrupt");
    expect([stopped.code, stopped.stderr]).toEqual([0, ""]);
    expect((await deploy(cwd, "revisions", "list")).stdout).toContain("INTERRUPTED");
    expect(await ask(url)).toEqual({ said: "one" });
    expect((await deploy(cwd, "delete", "hanging", "--force")).code).toBe(0);
  });

  /** Runs the script of the documentation. */
  async function script(cwd: string, env: Record<string, string> = {}) {
    const child = Bun.spawn(["bash", SCRIPT], {
      ...{ cwd, env: { PATH: process.env.PATH, ...environment(), ...env } },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const [out, err] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ]);
    return { code: await child.exited, out, err };
  }

  test("is deployed with nothing but curl, by the script of the documentation", async () => {
    // A name that no address takes as it is, and an address with a slash too many.
    const cwd = await project('By curl & "more"', "curl one");
    const run = () => script(cwd, { SERVICE_ENDPOINT: `${berth.url}/` });
    const first = await run();
    expect([first.code, first.err]).toEqual([0, ""]);
    const url = urlIn(first.out);
    expect(await ask(url)).toEqual({ said: "curl one" });
    edit(cwd, "curl two");
    expect(urlIn((await run()).out)).toBe(url);
    expect(await ask(url)).toEqual({ said: "curl two" });
    writeFileSync(join(cwd, "answer.ts"), `export const answer = 1; throw new Error('say "it" \\\\ ü');`);
    const broken = await run();
    expect(broken.code).toBe(1);
    expect(broken.out).toEndWith("BUILD_FAILED\n");
    // The whole of it, also behind the quotes that JSON escapes.
    const listed = await deploy(cwd, "revisions", "list", "--json");
    expect([listed.code, listed.stderr]).toEqual([0, ""]);
    const { status_message } = JSON.parse(listed.stdout.split("\n")[0] ?? "");
    expect(status_message).toContain('say "it" \\ ü');
    expect(broken.err).toBe(`BUILD_FAILED: ${status_message}\n`);
    expect(await ask(url)).toEqual({ said: "curl two" });
  });

  testUnless(notLong)("the script ends with the reason and the exit code of the command", async () => {
    const cwd = await project("by-curl-in-vain", "one");
    const last = (text: string) => text.trim().split("\n").at(-1);
    const refused = await script(cwd, { SERVICE_API_KEY: "wrong" });
    expect([refused.code, refused.out]).toEqual([1, ""]);
    expect(refused.err).toStartWith("looking up 'by-curl-in-vain' failed with status 401: ");
    const away = await script(cwd, { SERVICE_ENDPOINT: "http://127.0.0.1:2" });
    expect([away.code, away.out]).toEqual([1, ""]);
    expect(away.err).toContain("no answer from http://127.0.0.1:2 (curl: ");
    expect((await script(scratch)).code).toBe(2);
    expect((await script(cwd, { SERVICE_API_KEY: "" })).code).toBe(2);
    const silent = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: () => new Promise<Response>(() => {}),
    });
    const late = await script(cwd, { SERVICE_ENDPOINT: silent.url.origin, TIMEOUT: "2" });
    await silent.stop(true);
    expect([late.code, late.out]).toEqual([3, ""]);
    const { code, out } = await script(cwd);
    expect([code, last(out)]).toEqual([0, urlIn(out)]);
    expect((await deploy(cwd, "delete", "by-curl-in-vain", "--force")).code).toBe(0);
  });
});

test("a template is deployed without a build", async () => {
  const { code, stdout, stderr } = await deploy(scratch, "--template", "chat", "--name", "a-chat");
  expect([code, stderr]).toEqual([0, ""]);
  const response = await fetch(`${urlIn(stdout)}/ok`);
  expect(response.status).toBe(200);
});

testUnless(notLong)(
  "as a new user would: new, deploy, stream, edit under load, a broken edit, rollback (installs from the registry)",
  async () => {
    const made = await berthCommand(["new", "new-user", "--template", "deep-agent"], { cwd: scratch });
    expect(made.code).toBe(0);
    const cwd = join(scratch, "new-user");
    const first = await deploy(cwd);
    expect([first.code, first.stderr]).toEqual([0, ""]);
    const url = urlIn(first.stdout);
    const client = new Client({ apiUrl: url, apiKey: KEY, callerOptions: { maxRetries: 0 } });
    const streamed = async () => {
      const input = { messages: [{ role: "user", content: "hello" }] };
      let chunks = 0;
      for await (const { event, data } of client.runs.stream(null, "deep-agent", {
        input,
        streamMode: "messages",
      })) {
        if (event === "error") throw new Error(JSON.stringify(data));
        chunks += 1;
      }
      expect(chunks).toBeGreaterThan(3);
    };
    await streamed();
    const agent = join(cwd, "agent.ts");
    const text = readFileSync(agent, "utf8");
    let isOver = false;
    let served = 0;
    const load = Promise.all(
      Array.from({ length: 20 }, async () => {
        for (; !isOver; served += 1) await streamed();
      }),
    );
    writeFileSync(agent, `${text}\n// edited\n`);
    const second = await deploy(cwd);
    isOver = true;
    await load;
    expect([second.code, urlIn(second.stdout)]).toEqual([0, url]);
    expect(served).toBeGreaterThan(20);
    writeFileSync(agent, `${text}\nexport const broken = `);
    const broken = await deploy(cwd);
    expect(broken.code).toBe(1);
    expect(broken.stderr).toMatch(/BUILD_FAILED: agent\.ts:\d+/);
    await streamed();
    expect((await deploy(cwd, "rollback")).code).toBe(0);
    await streamed();
    expect((await deploy(cwd, "delete", "new-user", "--force")).code).toBe(0);
  },
  2 * TEST_LIMIT_MS,
);
