import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@langchain/langgraph-sdk";
import { noPython, testPython } from "../../python-here.ts";
import { describeUnless, notLong } from "../../skips.ts";
import { type BerthProcess, start } from "../berth-process.ts";
import { scripts } from "./javascript/graphs.ts";
import {
  installPythonServer,
  type OfficialServer,
  startJavaScriptServer,
  startPythonServer,
} from "./official.ts";
import { type Step, seenThrough, waitedThrough, withoutIds } from "./seen.ts";

const JAVASCRIPT = join(import.meta.dir, "javascript");
const PYTHON = join(import.meta.dir, "..", "python", "differential");

/** What differs on purpose, by graph; `docs/compatibility.md` gives the reasons. */
const INTENDED: Record<string, readonly string[]> = {
  asksTogether: ["waits"],
  asks_together: ["waits"],
  fails: ["waits"],
  parallel: ["history"],
};

const scratch = mkdtempSync(join(tmpdir(), "berth-official-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

type Servers = { official: OfficialServer; berth: BerthProcess };

function compare(allScripts: () => Record<string, Step[]>, servers: () => Servers, intended: string[]): void {
  test.each(Object.entries(allScripts()))("%s is the same", async (graph, script) => {
    const { official, berth } = servers();
    const [expected, actual] = await Promise.all(
      [official.url, berth.url].map(async (apiUrl) => {
        const client = new Client({ apiUrl });
        const { chunks, error, history } = await seenThrough(client, graph, script);
        const waits = await waitedThrough(client, graph, script);
        return { chunks: chunks.map(withoutIds), error, history, waits: waits.map(withoutIds) };
      }),
    );
    const ignored = intended.includes(graph) ? (INTENDED[graph] ?? []) : [];
    for (const name of ["chunks", "error", "history", "waits"] as const)
      if (!ignored.includes(name)) expect([name, actual?.[name]]).toEqual([name, expected?.[name]]);
  });
}

describeUnless(notLong)("through the official JavaScript server and through Berth", () => {
  let servers: Servers;
  beforeAll(async () => {
    const official = await startJavaScriptServer(JAVASCRIPT, scratch);
    servers = { official, berth: await start({ project: JAVASCRIPT }) };
  });
  afterAll(async () => {
    await servers?.official.stop();
    await servers?.berth.stop();
  });
  compare(
    () => scripts,
    () => servers,
    ["asksTogether", "fails"],
  );
});

const server = (notLong ?? noPython) ? undefined : await installPythonServer();
const reason = notLong ?? noPython ?? (server ? undefined : "the official server cannot be installed");

describeUnless(reason)("through the official Python server and through Berth", () => {
  let servers: Servers;
  beforeAll(async () => {
    const official = await startPythonServer(server ?? "", PYTHON, scratch);
    servers = { official, berth: await start({ project: PYTHON, env: { PYTHON: testPython() ?? "" } }) };
  });
  afterAll(async () => {
    await servers?.official.stop();
    await servers?.berth.stop();
  });
  compare(pythonScripts, () => servers, ["asks_together", "parallel"]);
});

function pythonScripts(): Record<string, Step[]> {
  const program = "import json, graphs; print(json.dumps(graphs.SCRIPTS))";
  const { stdout } = Bun.spawnSync([testPython() ?? "", "-c", program], { cwd: PYTHON });
  return JSON.parse(stdout.toString());
}
