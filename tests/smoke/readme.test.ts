import { afterAll, expect } from "bun:test";
import { cpSync, existsSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fencesOf } from "../docs/fences.ts";
import { until } from "../e2e/condition.ts";
import { freePort } from "../free-port.ts";
import { WAIT_LIMIT_MS } from "../limits.ts";
import { because, notLong, testUnless } from "../skips.ts";
import { ROOT, temporaryFolder } from "./program.ts";

const folder = temporaryFolder();
// Several hundred packages are in it.
afterAll(() => folder.remove());

const repository = join(folder.path, "berth");

/** The commands of the README, one after the other: they are what is walked here, word by word. */
const [start = "", startWithKey = "", deploy = ""] = fencesOf("README.md")
  .filter(({ language, mark }) => language === "sh" && mark === "")
  .map(({ text }) => text.trim());

/** A machine with Node, npm and the usual tools, and nothing in its home. */
function barePath(): string {
  const node = Bun.which("node");
  return [...(node ? [dirname(node)] : []), "/usr/bin", "/bin"].join(":");
}

function copyOfRepository(): void {
  const { stdout } = Bun.spawnSync(["git", "ls-files", "-co", "--exclude-standard"], { cwd: ROOT });
  for (const file of stdout.toString().trim().split("\n")) {
    if (!existsSync(join(ROOT, file))) continue;
    mkdirSync(dirname(join(repository, file)), { recursive: true });
    cpSync(join(ROOT, file), join(repository, file));
  }
}

const noWalk =
  notLong ??
  because(!Bun.which("npx"), "no npx here") ??
  because(Bun.which("bun", { PATH: barePath() }) !== null, "Bun lies where Node does");

testUnless(noWalk)(
  "from nothing but Node to a deployed agent of one's own, by the README, in five minutes (installs from the registry)",
  async () => {
    copyOfRepository();
    const port = freePort();
    const home = join(folder.path, "home");
    mkdirSync(home);
    const env = {
      ...{ HOME: home, PATH: barePath(), LANG: "C.UTF-8", OFFLINE_TOKEN_MS: "0" },
      // As the README, but for the port: 8123 may be somebody's.
      ...{ PORT: String(port), SERVICE_ENDPOINT: `http://127.0.0.1:${port}` },
    };
    const begun = performance.now();
    await using first = await serving(start, env, port);
    await first.stop();
    await using second = await serving(startWithKey, env, port);
    const { out, code } = await typed(deploy, env);
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining("Deployment successful!") });
    const url = /URL: (\S+)/.exec(out)?.[1];
    const answer = await fetch(`${url}/runs/wait`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-api-key": "choose-one" },
      body: JSON.stringify({
        assistant_id: "deep-agent",
        input: { messages: [{ role: "user", content: "hello" }] },
      }),
    });
    expect(await answer.text()).toContain("hello");
    console.log(
      `README to an answer of the deployed agent: ${Math.round((performance.now() - begun) / 1_000)} s`,
    );
    await second.stop();
  },
  5 * 60_000,
);

/** What somebody types who waits for the end of it. */
async function typed(commands: string, env: Record<string, string>) {
  const child = Bun.spawn(["sh", "-ec", commands], {
    cwd: repository,
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const out = await new Response(child.stdout).text();
  return { out, code: await child.exited };
}

/** Commands of which the last one serves until it is stopped. */
async function serving(commands: string, env: Record<string, string>, port: number) {
  const child = Bun.spawn(["sh", "-ec", commands], {
    detached: true,
    cwd: repository,
    env,
    stdio: ["ignore", "ignore", "inherit"],
  });
  const ok = () =>
    fetch(`http://127.0.0.1:${port}/ok`).then(
      ({ ok }) => ok,
      () => false,
    );
  await until("Berth answers", ok, Boolean, 2 * WAIT_LIMIT_MS);
  // npx passes no signal on; Ctrl-C in a terminal reaches the whole group.
  const signal = (name: NodeJS.Signals) => void process.kill(-child.pid, name);
  let isOver = false;
  void child.exited.then(() => {
    isOver = true;
  });
  return {
    stop: async () => {
      signal("SIGINT");
      await until("Berth stops", ok, (answers) => !answers);
      await child.exited;
    },
    [Symbol.asyncDispose]: async () => {
      if (!isOver) signal("SIGKILL");
      await child.exited;
    },
  };
}
