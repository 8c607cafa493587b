import { afterAll, beforeAll, expect, test } from "bun:test";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BerthProcess, start } from "../e2e/berth-process.ts";
import { until } from "../e2e/condition.ts";
import { TEST_LIMIT_MS } from "../limits.ts";
import { noPython, testPython } from "../python-here.ts";
import { describeUnless, notLong } from "../skips.ts";
import { describeCase, send } from "./case.ts";
import { deltaTests } from "./delta-turns.ts";

const env = { WEBHOOK_ALLOW: "127.0.0.1" };

/** Versions of LangGraph for Python that find the checkpointer of delta channels in different ways. */
const VERSIONS = ["1.2.0", "1.2.8", "1.2.12", "1.2.13", "1.2.24"];

type Message = { type: string; content: string };

describeCase("javascript/delta-channel", (served) => deltaTests(served, "turns"), { env });

describeCase(
  "python/delta-channel",
  (served) => {
    deltaTests(served, "delta");

    test("two turns of a deep agent are shown everywhere", async () => {
      const call = async (method: string, path: string, body?: object) => {
        const answer = await send(served, method, path, body && JSON.stringify(body));
        expect(answer.status, answer.text).toBeLessThan(300);
        return JSON.parse(answer.text);
      };
      const { thread_id } = await call("POST", "/threads", {});
      for (const content of ["hello", "who"]) {
        const input = { messages: [{ role: "user", content }] };
        await call("POST", `/threads/${thread_id}/runs/wait`, { assistant_id: "deep", input });
      }
      const types = ["human", "ai", "human", "ai", "tool", "ai"];
      const typesOf = ({ values }: { values: { messages: Message[] } }) =>
        values.messages.map(({ type }) => type);
      expect(typesOf(await call("GET", `/threads/${thread_id}`))).toEqual(types);
      const [found] = await call("POST", "/threads/search", { ids: [thread_id] });
      expect(typesOf(found)).toEqual(types);
      expect(typesOf(await call("GET", `/threads/${thread_id}/state`))).toEqual(types);
      const [newest] = await call("POST", `/threads/${thread_id}/history`, {});
      expect(typesOf(newest)).toEqual(types);
      await until("the list of conversations to find a word of a message", async () => {
        const { text } = await send(served, "GET", "/api/threads?q=said");
        return text.includes(thread_id);
      });
    });

    test("a deep agent has its nodes and no subgraphs, as on the official server", async () => {
      const read = async (what: string) =>
        JSON.parse((await send(served, "GET", `/assistants/deep/${what}`)).text);
      expect(await read("subgraphs?recurse=true")).toEqual({});
      const drawn = await read("graph");
      expect(drawn.nodes.map(({ id }: { id: string }) => id)).toContain("tools");
      expect(drawn.nodes).toHaveLength(9);
      expect(await read("graph?xray=true")).toEqual(drawn);
    });
  },
  { env },
);

for (const version of VERSIONS)
  describeUnless(noPython ?? notLong)(`langgraph ${version}`, () => {
    const scratch = mkdtempSync(join(tmpdir(), "berth-langgraph-"));
    let berth: BerthProcess | undefined;
    const served = { url: "", headers: {}, project: join(scratch, "project"), output: () => "" };
    beforeAll(async () => {
      const python = environment(scratch, version);
      mkdirSync(served.project);
      cpSync(join(import.meta.dir, "python/delta-channel/delta.py"), join(served.project, "delta.py"));
      writeFileSync(join(served.project, "langgraph.json"), '{"graphs": {"delta": "./delta.py:graph"}}');
      berth = await start({ project: served.project, env: { ...env, PYTHON: python } });
      served.url = berth.url;
    }, TEST_LIMIT_MS);
    afterAll(async () => {
      await berth?.stop();
      rmSync(scratch, { recursive: true, force: true });
    });
    // Version 1.2.0 itself loses the first write of an update on an empty thread.
    deltaTests(served, "delta", { losesFirstUpdate: version === "1.2.0" });
  });

/** A virtual environment with one version of LangGraph. @returns its interpreter */
function environment(folder: string, version: string): string {
  const python = join(folder, "venv", "bin", "python");
  const commands = [
    [testPython() ?? "", "-m", "venv", join(folder, "venv")],
    [python, "-m", "pip", "install", "--quiet", `langgraph==${version}`],
  ];
  for (const command of commands) {
    const { exitCode, stderr } = Bun.spawnSync(command);
    if (exitCode !== 0) throw new Error(`${command.join(" ")}: ${stderr}`);
  }
  return python;
}
