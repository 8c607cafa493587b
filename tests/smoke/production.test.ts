import { afterAll, beforeAll, expect, test } from "bun:test";
import { copyFileSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Fence, fencesOf, textOf } from "../docs/fences.ts";
import { until } from "../e2e/condition.ts";
import { describeUnless } from "../skips.ts";
import { putExecutable } from "./executable.ts";
import type { LoadReport, Refusal } from "./production/load.ts";
import { HOME, type Machine, machine, NAME, noMachine } from "./production/machine.ts";
import { ROOT, temporaryFolder } from "./program.ts";

// docs/production.md, as an operator does it: its commands are read out of the page, and run as they stand there.

const PAGE = "docs/production.md";
const fences = fencesOf(PAGE);
const steps = [...textOf(PAGE).matchAll(/^## (\d+)\. .*$/gm)].map(({ 1: number = "", index }) => ({
  number,
  line: textOf(PAGE).slice(0, index).split("\n").length,
}));
const stepOf = ({ line }: Fence) => steps.findLast((step) => step.line < line)?.number ?? "";
const blocks = (number: string, mark: string) =>
  fences.filter((fence) => stepOf(fence) === number && fence.mark === mark);

const OLD = "berth-20200101-030000.tar.gz";
const BACKUPS = "/var/backups/berth";
const executable = temporaryFolder();
const program = join(executable.path, "berth");
const times = new Map<string, number>();

/** The shell of one operator: what a block exports is there in the next one. */
async function operate(on: Machine, block: Fence): Promise<string> {
  const shell = `if [ -e .exported ]; then . ./.exported; fi\n${block.text}\nexport -p > .exported\n`;
  const { code, out, err } = await on.run(["bash", "-euo", "pipefail", "-c", shell]);
  const where = `${PAGE}:${block.line}`;
  expect({ where, code, err: code === 0 ? "" : err + out }).toEqual({ where, code: 0, err: "" });
  return out;
}

/** All blocks of a step, one after the other; gives what they printed. */
async function step(on: Machine, number: string, mark = "operator"): Promise<string> {
  const begun = performance.now();
  let said = "";
  for (const block of blocks(number, mark)) said += await operate(on, block);
  times.set(number, (times.get(number) ?? 0) + performance.now() - begun);
  return said;
}

/** Brings an executable, as built in step 1; another `version` of it is the same program in another file. */
function bring(to: Machine, version: number): void {
  const folder = to.path(join(HOME, "dist"));
  mkdirSync(folder, { recursive: true });
  copyFileSync(program, join(folder, "berth"));
  utimesSync(join(folder, "berth"), version, version);
}

const json = async <T>(on: Machine, key: string, path: string, body?: object): Promise<T> => {
  const sent = body ? ["-H", "Content-Type: application/json", "-d", JSON.stringify(body)] : [];
  const call = ["curl", "-fsS", "-H", `X-Api-Key: ${key}`, ...sent, `http://127.0.0.1:8123${path}`];
  const { code, out, err } = await on.run(call);
  if (code !== 0) throw new Error(`${path}: ${err}`);
  return JSON.parse(out) as T;
};

const keyOf = async (on: Machine) =>
  /^SERVICE_API_KEY=(.{64})$/m.exec(await Bun.file(on.path("/etc/berth.env")).text())?.[1] ?? "";

const said = (assistant_id: string) => ({
  ...{ assistant_id, input: { messages: [{ role: "user", content: "Hello" }] } },
});
const answers = (on: Machine, key: string, deployment: string) =>
  json<{ messages: object[] }>(on, key, `/d/${deployment}/runs/wait`, said("chat")).then(
    ({ messages }) => messages.length > 1,
    () => false,
  );

/** Clients that send until `end`, which gives what they met; each was answered before this resolves. */
async function beginLoad(on: Machine, args: string[]): Promise<{ end(): Promise<LoadReport> }> {
  const program = [process.execPath, join(import.meta.dir, "production", "load.ts"), ...args];
  const child = Bun.spawn(on.command(program), { stdin: "pipe", stdout: "pipe", stderr: "inherit" });
  const lines = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  expect((await lines.read()).value).toBe("sending\n");
  const end = async () => {
    child.stdin.end();
    let text = "";
    for (let part = await lines.read(); !part.done; part = await lines.read()) text += part.value;
    return JSON.parse(text) as LoadReport;
  };
  return { end };
}

describeUnless(noMachine())("an operator on a clean machine", () => {
  let server: Machine;
  let key: string;
  let deployment: string;
  let thread: string;
  /** For who measures. */
  const told: string[] = [];
  /** What one test does is where the next one begins. */
  let reached = 0;
  const follows = (number: number) => expect(reached).toBe(number);

  beforeAll(async () => {
    await putExecutable(program);
    server = await machine();
    bring(server, 1_000_000_000);
  });
  afterAll(async () => {
    await server?.remove();
    executable.remove();
    for (const [number, ms] of times) told.push(`step ${number}: ${(ms / 1_000).toFixed(1)} s`);
    if (process.env.BERTH_TIMES) console.error(told.join("\n"));
  });

  test("builds as the other tests do, and no command of the page is left out", async () => {
    const { scripts } = await Bun.file(join(ROOT, "package.json")).json();
    expect(blocks("1", "build").map(({ text }) => text.trim())).toEqual(["npx --yes bun@1.4.5 run build"]);
    expect(scripts.build).toEndWith("server/build.ts");
    const shown = fences.filter(({ language }) => language === "sh").map(({ mark }) => mark);
    expect([...new Set(shown)].sort()).toEqual(["build", "elsewhere", "operator", "restart"]);
    expect(steps.map(({ number }) => number)).toEqual(["1", "2", "3", "4", "5", "6", "7", "8", "9"]);
  });

  test("starts it as the unit says, behind nginx, and deploys", async () => {
    follows(0);
    expect(await step(server, "1")).toMatch(/\d+\.\d+\.\d+/);
    await step(server, "2");
    key = await keyOf(server);
    expect(key).toHaveLength(64);
    // A backup that was due long ago: the start makes it up.
    writeFileSync(server.path(join(BACKUPS, OLD)), "the one of long ago");
    utimesSync(server.path(join(BACKUPS, OLD)), new Date("2020-01-01"), new Date("2020-01-01"));
    await step(server, "3");
    const [site] = fencesOf("docs/reverse-proxy.md").filter(({ language }) => language === "nginx");
    expect(site?.text).toContain(`server_name ${NAME};`);
    writeFileSync(server.path("/etc/nginx/conf.d/berth.conf"), site?.text ?? "");
    expect(JSON.parse(await step(server, "4"))).toEqual({ ok: true });
    const deployed = await step(server, "5");
    expect(deployed).toContain("Deployment successful!");
    expect(deployed).toContain(`https://${NAME}/d/`);
    deployment = /\/d\/([0-9a-f-]{36})/.exec(deployed)?.[1] ?? "";
    expect(await answers(server, key, deployment)).toBe(true);
    reached = 1;
  });

  test("has a backup by schedule where the unit lets Berth write, and one by hand", async () => {
    follows(1);
    ({ thread_id: thread } = await json<{ thread_id: string }>(server, key, "/threads", {}));
    await json(server, key, `/threads/${thread}/runs/wait`, said("deep-agent"));
    const there = () => readdirSync(server.path(BACKUPS));
    const scheduled = (name: string) => /^berth-\d{8}-\d{6}\.tar\.gz$/.test(name) && name !== OLD;
    await until("the backup that was due", async () => there().some(scheduled));
    const listed = await step(server, "6");
    expect(listed).toContain("read back and well");
    expect(listed).toContain("first.tar.gz");
    reached = 2;
  });

  test("upgrades under load, without a request that fails beyond the restart", async () => {
    follows(2);
    bring(server, 1_100_000_000);
    const clients = await beginLoad(server, [`https://${NAME}`, deployment, key]);
    const [prepare, look] = blocks("7", "operator");
    if (prepare) await operate(server, prepare);
    const begun = Date.now();
    await step(server, "7", "restart");
    const ended = Date.now();
    if (look) expect(JSON.parse(await operate(server, look))).toHaveProperty("version");
    await until("the deployment to answer again", () => answers(server, key, deployment));
    const { refusals, successes, queued, cut } = await clients.end();
    // A client may have begun before, for instance with a pause: the answer tells.
    const isOfRestart = ({ client, begun: at, ended: answered, status }: Refusal) => {
      // A deployment starts after Berth.
      const again = client === "deployment" ? successes[client]?.find((time) => time > ended) : ended;
      return answered >= begun && at <= (again ?? ended) && [502, 503, 504].includes(status);
    };
    expect(refusals.filter((refusal) => !isOfRestart(refusal))).toEqual([]);
    expect([cut, [...new Set(queued)]]).toEqual([0, ["success"]]);
    const counts = Object.entries(successes).map(([client, { length }]) => `${client} ${length}`);
    const away = Math.max(...refusals.map((refusal) => refusal.ended)) - begun;
    told.push(`restart: ${ended - begun} ms, refused ${refusals.length} in ${away} ms; ${counts.join(", ")}`);
    reached = 3;
  });

  test("changes the key of the secrets", async () => {
    follows(3);
    const before = await Bun.file(server.path("/var/lib/berth/secrets.key")).text();
    expect(await step(server, "8")).toContain("opens the secrets");
    expect(await Bun.file(server.path("/var/lib/berth/secrets.key")).text()).not.toBe(before);
    await until("the deployment to answer", () => answers(server, key, deployment));
    reached = 4;
  });

  test("restores it on another machine", async () => {
    follows(4);
    const backup = server.path(join(BACKUPS, "before.tar.gz"));
    const other = await machine();
    try {
      bring(other, 1_100_000_000);
      copyFileSync(backup, other.path(join(HOME, "berth.tar.gz")));
      for (const number of ["1", "2"])
        for (const block of blocks(number, "operator")) await operate(other, block);
      await step(other, "9", "elsewhere");
      const own = await keyOf(other);
      expect(own).not.toBe(key);
      const state = await json<{ values: { messages: object[] } }>(other, own, `/threads/${thread}/state`);
      expect(state.values.messages.length).toBeGreaterThan(1);
      await until("the deployment to answer", () => answers(other, own, deployment));
    } finally {
      await other.remove();
    }
    reached = 5;
  });
});
