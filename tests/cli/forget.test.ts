import { afterAll, expect, test } from "bun:test";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { start } from "../e2e/berth-process.ts";
import { berthCommand } from "../e2e/command.ts";
import { until } from "../e2e/condition.ts";
import { TEST_LIMIT_MS } from "../limits.ts";
import { ROOT } from "../smoke/program.ts";

const SAID = "a-name-that-ada-said";
const STATELESS = "a-name-that-eve-said";
const scratch = mkdtempSync(join(tmpdir(), "berth-forget-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const AGENT = `
import { Annotation, StateGraph } from "@langchain/langgraph";
const State = Annotation.Root({ said: Annotation });
const say = ({ said }) => {
  throw said.startsWith("what") ? new RangeError(said) : new Error("no account of " + said);
};
export const graph = new StateGraph(State).addNode("say", say).addEdge("__start__", "say").compile();
`;

function projectFolder(): string {
  const project = join(scratch, "project");
  mkdirSync(project);
  writeFileSync(join(project, "graph.json"), JSON.stringify({ graphs: { agent: "./agent.ts:graph" } }));
  writeFileSync(join(project, "agent.ts"), AGENT);
  symlinkSync(join(ROOT, "node_modules"), join(project, "node_modules"));
  return project;
}

async function call<T>(url: string, method: string, body?: unknown): Promise<T> {
  const answer = await fetch(url, {
    ...{ method, headers: { "content-type": "application/json" } },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${method} ${url}: ${answer.status} ${await answer.text()}`);
  return answer.status === 204 ? (undefined as T) : answer.json();
}

/** A thread of a user on which a run failed, and its trace is there. */
async function failed(url: string, owner: string, said: string): Promise<string> {
  const { thread_id } = await call<{ thread_id: string }>(`${url}/threads`, "POST", { metadata: { owner } });
  const run = { assistant_id: "agent", input: { said }, raise_error: false };
  await call(`${url}/threads/${thread_id}/runs/wait`, "POST", run);
  await until(
    "the trace to be there",
    () => call<{ resources: { status: string }[] }>(`${url}/v1/traces?thread_id=${thread_id}`, "GET"),
    ({ resources }) => resources[0]?.status === "error",
  );
  return thread_id;
}

/** A stateless run of a user that failed, and its trace is there. */
async function failedStateless(url: string, owner: string, said: string): Promise<void> {
  const run = { assistant_id: "agent", input: { said }, raise_error: false, metadata: { owner } };
  await call(`${url}/runs/wait`, "POST", run);
  await until(
    "the trace to be there",
    () => call<{ resources: { status: string; metadata: object }[] }>(`${url}/v1/traces`, "GET"),
    ({ resources }) =>
      resources.some(
        ({ status, metadata }) => status === "error" && JSON.stringify(metadata).includes(`"${owner}"`),
      ),
  );
}

const bytesOf = (data: string): string =>
  ["berth.db", "berth.db-wal", "berth.db-shm"]
    .map((name) => join(data, name))
    .map((path) => (existsSync(path) ? readFileSync(path, "latin1") : ""))
    .join("");

test(
  "forget erases a user everywhere, with free pages and the log, and names the backups that stay",
  async () => {
    const data = join(scratch, "data");
    mkdirSync(join(data, "backups"), { recursive: true });
    writeFileSync(join(data, "backups", "berth-20260101-000000.tar.gz"), "");
    const env = { ENGINE_INTERVAL: "0", ENGINE_MIN_TRACES: "1", DATABASE_URL: `sqlite:${data}/berth.db` };
    const berth = await start({ project: projectFolder(), data, env });
    const forget = (...args: string[]) =>
      berthCommand(["forget", "--data", data, ...args], { cwd: scratch, env });
    const ada = await failed(berth.url, "ada", SAID);
    const deleted = await failed(berth.url, "ada", SAID);
    const bob = await failed(berth.url, "bob", "what bob said");
    await call(`${berth.url}/v1/engine/scan`, "POST", {});
    const issues = () => call<object>(`${berth.url}/v1/issues`, "GET");
    expect(JSON.stringify(await issues())).toContain(SAID);
    await failedStateless(berth.url, "eve", STATELESS);
    await failedStateless(berth.url, "bob", "what bob said without a thread");
    await call(`${berth.url}/v1/engine/scan`, "POST", {});
    await call(`${berth.url}/threads/${deleted}`, "DELETE");
    const refused = await forget("--user", "ada");
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("stop it first")]);
    await berth.kill9();
    expect(bytesOf(data)).toContain(SAID);

    const shown = await forget("--user", "ada", "--json");
    expect([shown.code, shown.stderr]).toEqual([0, ""]);
    expect(JSON.parse(shown.stdout)).toMatchObject({
      ...{ threads: 1, traces: 1, findings: 1, issuesToRead: [] },
      backups: { names: [join(data, "backups", "berth-20260101-000000.tar.gz")] },
    });
    const exported = await berthCommand(["export", "--data", data, "--user", "eve"], { cwd: scratch, env });
    expect([exported.code, exported.stdout]).toEqual([0, expect.stringContaining(STATELESS)]);
    const stateless = await forget("--user", "eve", "--json");
    expect(JSON.parse(stateless.stdout)).toMatchObject({ threads: 0, traces: 1, findings: 1 });
    expect(bytesOf(data)).not.toContain(STATELESS);
    expect(bytesOf(data)).toContain("what bob said without a thread");
    // What was deleted by the API before had no owner any more.
    const again = await forget("--thread", deleted);
    expect([again.code, again.stdout]).toEqual([0, expect.stringContaining("keep what they hold")]);
    expect(bytesOf(data)).not.toContain(SAID);
    expect(bytesOf(data)).toContain("what bob said");
    for (const of of [
      ["--user", "ada"],
      ["--user", "eve"],
      ["--thread", ada],
      ["--thread", deleted],
    ]) {
      const { code, stderr } = await berthCommand(["export", "--data", data, ...of], { cwd: scratch, env });
      expect([code, stderr]).toEqual([1, expect.stringContaining("there is no data")]);
    }

    const next = await berth.restartInPlace();
    try {
      expect((await fetch(`${next.url}/threads/${ada}`)).status).toBe(404);
      expect((await fetch(`${next.url}/threads/${bob}`)).status).toBe(200);
      expect(JSON.stringify(await issues())).not.toContain(SAID);
    } finally {
      expect(await next.stop()).toBe(0);
    }
  },
  TEST_LIMIT_MS,
);

test("forget wants one thread or one user", async () => {
  for (const args of [[], ["--user", "a", "--thread", "b"]]) {
    const { code, stderr } = await berthCommand(["forget", ...args], { cwd: scratch });
    expect([code, stderr]).toEqual([1, expect.stringContaining("name a thread with --thread")]);
  }
});
