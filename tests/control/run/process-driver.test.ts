import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { StartFailed } from "../../../server/control/run/driver.ts";
import { isRunning, processesWith, startTimeOf } from "../../../server/machine/process-table.ts";
import { OUTLIVED } from "../../e2e/berth-process.ts";
import { until } from "../../e2e/condition.ts";
import { notRoot, testUnless } from "../../skips.ts";
import {
  aDeployment,
  anInstance,
  aRevision,
  asked,
  built,
  openRig,
  type Rig,
  type Started,
  started,
} from "./rig.ts";

type Seen = {
  env: Record<string, string>;
  who: { pid: number };
  outcome: Record<string, string>;
  configurable: string[];
};

/** Names of settings are the project's own, and do not set Berth. */
const SECRETS = [
  { name: "MODEL_KEY", value: "secret-of-the-owner" },
  { name: "DATABASE_URL", value: "sqlite:///app.db" },
  { name: "LOG_LEVEL", value: "not a level" },
];

let rig: Rig;
let one: Started;

const look = (input: object) => asked<Seen>(one, "/runs/wait", { assistant_id: "probe", input });
const alive = (id: string) => rig.driver.isAlive(rig.row(id));
const exists = (pid: number) => startTimeOf(pid) !== undefined;

beforeAll(async () => {
  rig = openRig();
  one = await started(rig, { secrets: SECRETS });
});

afterAll(async () => {
  await rig.driver.removeAll(one.deployment);
  await until("nothing of it to run", async () => !(await alive(one.instance.id)));
  rig.remove();
});

describe("a deployed process", () => {
  test("is written down as it is found again", async () => {
    const { pid, pid_started, port } = rig.row(one.instance.id);
    expect(pid_started).toBe(startTimeOf(pid ?? 0) ?? "gone");
    expect(port).toBeGreaterThan(0);
    expect((await look({})).who.pid).toBe(pid ?? 0);
    expect(await alive(one.instance.id)).toBe(true);
    expect(await rig.driver.isAlive({ ...rig.row(one.instance.id), pid_started: "1" })).toBe(false);
  });

  test("answers nobody but the gateway, and anybody that it lives", async () => {
    const status = async (path: string, init: RequestInit = {}) => (await fetch(one.url + path, init)).status;
    expect(await status("/ok")).toBe(200);
    for (const path of ["/info", "/docs", "/", "/assistants/search", "/metrics"])
      expect({ path, status: await status(path) }).toEqual({ path, status: 401 });
    expect(await status("/info", { headers: { "x-berth-gateway": "token-of-nobody" } })).toBe(401);
    expect(await status("/ok", { method: "POST" })).toBe(401);
    expect(await status("/info", { headers: { "x-berth-gateway": one.instance.token } })).toBe(200);
    const preflight = { origin: "https://app.example.com", "access-control-request-method": "POST" };
    expect(await status("/runs/wait", { method: "OPTIONS", headers: preflight })).toBe(401);
    const passed = { ...preflight, "x-berth-gateway": one.instance.token, "x-forwarded-for": "10.0.0.1" };
    expect(await status("/runs/wait", { method: "OPTIONS", headers: passed })).toBe(204);
  });

  test("has its secrets and what describes it, and nothing of Berth's own environment", async () => {
    const { env, configurable } = await look({});
    expect(env).toMatchObject({
      ...Object.fromEntries(SECRETS.map(({ name, value }) => [name, value])),
      LANGSMITH_HOST_PROJECT_ID: one.deployment.id,
      LANGSMITH_HOST_REVISION_ID: one.revision.id,
      LANGSMITH_TRACING: "false",
      LANGCHAIN_TRACING_V2: "false",
      PUBLIC_URL: `http://127.0.0.1:1/d/${one.deployment.id}`,
    });
    const known =
      /^(PATH|LANG|HOME|TMPDIR|PORT|NO_PROXY|PUBLIC_URL|DATA_DIR|DATABASE_URL|LOG_LEVEL|MODEL_KEY|BERTH_INSTANCE|BERTH_DATA|LANGSMITH_(HOST|TENANT|PROJECT).*|LANG(SMITH|CHAIN)_TRACING(_V2)?|LANGCHAIN_CALLBACKS_BACKGROUND)$/;
    expect(Object.keys(env).filter((name) => !known.test(name))).toEqual([]);
    expect(JSON.stringify({ env, configurable })).not.toContain("gateway");
    expect(JSON.stringify(env)).not.toContain(one.instance.token);
  });

  test("says how much memory it has", async () => {
    const bytes = (await rig.driver.memoryBytes(rig.row(one.instance.id))) ?? 0;
    expect(bytes).toBeGreaterThan(10_000_000);
    expect(bytes).toBeLessThan(2_000_000_000);
  });

  test("is swept when nobody knows it, with what it left behind, and stays when somebody does", async () => {
    const other = await started(rig, { template: "chat" });
    const { pid } = rig.row(other.instance.id);
    const theirs = rig.row(one.instance.id);
    // Those that this driver has started itself are known to it.
    await rig.driver.sweepOrphans([]);
    expect([await alive(other.instance.id), await alive(one.instance.id)]).toEqual([true, true]);
    // A crash came between the start and the row: it is there, and without a pid.
    await rig
      .another()
      .sweepOrphans([theirs, { ...rig.row(other.instance.id), pid: null, pid_started: null }]);
    await until("the orphan to end", async () => !exists(pid ?? 0));
    expect(await alive(one.instance.id)).toBe(true);
    await rig.driver.removeAll(other.deployment);
    expect(existsSync(rig.folders.of(other.deployment).root)).toBe(false);
  });

  test("is ended as a stray when it runs elsewhere now, and stays while it may be one that starts here", async () => {
    const other = await started(rig, { template: "chat" });
    const { pid } = rig.row(other.instance.id);
    const [own, kept] = [rig.row(other.instance.id), rig.row(one.instance.id)];
    const driver = rig.another();
    // Its row has no process yet: the leader is about to write it down.
    await driver.endStrays(async () => [kept, { ...own, pid: null, pid_started: null }]);
    expect(exists(pid ?? 0)).toBe(true);
    await driver.endStrays(async () => [kept]);
    await until("the stray to end", async () => !exists(pid ?? 0));
    expect(await alive(one.instance.id)).toBe(true);
    await rig.driver.removeAll(other.deployment);
  });

  test("leaves nothing running when it is stopped", async () => {
    const it = await started(rig);
    const { outcome } = await asked<Seen>(it, "/runs/wait", {
      assistant_id: "probe",
      input: { leave: ["sleep", "300"] },
    });
    const left = Number(outcome.left);
    expect(exists(left)).toBe(true);
    await rig.driver.stop(rig.row(it.instance.id), 10_000);
    expect(await alive(it.instance.id)).toBe(false);
    await until("what it left to end", async () => !exists(left));
    await rig.driver.removeAll(it.deployment);
  });
});

testUnless(notRoot)("another Berth's deployment lives on when one of the same user is removed", async () => {
  const elsewhere = openRig();
  const theirs = await started(elsewhere);
  const ours = await started(rig, { deployment: { ...aDeployment(), uid: theirs.deployment.uid } });
  await rig.driver.removeAll(ours.deployment);
  expect(await elsewhere.driver.isAlive(elsewhere.row(theirs.instance.id))).toBe(true);
  await elsewhere.driver.removeAll(theirs.deployment);
  elsewhere.remove();
});

describe("a process that does not come up", () => {
  const launch = async (
    files: Record<string, string>,
    secrets = [{ name: "KEY", value: "very-secret-value" }],
  ) => {
    const deployment = aDeployment();
    const revision = aRevision(deployment);
    await built(rig, deployment, revision);
    for (const [name, text] of Object.entries(files))
      writeFileSync(join(rig.dataDir, "builds", revision.id, "source", name), text);
    const instance = anInstance(revision);
    rig.rows.set(instance.id, instance);
    return { deployment, revision, instance, secrets, standby: false };
  };
  const failure = async (given: Awaited<ReturnType<typeof launch>>, berth = rig) => {
    const error = await berth.driver.start(given).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(StartFailed);
    expect(await berth.driver.isAlive(berth.row(given.instance.id))).toBe(false);
    return error instanceof Error ? error.message : "";
  };

  test("says why, without its secrets", async () => {
    const text = 'console.log("it is " + process.env.KEY); throw new Error("no model for you");';
    const given = await launch({ "probe.ts": text });
    const message = await failure(given);
    expect(message).toContain("ended with exit code 1");
    expect(message).toContain("no model for you");
    expect(message).toContain("it is ***");
    expect(message).not.toContain("very-secret-value");
  });

  const HANGS = { "probe.ts": "await new Promise(() => setInterval(() => undefined, 1_000));" };

  test("is ended when it takes too long", async () => {
    const impatient = openRig({ dataDir: rig.dataDir, startLimitMs: 1_000 });
    const given = await launch(HANGS);
    impatient.rows.set(given.instance.id, given.instance);
    expect(await failure(given, impatient)).toContain("not ready after 1 seconds");
  });

  test("is ended when its pid cannot be written down", async () => {
    const forgetful = openRig({ dataDir: rig.dataDir });
    const given = await launch(HANGS);
    await expect(forgetful.driver.start(given)).rejects.toThrow("no instance");
    expect(processesWith("BERTH_INSTANCE").map(({ marks }) => marks.BERTH_INSTANCE)).not.toContain(
      given.instance.id,
    );
  });
});

test("a process outlives a Berth that is killed, and another one finds and stops it", async () => {
  const script = join(import.meta.dir, "parent.ts");
  const parent = Bun.spawn([process.execPath, script, rig.dataDir], {
    env: { ...process.env, ...OUTLIVED },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let printed = "";
  for await (const bytes of parent.stdout) {
    printed += new TextDecoder().decode(bytes);
    if (printed.endsWith("\n")) break;
  }
  const { row, deployment } = JSON.parse(printed);
  parent.kill("SIGKILL");
  await parent.exited;
  const adopted = rig.another();
  rig.rows.set(row.id, row);
  expect(await adopted.isAlive(row)).toBe(true);
  const url = `http://127.0.0.1:${row.port}`;
  const answer = await fetch(`${url}/info`, { headers: { "x-berth-gateway": row.token } });
  expect(answer.status).toBe(200);
  await answer.body?.cancel();
  // It still writes where it wrote before: not into a pipe that nobody reads.
  const { log } = rig.folders.filesOf(row);
  await until("a line about the request", async () => readFileSync(log, "utf8").includes("/info"));
  await adopted.sweepOrphans([row]);
  expect(isRunning(row.pid, row.pid_started)).toBe(true);
  await adopted.stop(row, 10_000);
  expect(await adopted.isAlive(row)).toBe(false);
  expect(await fetch(`${url}/ok`).catch(() => "refused")).toBe("refused");
  await adopted.removeAll(deployment);
});
