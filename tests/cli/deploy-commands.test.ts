import { describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import { until } from "../e2e/condition.ts";
import { Rig } from "./rig.ts";

const MAIN = join(import.meta.dir, "..", "..", "server", "main.ts");

describe("deploy list", () => {
  test("shows names and addresses, over all pages", async () => {
    using rig = new Rig();
    expect((await rig.deploy(rig.folder, ["list"])).stdout).toBe("No deployments found.\n");
    for (let number = 0; number < 120; number += 1)
      rig.server.addRevision(rig.server.addDeployment(`agent-${number}`), { statuses: ["DEPLOYED"] });
    const { stdout } = await rig.deploy(rig.folder, ["list", "--name-contains", "agent-1"]);
    const [heads, dashes, first, ...rest] = stdout.trimEnd().split("\n");
    expect(heads).toMatch(/^Deployment ID {2,}Deployment Name {2,}Status {2,}Deployment URL$/);
    expect(dashes).toMatch(/^-+ {2}-+ {2}-+ {2}-+$/);
    expect(first).toContain(`${rig.server.url}/d/`);
    expect(rest).toHaveLength(1 + 10 + 20 - 1);
    const json = await rig.deploy(rig.folder, ["list", "--json"]);
    expect(
      json.stdout
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line).name),
    ).toHaveLength(120);
  });

  test("shows one of which nothing serves as what it is, without an address", async () => {
    using rig = new Rig();
    const failed = rig.server.addDeployment("failed");
    rig.server.addRevision(failed, { statuses: ["BUILD_FAILED"] });
    const served = rig.server.addDeployment("served");
    rig.server.addRevision(served, { statuses: ["DEPLOYED"] });
    rig.server.addRevision(served, { statuses: ["BUILD_FAILED"] });
    const { stdout } = await rig.deploy(rig.folder, ["list"]);
    expect(stdout).toMatch(/ failed {2,}BUILD_FAILED {2,}-$/m);
    expect(stdout).toMatch(/ served {2,}DEPLOYED {2,}http:\S+$/m);
    const json = (await rig.deploy(rig.folder, ["list", "--json"])).stdout.split("\n");
    expect(JSON.parse(json[0] ?? "")).toMatchObject({ status: "BUILD_FAILED", url: null });
  });
});

describe("--config", () => {
  test("names the project for every command: its settings, and the deployment of its name", async () => {
    using rig = new Rig();
    const lines = Object.entries(rig.server.environment).map(([name, value]) => `${name}=${value}\n`);
    rig.project("my-agent", { ".env": lines.join("") });
    const cwd = rig.project("elsewhere");
    const config = ["--config", "../my-agent/graph.json"];
    const nothing = { SERVICE_ENDPOINT: "", SERVICE_API_KEY: "" };
    const run = async (...args: string[]) => {
      const { code, stdout, stderr } = await rig.deploy(cwd, [...args, ...config], nothing);
      expect([args, code, stderr]).toEqual([args, 0, ""]);
      return stdout;
    };
    await run("--no-wait");
    const [deployment] = rig.server.deployments;
    expect(deployment).toMatchObject({ name: "my-agent" });
    if (!deployment) return;
    const first = rig.server.addRevision(deployment, { statuses: ["DEPLOYED"] });
    rig.server.addRevision(deployment, { statuses: ["DEPLOYED"] });
    rig.server.addLog(first.id, "DEPLOY", "hello");
    expect(await run("list")).toContain("my-agent");
    expect(await run("revisions", "list")).toContain(first.id);
    expect(await run("logs")).toContain("hello");
    expect(await run("rollback")).toContain(first.id);
    rig.server.addRevision(deployment, { statuses: ["BUILDING"] });
    expect(await run("interrupt")).toContain("'my-agent'");
    expect(await run("delete", "--force")).toContain(deployment.id);
    expect(rig.server.deployments).toEqual([]);
  });

  test("that names nothing is refused by every command", async () => {
    using rig = new Rig();
    const { code, stderr } = await rig.deploy(rig.folder, ["logs", "--config", "none/graph.json"]);
    expect([code, stderr]).toEqual([2, expect.stringContaining("none/graph.json")]);
    expect(rig.server.asked).toEqual([]);
  });
});

describe("deploy delete", () => {
  test("takes an id or a name, and --force where nobody can be asked", async () => {
    using rig = new Rig();
    const { id } = rig.server.addDeployment("one");
    rig.server.addDeployment("two");
    const missing = await rig.deploy(rig.folder, ["delete", "three", "--force"]);
    expect([missing.code, missing.stderr]).toEqual([
      1,
      "Error: Deployment 'three' not found. See \"berth deploy list\"\n",
    ]);
    expect((await rig.deploy(rig.folder, ["delete", id, "--force"])).stdout).toBe(
      `Deleted deployment ${id}.\n`,
    );
    expect((await rig.deploy(rig.folder, ["delete", "two", "--force"])).code).toBe(0);
    expect(rig.server.deployments).toEqual([]);
  });
});

describe("deploy revisions list", () => {
  test("says which one serves and why others do not", async () => {
    using rig = new Rig();
    const deployment = rig.server.addDeployment("agent");
    const cwd = rig.project("agent");
    expect((await rig.deploy(cwd, ["revisions", "list"])).stdout).toContain(
      "No revisions found for deployment",
    );
    const old = rig.server.addRevision(deployment, { statuses: ["DEPLOYED"] });
    const active = rig.server.addRevision(deployment, { statuses: ["DEPLOYED"] });
    rig.server.addRevision(deployment, { statuses: ["BUILD_FAILED"] }, { status_message: "no export\nmore" });
    const { stdout } = await rig.deploy(cwd, ["revisions", "list"]);
    const rows = stdout
      .trimEnd()
      .split("\n")
      .map((line) => line.split(/ {2,}/));
    expect(rows[0]).toEqual(["Revision ID", "Status", "Created At", "Message"]);
    expect(rows.slice(2).map((row) => row.slice(1))).toEqual([
      ["BUILD_FAILED", "2026-01-02 03:04:05", "no export"],
      ["DEPLOYED", "2026-01-02 03:04:05"],
      ["REPLACED", "2026-01-02 03:04:05"],
    ]);
    const json = await rig.deploy(cwd, ["revisions", "list", deployment.id, "--limit", "2", "--json"]);
    const [, second] = json.stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(second).toMatchObject({ id: active.id, status: "DEPLOYED", active: true });
    expect(json.stdout).not.toContain(old.id);
  });

  test("says who deployed each, where the server knows", async () => {
    using rig = new Rig();
    const deployment = rig.server.addDeployment("agent");
    const cwd = rig.project("agent");
    const ada = { key_id: "k", name: "ada's laptop" };
    rig.server.addRevision(deployment, { statuses: ["DEPLOYED"] });
    rig.server.addRevision(
      deployment,
      { statuses: ["DEPLOYED"] },
      { created_by: ada, deployed_by: { key_id: null, name: "operator" } },
    );
    const { stdout } = await rig.deploy(cwd, ["revisions", "list"]);
    const [heads, , newest = ""] = stdout.split("\n");
    expect(heads).toMatch(/Created At +Deployed By$/);
    expect(newest.trimEnd()).toEndWith("operator");
    const json = await rig.deploy(cwd, ["revisions", "list", "--json"]);
    expect(JSON.parse(json.stdout.split("\n")[0] ?? "")).toMatchObject({
      ...{ created_by: "ada's laptop", deployed_by: "operator" },
    });
  });
});

describe("deploy rollback", () => {
  test("goes back to the one before the active one whose build is kept, and waits until it serves", async () => {
    using rig = new Rig();
    const deployment = rig.server.addDeployment("agent");
    const kept = rig.server.addRevision(deployment, { statuses: ["DEPLOYED"] });
    rig.server.addRevision(deployment, { statuses: ["DEPLOYED"] }, { build_kept: false });
    rig.server.addRevision(deployment, { statuses: ["DEPLOYED"] });
    const cwd = rig.project("agent");
    const { code, stdout, stderr } = await rig.deploy(cwd, ["rollback"]);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toContain(`Going back to ${kept.id}`);
    expect(stdout).toContain("Rollback successful!");
    expect(deployment.active).toBe(kept.id);
    const nothing = await rig.deploy(cwd, ["rollback"]);
    expect(nothing.code).toBe(1);
    expect(nothing.stderr).toContain("no earlier revision");
  });

  test("goes back from what serves, also where an attempt to start that anew came to nothing", async () => {
    using rig = new Rig();
    const deployment = rig.server.addDeployment("agent");
    const older = rig.server.addRevision(deployment, { statuses: ["DEPLOYED"] });
    const active = rig.server.addRevision(deployment, { statuses: ["DEPLOYED"] });
    rig.server.addRevision(deployment, { statuses: ["DEPLOYED"] });
    rig.server.addRevision(deployment, { statuses: ["BUILD_FAILED"] });
    for (const status of ["INTERRUPTED", "DEPLOY_FAILED", "UNKNOWN"]) {
      Object.assign(active, { status });
      deployment.active = active.id;
      const { code, stdout } = await rig.deploy(rig.project("agent"), ["rollback"]);
      expect([status, code, deployment.active]).toEqual([status, 0, older.id]);
      expect(stdout).toContain(`Now serving ${active.id}`);
    }
    // One that was deployed before is gone back to whatever became of it later.
    Object.assign(older, { status: "INTERRUPTED" });
    deployment.active = active.id;
    expect((await rig.deploy(rig.project("agent"), ["rollback"])).code).toBe(0);
    expect(deployment.active).toBe(older.id);
  });

  test("to one that is named, which the server may refuse", async () => {
    using rig = new Rig();
    const deployment = rig.server.addDeployment("agent");
    const { id } = rig.server.addRevision(deployment, { statuses: ["DEPLOYED"] });
    rig.server.instead = ({ path }) =>
      path.endsWith("/redeploy")
        ? Response.json({ detail: "its build is gone" }, { status: 400 })
        : undefined;
    const { code, stderr } = await rig.deploy(rig.project("agent"), ["rollback", id]);
    expect(code).toBe(1);
    expect(stderr).toContain("its build is gone");
  });
});

describe("deploy interrupt", () => {
  test("stops the one that is on its way, and waits until it has ended", async () => {
    using rig = new Rig();
    const deployment = rig.server.addDeployment("agent");
    rig.server.addRevision(deployment, { statuses: ["DEPLOYED"] });
    const building = rig.server.addRevision(deployment, { statuses: ["BUILDING"] });
    const waiting = rig.server.addRevision(deployment, { statuses: ["QUEUED"] });
    const cwd = rig.project("agent");
    const first = await rig.deploy(cwd, ["interrupt"]);
    expect([first.code, first.stderr, building.status]).toEqual([0, "", "INTERRUPTED"]);
    expect(first.stdout).toContain("Interrupted. What served before goes on serving.");
    const second = await rig.deploy(cwd, ["interrupt", "--json"]);
    expect([second.code, waiting.status]).toEqual([0, "INTERRUPTED"]);
    expect(JSON.parse(second.stdout.trimEnd().split("\n").at(-1) ?? "")).toMatchObject({
      event: "result",
      status: "succeeded",
      revision_id: waiting.id,
      revision_status: "INTERRUPTED",
    });
    const none = await rig.deploy(cwd, ["interrupt"]);
    expect([none.code, none.stderr]).toEqual([1, expect.stringContaining("nothing to stop")]);
  });

  test("that comes too late, or is refused, says so with exit code 1", async () => {
    using rig = new Rig();
    const deployment = rig.server.addDeployment("agent");
    rig.server.addRevision(deployment, { statuses: ["DEPLOYED"] });
    const { id } = rig.server.addRevision(deployment, { statuses: ["DEPLOYING", "DEPLOYED"] });
    rig.server.instead = ({ path }) => (path.endsWith("/interrupt") ? Response.json({}) : undefined);
    const late = await rig.deploy(rig.project("agent"), ["interrupt"]);
    expect([late.code, late.stdout]).toEqual([1, expect.stringContaining("Too late: it is deployed")]);
    rig.server.instead = ({ path }) =>
      path.endsWith("/interrupt") ? Response.json({ detail: "it is DEPLOYED" }, { status: 400 }) : undefined;
    const refused = await rig.deploy(rig.project("agent"), ["interrupt", id]);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("it is DEPLOYED")]);
  });
});

describe("deploy logs", () => {
  test("shows the newest lines, oldest first, and only what is asked for", async () => {
    using rig = new Rig();
    const deployment = rig.server.addDeployment("agent");
    const { id } = rig.server.addRevision(deployment, { statuses: ["DEPLOYED"] });
    const cwd = rig.project("agent");
    expect((await rig.deploy(cwd, ["logs"])).stdout).toBe("No log entries found.\n");
    for (let number = 1; number <= 250; number += 1) rig.server.addLog(id, "DEPLOY", `line ${number}.`);
    rig.server.addLog(id, "DEPLOY", "broken", "ERROR");
    rig.server.addLog(id, "BUILD", "installed");
    const numbers = (text: string) => [...text.matchAll(/line (\d+)\./g)].map((match) => Number(match[1]));
    const { stdout } = await rig.deploy(cwd, ["logs", "--limit", "201"]);
    expect(numbers(stdout)).toEqual(Array.from({ length: 200 }, (_, at) => at + 51));
    expect(stdout).toEndWith("[2026-01-02 03:04:05] [ERROR] broken\n");
    expect((await rig.deploy(cwd, ["logs", "--level", "error"])).stdout.split("\n")).toHaveLength(2);
    expect(numbers((await rig.deploy(cwd, ["logs", "-q", "line 77."])).stdout)).toEqual([77]);
    const build = await rig.deploy(cwd, ["logs", "--type=build"]);
    expect(build.stdout).toContain(`Using latest revision: ${id}`);
    expect(build.stdout).toContain("[INFO] installed\n");
    const json = await rig.deploy(cwd, ["logs", "--limit", "1", "--json"]);
    expect(JSON.parse(json.stdout)).toMatchObject({ id: "line-251", level: "ERROR", message: "broken" });
  });

  test("with --follow shows each new line once, until Ctrl-C", async () => {
    using rig = new Rig();
    const deployment = rig.server.addDeployment("agent");
    const { id } = rig.server.addRevision(deployment, { statuses: ["DEPLOYED"] });
    rig.server.addLog(id, "DEPLOY", "first");
    const child = Bun.spawn([process.execPath, MAIN, "deploy", "logs", "-f", "--name", "agent"], {
      cwd: rig.folder,
      env: { ...process.env, ...rig.server.environment },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let printed = "";
    const reading = (async () => {
      for await (const bytes of child.stdout) printed += new TextDecoder().decode(bytes);
    })();
    await until("the first line", async () => printed.includes("first"));
    rig.server.addLog(id, "DEPLOY", "second");
    await until("the second line", async () => printed.includes("second"));
    rig.server.addLog(id, "DEPLOY", "third");
    await until("the third line", async () => printed.includes("third"));
    child.kill("SIGINT");
    expect(await child.exited).toBe(0);
    await reading;
    expect(printed.match(/first|second|third/g)?.join()).toBe("first,second,third");
    expect(await new Response(child.stderr).text()).toBe("Stopped.\n");
  });
});

test.each(["SIGINT", "SIGTERM"] as const)("%s before that leaves nothing behind", async (signal) => {
  using rig = new Rig();
  const cwd = rig.project("agent", { "weights.txt": "x".repeat(4_000_000) });
  const temporary = join(rig.folder, "tmp");
  const isPacking = async () => readdirSync(temporary).length > 0;
  const isUploading = async () => rig.server.asked.some(({ method }) => method === "PUT");
  rig.server.instead = ({ method }) => (method === "PUT" ? new Promise<never>(() => undefined) : undefined);
  for (const moment of [isPacking, isUploading]) {
    mkdirSync(temporary);
    const child = Bun.spawn([process.execPath, MAIN, "deploy"], {
      cwd,
      env: { ...process.env, ...rig.server.environment, NO_COLOR: "1", TMPDIR: temporary },
      stdio: ["ignore", "pipe", "pipe"],
    });
    await until("it has begun", moment);
    child.kill(signal);
    expect([await child.exited, child.signalCode]).toEqual([1, null]);
    expect(await new Response(child.stderr).text()).toBe("Error: Interrupted.\n");
    expect(readdirSync(temporary)).toEqual([]);
    rmdirSync(temporary);
  }
});

test("Ctrl-C while a revision is built leaves it to the server and says which", async () => {
  using rig = new Rig();
  rig.server.scripts = [{ statuses: ["BUILDING"] }];
  const child = Bun.spawn([process.execPath, MAIN, "deploy"], {
    cwd: rig.project("agent"),
    env: { ...process.env, ...rig.server.environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  await until("it waits", async () => rig.server.calls().some((call) => call.endsWith("/revisions/{id}")));
  child.kill("SIGINT");
  expect(await child.exited).toBe(1);
  const [deployment] = rig.server.deployments;
  const ids = `Deployment ID: ${deployment?.id}, Revision ID: ${deployment?.revisions[0]?.id}`;
  expect(await new Response(child.stderr).text()).toContain(`Interrupted. ${ids}\n`);
  expect(await new Response(child.stdout).text()).toContain("The build will continue remotely;");
});
