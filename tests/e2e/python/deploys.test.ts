import { afterAll, beforeAll, expect, test } from "bun:test";
import { chmodSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TEST_LIMIT_MS, WAIT_LIMIT_MS } from "../../limits.ts";
import { noPython, VENV } from "../../python-here.ts";
import { because, describeUnless } from "../../skips.ts";
import { type BerthProcess, start } from "../berth-process.ts";
import { berthCommand, type Finished } from "../command.ts";

const KEY = "a-key-for-deployments";
const WHEELS = join(VENV, "wheels");

/** As somebody who has Berth, a folder of wheels and no network. */
describeUnless(noPython ?? because(!existsSync(WHEELS), "no wheels were downloaded: run test:long does it"))(
  "a project in Python that is deployed from a folder of wheels",
  () => {
    const scratch = mkdtempSync(join(tmpdir(), "berth-python-deploys-"));
    const cwd = join(scratch, "my-agent");
    let berth: BerthProcess;
    beforeAll(async () => {
      // The user of the deployment has to get there.
      chmodSync(scratch, 0o755);
      const wheels = join(scratch, "wheels");
      cpSync(WHEELS, wheels, { recursive: true });
      const offline = { PIP_NO_INDEX: "1", PIP_FIND_LINKS: wheels };
      berth = await start({
        env: { SERVICE_API_KEY: KEY, DEPLOY_SETTLE_SECONDS: "0", PYTHON: "", ...offline },
      });
    });
    afterAll(async () => {
      expect(await berth.stop()).toBe(0);
      rmSync(scratch, { recursive: true, force: true });
    });

    const environment = () => ({ SERVICE_API_KEY: KEY, SERVICE_ENDPOINT: berth.url, PYTHON: "" });
    const deploy = (...args: string[]): Promise<Finished> =>
      berthCommand(["deploy", ...args], { cwd, env: environment() }, 2 * WAIT_LIMIT_MS);
    const buildLog = async () => (await deploy("logs", "--type", "build", "--limit", "200")).stdout;
    const edit = (from: string, to: string) => {
      const path = join(cwd, "offline_model.py");
      const text = readFileSync(path, "utf8");
      expect(text).toContain(from);
      writeFileSync(path, text.replace(from, to));
    };

    async function answerOf(url: string): Promise<string> {
      const answer = await fetch(`${url}/runs/wait`, {
        method: "POST",
        headers: { "content-type": "application/json", "x-api-key": KEY },
        body: JSON.stringify({
          assistant_id: "chat",
          input: { messages: [{ role: "user", content: "hello" }] },
        }),
      });
      const { messages } = (await answer.json()) as { messages: { content: string }[] };
      return messages.at(-1)?.content ?? "";
    }

    test(
      "answers, is updated without another installation, broken without harm, and rolled back",
      async () => {
        const made = await berthCommand(["new", cwd, "--template", "python-chat"], { env: environment() });
        expect([made.code, made.stderr]).toEqual([0, ""]);
        expect(made.stdout).toContain("-m pip install -r");

        const first = await deploy("--no-input");
        expect([first.stderr, first.code]).toEqual(["", 0]);
        const url = /(http\S+\/d\/\S+)/.exec(first.stdout)?.[1] ?? "";
        expect(await answerOf(url)).toStartWith("I am the offline model: a script");
        expect(await buildLog()).toContain("pip install -r");

        edit("a script that stands in", "a program that stands in");
        const second = await deploy();
        expect([second.stderr, second.code]).toEqual(["", 0]);
        expect(await answerOf(url)).toStartWith("I am the offline model: a program");
        expect(await buildLog()).toContain("The list of packages is as it was");

        edit("class Scene:", "class Scene");
        const broken = await deploy();
        expect(broken.code).toBe(1);
        expect(broken.stderr).toContain("BUILD_FAILED");
        expect(broken.stderr).toMatch(/SyntaxError: expected ':' \(.*offline_model\.py, line \d+\)/);
        expect(await answerOf(url)).toStartWith("I am the offline model: a program");

        expect((await deploy("rollback")).code).toBe(0);
        expect(await answerOf(url)).toStartWith("I am the offline model: a script");
      },
      2 * TEST_LIMIT_MS,
    );
  },
);
